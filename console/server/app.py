"""The console as an ASGI application."""

import asyncio
import logging
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager

from fastapi import Depends, FastAPI, Request

from console.api import (
    access,
    alerts,
    bundles,
    catalogue,
    changes,
    evidence,
    floor,
    oidc,
    people,
    refund,
    reports,
    rounds,
    self_test,
    session,
    tables,
    uncertain,
    what_if,
)
from console.server import pages, problems
from console.server.gate import pass_gate
from console.server.parts import Parts
from console.server.security import Secured

logger = logging.getLogger(__name__)

SUBJECTS = (
    session, oidc, floor, tables, alerts, uncertain, self_test, catalogue, rounds, evidence, bundles, refund, what_if,
    reports, changes, people, access,
)  # fmt: skip

THREADS = 32
"""So many questions to the store, and other work beside the pages, go on at once."""

ABOUT = """What the pages of the console ask for. Sign in at POST /api/v1/session; the cookie is the session, and
everything that changes something carries the header X-CSRF-Token with the token that the session gave."""


def make_app(parts: Parts) -> FastAPI:
    """The console; it runs the live picture and the access log for as long as it lives."""

    @asynccontextmanager
    async def life(_: FastAPI) -> AsyncIterator[None]:
        # Threads that wait for a store which hangs must leave some for the live picture.
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(THREADS, "console"))
        work = [asyncio.create_task(parts.live.run()), asyncio.create_task(parts.access.carry())]
        for task in work:
            task.add_done_callback(_tell_end)
        yield
        for task in work:
            task.cancel()
        await asyncio.gather(*work, return_exceptions=True)

    app = FastAPI(
        title="Tablewatch console",
        version="1",
        description=ABOUT,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        lifespan=life,
        dependencies=[Depends(pass_gate)],
        responses=problems.RESPONSES,
    )
    app.state.parts = parts
    for subject in SUBJECTS:
        app.include_router(subject.router)
    app.include_router(pages.router)

    @app.get("/openapi.json", include_in_schema=False)
    async def openapi(request: Request) -> dict[str, object]:
        schema: dict[str, object] = request.app.openapi()
        return schema

    problems.install(app)
    app.add_middleware(Secured)
    return app


def _tell_end(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and task.exception() is not None:
        logger.error("a part of the console has ended by a fault", exc_info=task.exception())

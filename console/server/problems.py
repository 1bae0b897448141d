"""What a request gets when the answer is no: RFC 9457 for scripts, a plain page for people, never a trace."""

import logging
from collections.abc import Mapping
from html import escape
from http import HTTPStatus
from typing import Any, Final

import orjson
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

from console.database import DatabaseUnusable
from console.server.assets import public_text
from store.errors import StoreContradicts, StoreError, StoreUnavailable

logger = logging.getLogger(__name__)

PROBLEM_JSON: Final = "application/problem+json"


class Problem(BaseModel):
    """Why a request was not answered as hoped (RFC 9457)."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    """What is the case, in words for whoever asked."""
    errors: list[str] = Field(default_factory=list)
    """What is wrong with the request, part by part."""


RESPONSES: Final[dict[int | str, dict[str, Any]]] = {
    status: {"model": Problem, "description": about, "content": {PROBLEM_JSON: {}}}
    for status, about in {
        400: "The request cannot be read.",
        401: "Nobody is signed in.",
        403: "The role may not do this, or the request does not come from the page.",
        404: "There is no such thing.",
        409: "Somebody was first, it is not the time for it, or the store contradicts itself.",
        413: "The request is too large.",
        422: "Something in the request is wrong.",
        429: "Too many requests.",
        503: "The store or the pipeline is away: nothing was done.",
        504: "The store does not answer: whether it was done is told as soon as it is known.",
    }.items()
}


class Refused(Exception):
    """The answer is no."""

    def __init__(self, status: int, detail: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.headers = headers or {}


def problem(request: Request, status: int, detail: str, errors: list[str] | None = None) -> Response:
    """The answer: a page if a person asked for one, else JSON."""
    phrase = HTTPStatus(status).phrase
    if wants_page(request):
        if status == 401:
            # Without a role nothing but the sign-in page; after it the same address is asked for again.
            return Response(public_text("sign-in.html"), 401, media_type="text/html")
        return plain_page(phrase, detail, status)
    content = Problem(title=phrase, status=status, detail=detail, errors=errors or [])
    return Response(orjson.dumps(content.model_dump()), status, media_type=PROBLEM_JSON)


def plain_page(title: str, detail: str, status: int = 200) -> Response:
    """A page with a few words, for those who are not signed in."""
    said = f"{detail[:1].upper()}{detail[1:]}".rstrip(".") + "."
    page = public_text("problem.html").replace("{title}", escape(title)).replace("{detail}", escape(said))
    return Response(page, status, media_type="text/html")


def wants_page(request: Request) -> bool:
    """Whether it is a person's browser that goes to an address."""
    return (
        request.method == "GET"
        and not request.url.path.startswith(("/api/", "/static/", "/public/"))
        and "text/html" in request.headers.get("accept", "")
    )


def install(app: FastAPI) -> None:
    """Give every fault its answer."""

    async def refused(request: Request, error: Exception) -> Response:
        assert isinstance(error, Refused)
        answer = problem(request, error.status, error.detail)
        answer.headers.update(error.headers)
        return answer

    async def http(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        detail = "there is no such page" if error.status_code == 404 else str(error.detail)
        answer = problem(request, error.status_code, detail)
        answer.headers.update(error.headers or {})
        return answer

    async def invalid(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        # Where and what, never the value: it may be a password.
        errors = [f"{'.'.join(str(part) for part in each['loc'])}: {each['msg']}" for each in error.errors()]
        return problem(request, 422, "something in the request is wrong", errors)

    async def store_away(request: Request, error: Exception) -> Response:
        logger.warning("the store is away: %s", error)
        answer = problem(request, 503, "the store is away; what is shown live goes on")
        answer.headers["Retry-After"] = "5"
        return answer

    async def contradicts(request: Request, error: Exception) -> Response:
        assert isinstance(error, StoreContradicts)
        logger.warning("%s", error.sentences)
        return problem(request, 409, error.sentences)

    async def fault(request: Request, error: Exception) -> Response:
        logger.error("a fault of the console at %s", request.url.path, exc_info=error)
        return problem(request, 500, "a fault of the console: its log says more")

    app.add_exception_handler(Refused, refused)
    app.add_exception_handler(HTTPException, http)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(StoreUnavailable, store_away)
    app.add_exception_handler(StoreError, store_away)
    app.add_exception_handler(StoreContradicts, contradicts)
    app.add_exception_handler(DatabaseUnusable, fault)
    app.add_exception_handler(Exception, fault)

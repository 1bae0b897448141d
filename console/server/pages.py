"""The page and its files."""

from fastapi import APIRouter, Request, Response

from console.server import assets
from console.server.problems import Refused
from console.server.rights import PAGES

router = APIRouter(include_in_schema=False)

_CACHE = {"Cache-Control": "no-cache"}


@router.get("/healthz")
async def healthz() -> dict[str, str]:
    """Whether the console lives."""
    return {"status": "ok"}


@router.get("/public/{name}")
async def public(name: str, request: Request) -> Response:
    """What the sign-in page needs."""
    return _asset("public", name, request)


@router.get("/static/{name}")
async def static(name: str, request: Request) -> Response:
    """What the screens need, for those signed in."""
    return _asset("app", name, request)


async def page() -> Response:
    """Every screen is the same page, which asks the API for what it shows."""
    return Response(assets.page(), media_type="text/html; charset=utf-8", headers=_CACHE)


for path in PAGES:
    router.add_api_route(path, page, methods=["GET"])


def _asset(folder: str, name: str, request: Request) -> Response:
    asset = assets.assets(folder).get(name)
    if asset is None:
        raise Refused(404, "there is no such file")
    headers = {**_CACHE, "ETag": asset.tag}
    if request.headers.get("if-none-match") == asset.tag:
        return Response(status_code=304, headers=headers)
    return Response(asset.content, media_type=asset.kind, headers=headers)

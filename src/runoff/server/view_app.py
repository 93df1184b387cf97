"""The viewer's server: pages and numbers of one study, for a browser on this machine."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import orjson
from fastapi import Depends, FastAPI, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, HTMLResponse
from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool

from runoff.errors import RunoffError, UsageError, brief
from runoff.formats import write
from runoff.opening.mapped import release_pages
from runoff.server.group_list import GroupList, Wanted
from runoff.server.group_page import group_page
from runoff.server.overview import overview
from runoff.server.page_files import PAGE
from runoff.server.request_body import body_of
from runoff.server.request_error import RequestError
from runoff.server.what_if import WhatIf, read_factors

if TYPE_CHECKING:
    from collections.abc import Callable

    from runoff.server.study import Study

_KINDS = {".js": "text/javascript", ".css": "text/css"}
_LARGEST = 1 << 16  # bytes of a request
_SECONDS = 10.0  # for a request to arrive
_PAGE = 500  # lists of an answer
_HEADERS = {
    # No inline scripts or styles, nothing from elsewhere, and no frame around it.
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; "
    "connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
}


def _wanted(
    show: str = "all", q: str = "", order: str = "input", weights: Annotated[str, Query(max_length=_LARGEST)] = ""
) -> Wanted:
    return Wanted(show, q, order, tuple(sorted(read_factors(weights).items())))


_Wanted = Annotated[Wanted, Depends(_wanted)]


def create_view(study: Study, host: str) -> FastAPI:
    """The application. It answers only to its own address, so that no other page in the browser can read the data."""
    what_if = WhatIf(study)
    groups = GroupList(study, what_if)
    summary = _overview(study, groups)
    app = FastAPI(title="Runoff viewer", docs_url=None, redoc_url=None, openapi_url=None)
    allowed = {host, "127.0.0.1", "localhost", "[::1]"}

    async def answered(work: Callable[[], Any]) -> Response:
        found = await run_in_threadpool(work)
        return found if isinstance(found, Response) else _json(found)

    @app.middleware("http")
    async def own_address(request: Request, proceed: Any) -> Response:
        name, origin = request.headers.get("host", ""), request.headers.get("origin")
        if _without_port(name) not in allowed:
            response: Response = _json({"message": f"this page is not at {brief(_without_port(name))}."}, 403)
        elif origin is not None and origin != f"http://{name}":
            response = _json({"message": f"a page of {brief(origin)} may not ask for this."}, 403)
        else:
            response = await proceed(request)
        response.headers.update(_HEADERS)
        return response

    @app.exception_handler(RunoffError)
    async def mistaken(_: Request, error: RunoffError) -> Response:
        return _json({"message": str(error)}, 422)

    @app.exception_handler(RequestError)
    async def refused(_: Request, error: RequestError) -> Response:
        return _json(error.to_dict(), error.status)

    @app.exception_handler(RequestValidationError)
    async def malformed(_: Request, error: RequestValidationError) -> Response:
        found = error.errors()[0]
        return _json({"message": f"{found['loc'][-1]}: {found['msg'].lower()}."}, 422)

    @app.get("/")
    async def page() -> HTMLResponse:
        return HTMLResponse((PAGE / "index.html").read_text("utf-8"))

    @app.get("/page/{name}")
    async def part(name: str) -> Response:
        found = {each.name: each for each in PAGE.iterdir() if Path(each.name).suffix in _KINDS}
        if name not in found:
            return _json({"message": f"there is no page {brief(name)}."}, 404)
        return Response(found[name].read_bytes(), media_type=_KINDS[Path(name).suffix])

    @app.get("/api/overview")
    async def first_page() -> Response:
        return _json(summary)

    @app.get("/api/groups")
    async def some(wanted: _Wanted, start: int = 0, size: int = 50, around: int | None = None) -> Response:
        def found() -> dict[str, Any]:
            """A page from `start`, or the one that has the list `around`."""
            many = min(max(size, 1), _PAGE)
            place = None if around is None else groups.place(wanted, around)
            return groups.page(wanted, start if place is None else place // many * many, many)

        return await answered(found)

    @app.get("/api/groups/{at}")
    async def one(at: int, wanted: _Wanted, rival: int | None = None) -> Response:
        changed = dict(wanted.factors)
        return await answered(lambda: group_page(study, at, rival, what_if.ranking(changed) if changed else None))

    @app.get("/api/what-if")
    async def changed_weights(wanted: _Wanted) -> Response:
        return await answered(lambda: what_if.answer(dict(wanted.factors)))

    @app.get("/api/export")
    async def export(wanted: _Wanted) -> Response:
        lists = np.sort(await run_in_threadpool(groups.numbers, wanted))
        if not lists.size:
            raise UsageError("no list passes, so that there is nothing to export.")
        return await answered(lambda: _file("lists.jsonl", lambda path: write(study.data[lists], path)))

    @app.post("/api/model")
    async def model(request: Request) -> Response:
        factors = read_factors(await body_of(request, _LARGEST, _SECONDS))
        return await answered(lambda: _file("reweighed.runoff", lambda path: what_if.model(factors).save(path)))

    return app


def _overview(study: Study, groups: GroupList) -> dict[str, Any]:
    """The first page, after which everything is there that lists are shown with.

    Each step reads much of the data, whose pages would otherwise stay beside what the next one needs.
    """
    release_pages()  # reading has checked all of the file
    study.chosen  # noqa: B018 - computed once, and kept
    release_pages()
    summary = overview(study)
    release_pages()
    if len(study.data):
        groups.summary(0)
        release_pages()
    return summary


def _without_port(host: str) -> str:
    name, _, port = host.rpartition(":")
    return name if port.isdigit() else host


def _file(name: str, make: Callable[[Path], object]) -> Response:
    """A file that is made for this answer, and gone after it."""
    folder = tempfile.mkdtemp(prefix="runoff-view-")
    path = Path(folder, name)
    gone = BackgroundTask(shutil.rmtree, folder, ignore_errors=True)
    try:
        make(path)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return FileResponse(path, filename=name, media_type="application/octet-stream", background=gone)


def _json(value: Any, status: int = 200) -> Response:
    return Response(orjson.dumps(value, option=orjson.OPT_SERIALIZE_NUMPY), status, media_type="application/json")

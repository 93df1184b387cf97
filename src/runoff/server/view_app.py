"""The viewer's server: pages and numbers of one study, for a browser on this machine."""

from __future__ import annotations

import dataclasses
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import orjson
from fastapi import FastAPI, Request, Response
from fastapi.responses import HTMLResponse
from starlette.concurrency import run_in_threadpool

from runoff.arrays import frozen
from runoff.errors import RunoffError, UsageError, brief
from runoff.formats import write
from runoff.model.explanation import BASE
from runoff.server.group_list import GroupList
from runoff.server.group_page import group_page
from runoff.server.page_files import PAGE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from runoff.model import LinearModel
    from runoff.server.study import Study

_KINDS = {".js": "text/javascript", ".css": "text/css"}
_LARGEST = 1 << 20  # bytes of a request
_POLICY = "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'"


def create_view(study: Study, host: str) -> FastAPI:
    """The application. It answers only to its own address, so that no other page in the browser can read the data."""
    groups = GroupList(study)
    app = FastAPI(title="Runoff viewer", docs_url=None, redoc_url=None, openapi_url=None)
    allowed = {host, "127.0.0.1", "localhost", "[::1]"}

    async def answered(work: Callable[[], Any]) -> Response:
        try:
            found = await run_in_threadpool(work)
        except RunoffError as error:
            return _json({"message": str(error)}, 422)
        return found if isinstance(found, Response) else _json(found)

    @app.middleware("http")
    async def own_address(request: Request, proceed: Any) -> Response:
        name = request.headers.get("host", "").rsplit(":", 1)[0]
        if name not in allowed:
            return _json({"message": f"this page is not at {brief(name)}."}, 403)
        response: Response = await proceed(request)
        response.headers["content-security-policy"] = (
            "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'"
        )
        response.headers["x-content-type-options"] = "nosniff"
        return response

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
    async def overview() -> Response:
        return await answered(lambda: study.overview)

    @app.get("/api/groups")
    async def some(show: str = "all", q: str = "", order: str = "input", start: int = 0, size: int = 50) -> Response:
        return await answered(lambda: groups.page(show, q, order, start, min(max(size, 1), 500)))

    @app.get("/api/groups/{at}")
    async def one(at: int, rival: int | None = None) -> Response:
        return await answered(lambda: group_page(study, at, rival))

    @app.post("/api/what-if")
    async def what_if(request: Request) -> Response:
        body = await request.body()
        return await answered(lambda: study.reweighed(_factors(body)))

    @app.get("/api/export")
    async def export(show: str = "all", q: str = "", order: str = "input") -> Response:
        def lists() -> Response:
            numbers = groups.numbers(show, q, order)
            return _file("lists.jsonl", lambda path: write(study.data[np.sort(numbers)], path))

        return await answered(lists)

    @app.post("/api/model")
    async def model(request: Request) -> Response:
        body = await request.body()
        return await answered(
            lambda: _file("reweighed.runoff", lambda path: reweighed(study.model, _factors(body)).save(path))
        )

    return app


def reweighed(model: LinearModel | None, factors: Mapping[str, float]) -> LinearModel:
    """A model whose weights are multiplied, family by family; its confidence would no longer be true and goes.

    Examples
    --------
    >>> from runoff.model import LinearModel
    >>> reweighed(LinearModel.of({"lm:a": 1.0, "length": 2.0}), {"lm": 3.0}).heaviest()
    [('lm:a', 3.0), ('length', 2.0)]
    """
    if model is None:
        raise UsageError("there is no model whose weights could be changed.")
    names = model.names.to_pylist()
    weights = np.array([factors.get(name.split(":", 1)[0], 1.0) for name in names]) * model.weights
    provenance = {**model.provenance, "reweighed": dict(factors)}
    return dataclasses.replace(
        model,
        weights=frozen(weights),
        base_weight=model.base_weight * factors.get(BASE, 1.0),
        provenance=provenance,
        calibration=None,
        training_path=None,
    )


def _factors(body: bytes) -> dict[str, float]:
    """The factors of families in a request."""
    if len(body) > _LARGEST:
        raise UsageError("the request is too large.")
    try:
        given = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise UsageError(f"the body is not JSON: {error}.") from error
    factors = given.get("factors") if isinstance(given, dict) else None
    if not isinstance(factors, dict) or not all(
        isinstance(each, (int, float)) and not isinstance(each, bool) for each in factors.values()
    ):
        raise UsageError("expected 'factors', a number for each family whose weight changes.")
    return {str(name): float(each) for name, each in factors.items()}


def _file(name: str, make: Callable[[Path], object]) -> Response:
    with tempfile.TemporaryDirectory(prefix="runoff-view-") as folder:
        path = Path(folder, name)
        make(path)
        content = path.read_bytes()
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type="application/octet-stream", headers=headers)


def _json(value: Any, status: int = 200) -> Response:
    return Response(orjson.dumps(value, option=orjson.OPT_SERIALIZE_NUMPY), status, media_type="application/json")

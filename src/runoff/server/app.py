"""The service: FastAPI around `Batches`."""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import time
import uuid
from typing import TYPE_CHECKING, Any

import orjson
from fastapi import FastAPI, Request, Response
from fastapi.responses import HTMLResponse
from starlette.requests import ClientDisconnect

from runoff.errors import RunoffError
from runoff.server.batches import Batches
from runoff.server.descriptions import CHOOSE, PROBLEMS, RERANK, page
from runoff.server.jobs import choose_job, rerank_job
from runoff.server.measurements import Measurements
from runoff.server.request_body import body_of
from runoff.server.request_error import RequestError
from runoff.server.request_log import RequestLog
from runoff.version import __version__

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping

    from runoff.server.jobs import Job
    from runoff.server.served_model import ServedModel
    from runoff.server.service_settings import ServiceSettings

_RELOAD_SECONDS = 1.0
_GONE = 499  # what logs call a caller that left before the answer


def create_app(models: Mapping[str, ServedModel], settings: ServiceSettings, log: RequestLog | None = None) -> FastAPI:
    """The application; its models are looked at every second, and opened again when their files were replaced."""
    service = _Service(models, settings, log or RequestLog(quiet=True))
    app = FastAPI(
        title="Runoff",
        version=__version__,
        summary="The second round for any model that proposes candidates.",
        docs_url=None,  # its pages load scripts from elsewhere
        redoc_url=None,
        lifespan=service.lifespan,
    )

    @app.post("/choose", responses=PROBLEMS, openapi_extra={"requestBody": CHOOSE})
    async def choose(request: Request) -> Response:
        """Choose from one list of candidates, or from several."""
        return await service.answered(request, choose_job)

    async def rerank(request: Request) -> Response:
        """Rank documents for a query, as clients of Cohere and Jina send it."""
        return await service.answered(request, rerank_job)

    for path in ("/rerank", "/v1/rerank", "/v2/rerank"):
        app.post(path, responses=PROBLEMS, openapi_extra={"requestBody": RERANK}, include_in_schema=path == "/rerank")(
            rerank
        )

    @app.get("/health")
    async def health() -> dict[str, str]:
        """Whether the service runs."""
        return {"status": "ok", "version": __version__}

    @app.get("/ready")
    async def ready() -> dict[str, Any]:
        """Which models are ready; there is no answer before all are."""
        return {
            "status": "ready",
            "models": {name: {"version": each.version, "file": each.path.name} for name, each in models.items()},
        }

    @app.get("/metrics")
    async def metrics(request: Request) -> Response:
        """Counters in the form that Prometheus reads."""
        service.check_token(request)
        return Response(service.measured.page(models, service.batches.waiting), media_type="text/plain; version=0.0.4")

    @app.get("/", include_in_schema=False)
    @app.get("/docs", include_in_schema=False)
    async def docs() -> HTMLResponse:
        return HTMLResponse(page(app.openapi()))

    @app.exception_handler(RequestError)
    async def refused(_: Request, error: RequestError) -> Response:
        return _json(error.to_dict(), error.status)

    return app


class _Service:
    """What the routes share."""

    def __init__(self, models: Mapping[str, ServedModel], settings: ServiceSettings, log: RequestLog) -> None:
        self.models, self.settings, self.log = models, settings, log
        self.measured = Measurements()
        self.batches = Batches(settings, self.measured.batches.observe)
        self._token = None if settings.token is None else f"Bearer {settings.token}".encode()

    @contextlib.asynccontextmanager
    async def lifespan(self, _: FastAPI) -> AsyncIterator[None]:
        """Look after the models while the service runs, and let what has begun end."""
        watching = asyncio.create_task(self._watch())
        yield
        watching.cancel()
        await asyncio.to_thread(self.batches.close)
        self.log.event("stopped")

    async def answered(self, request: Request, read: Callable[..., Job]) -> Response:
        """The answer to a request, measured and logged whatever becomes of it."""
        began = time.perf_counter()
        name = request.headers.get("x-request-id") or uuid.uuid4().hex
        path = request.url.path
        job: Job | None = None
        try:
            self.check_token(request)
            body = await body_of(request, self.settings.body, self.settings.receiving)
            job = read(body, self.models, self.settings)
            answer = await self.batches.answer(job)
            response = _json({"id": name, **answer} if job.reranking is not None else answer)
        except RequestError as error:
            response = _json(error.to_dict(), error.status)
            if error.status == 401:
                response.headers["www-authenticate"] = "Bearer"
            if error.status == 503:
                response.headers["retry-after"] = "1"
        except ClientDisconnect:
            response = Response(status_code=_GONE)
        except Exception as error:
            self.log.event("failure", "error", request=name, path=path, error=f"{type(error).__name__}: {error}")
            response = _json({"code": "failure", "message": f"the service failed at this request ({name})."}, 500)
        response.headers["x-request-id"] = name
        self._count(name, path, response.status_code, time.perf_counter() - began, job)
        return response

    def check_token(self, request: Request) -> None:
        """Raise unless the caller presents the token, where there is one."""
        if self._token is None:
            return
        given = request.headers.get("authorization", "").encode("utf-8", "replace")
        if not hmac.compare_digest(given, self._token):
            raise RequestError(401, "unauthorised", "this service wants its token: Authorization: Bearer TOKEN.")

    def _count(self, name: str, path: str, status: int, seconds: float, job: Job | None) -> None:
        self.measured.requests.labels(path, str(status)).inc()
        self.measured.seconds.labels(path).observe(seconds)
        facts: dict[str, Any] = {}
        if job is not None:
            self.measured.lists.labels(job.served.name).inc(len(job.records))
            self.measured.candidates.labels(job.served.name).inc(job.candidates)
            facts = {"model": job.served.name, "lists": len(job.records), "candidates": job.candidates}
        self.log.request(request=name, path=path, status=status, ms=round(seconds * 1000, 2), **facts)

    async def _watch(self) -> None:
        """Replace models whose files were replaced."""
        while True:
            await asyncio.sleep(_RELOAD_SECONDS)
            for served in self.models.values():
                try:
                    if await asyncio.to_thread(served.refresh):
                        self.measured.reloads.labels(served.name, "replaced").inc()
                        self.log.event("reloaded", model=served.name, version=served.version)
                except RunoffError as error:
                    self.measured.reloads.labels(served.name, "refused").inc()
                    self.log.event("not reloaded", "error", model=served.name, error=str(error))


def _json(value: dict[str, Any], status: int = 200) -> Response:
    # Infinite scores become null, which is all that JSON has for them.
    return Response(orjson.dumps(value, option=orjson.OPT_SERIALIZE_NUMPY), status, media_type="application/json")

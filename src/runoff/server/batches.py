"""Requests that wait are scored together: the more there are, the larger the batches, and nobody waits for others."""

from __future__ import annotations

import asyncio
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from runoff.errors import RunoffError
from runoff.server.choosing import answers
from runoff.server.request_error import RequestError

if TYPE_CHECKING:
    from collections.abc import Callable

    from runoff.server.choosing import Answer
    from runoff.server.jobs import Job
    from runoff.server.service_settings import ServiceSettings

_Waiting = tuple["Job", "asyncio.Future[Answer]"]


class Batches:
    """Jobs in the order in which they came; those of equal shapes that wait together become one batch.

    Models work in a thread of their own, one batch after the other, so that the event loop goes on taking requests. A
    job that was given up before its turn is not worked on.
    """

    def __init__(self, settings: ServiceSettings, observe: Callable[[int], object]) -> None:
        self._settings = settings
        self._observe = observe  # told how many requests a batch has
        self._waiting: deque[_Waiting] = deque()
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="runoff-model")
        self._running: asyncio.Task[None] | None = None

    @property
    def waiting(self) -> int:
        """Jobs that wait for their turn."""
        return len(self._waiting)

    async def answer(self, job: Job) -> Answer:
        """The answer to a job; a `RequestError` if there is none in time."""
        if len(self._waiting) >= self._settings.waiting:
            raise RequestError(503, "busy", f"{len(self._waiting):,} requests wait already; try again in a moment.")
        future: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._waiting.append((job, future))
        if self._running is None or self._running.done():
            self._running = asyncio.create_task(self._work())
        try:
            return await asyncio.wait_for(future, self._settings.seconds)
        except TimeoutError:
            raise RequestError(
                503, "too-slow", f"there was no answer within {self._settings.seconds:g} seconds; send fewer lists."
            ) from None

    def close(self) -> None:
        """Let the batch that is being worked on end, and take no more."""
        self._worker.shutdown(wait=True, cancel_futures=True)

    async def _work(self) -> None:
        loop = asyncio.get_running_loop()
        while self._waiting:
            batch = self._next()
            if not batch:
                continue
            self._observe(len(batch))
            try:
                found = await loop.run_in_executor(self._worker, answers, [job for job, _ in batch])
            except Exception as error:
                for _, future in batch:
                    if not future.done():
                        future.set_exception(error)
                continue
            for (_, future), each in zip(batch, found, strict=True):
                if future.done():
                    continue
                if isinstance(each, RunoffError):
                    future.set_exception(RequestError(422, "unusable", str(each)))
                else:
                    future.set_result(each)

    def _next(self) -> list[_Waiting]:
        """The next job, and others of its shape up to the largest batch; others keep their order."""
        batch: list[_Waiting] = []
        others: deque[_Waiting] = deque()
        candidates = 0
        while self._waiting and len(batch) < self._settings.batch:
            job, future = self._waiting.popleft()
            if future.done():
                continue
            fits = not batch or (
                job.shape is not None
                and job.shape == batch[0][0].shape
                and candidates + job.candidates <= self._settings.candidates
            )
            if not fits:
                others.append((job, future))
                continue
            batch.append((job, future))
            candidates += job.candidates
        self._waiting.extendleft(reversed(others))
        return batch

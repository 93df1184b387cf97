"""What waits together is scored together; nobody waits for ever."""

from __future__ import annotations

import asyncio
import threading

import pytest

from runoff.server import batches as module
from runoff.server.batches import Batches
from runoff.server.jobs import Job
from runoff.server.request_error import RequestError
from runoff.server.service_settings import ServiceSettings


def job(shape, candidates=1):
    return Job(None, [{}], candidates, shape)


@pytest.fixture
def worked(monkeypatch):
    """Batches that were worked on, each once `gate` is set."""
    seen: list[list[object]] = []
    gate = threading.Event()

    def answers(jobs):
        gate.wait(10)
        seen.append([each.shape for each in jobs])
        return [{"shape": each.shape} for each in jobs]

    monkeypatch.setattr(module, "answers", answers)
    return seen, gate


def run(settings, jobs, gate):
    async def main():
        sizes: list[int] = []
        found = Batches(settings, sizes.append)
        tasks = [asyncio.create_task(found.answer(each)) for each in jobs]
        await asyncio.sleep(0.05)
        gate.set()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        found.close()
        return results, sizes

    return asyncio.run(main())


def test_equal_shapes_are_one_batch_and_others_keep_their_order(worked):
    seen, gate = worked
    results, sizes = run(ServiceSettings(), [job("a"), job("b"), job("a"), job(None), job("b"), job(None)], gate)
    # The first two began alone or together, before the others had come.
    assert sorted(str(shape) for batch in seen for shape in batch) == sorted(map(str, ["a", "b", "a", None, "b", None]))
    assert all(len({*map(str, batch)}) == 1 for batch in seen)
    assert [batch for batch in seen if batch[0] is None] == [[None], [None]]
    assert sum(sizes) == 6
    assert [each["shape"] for each in results] == ["a", "b", "a", None, "b", None]


def test_batches_have_a_limit(worked):
    seen, gate = worked
    run(ServiceSettings(batch=3), [job("a")] * 10, gate)
    assert max(map(len, seen)) == 3
    seen.clear()
    gate.clear()
    run(ServiceSettings(candidates=10), [job("a", 4)] * 10, gate)
    assert max(map(len, seen)) == 2


def test_a_queue_that_is_full_says_so(worked):
    _, gate = worked
    results, _ = run(ServiceSettings(waiting=2, batch=1), [job("a")] * 5, gate)
    refused = [each for each in results if isinstance(each, RequestError)]
    assert refused
    assert all(each.status == 503 and each.code == "busy" for each in refused)


def test_an_answer_that_takes_too_long_is_given_up(worked):
    _, gate = worked
    settings = ServiceSettings(seconds=0.02)
    results, _ = run(settings, [job("a")], gate)
    assert (results[0].status, results[0].code) == (503, "too-slow")


def test_a_failure_that_nobody_foresaw_is_its_batchs_alone(monkeypatch):
    def answers(jobs):
        if jobs[0].shape == "bad":
            raise ZeroDivisionError
        return [{} for _ in jobs]

    monkeypatch.setattr(module, "answers", answers)
    gate = threading.Event()
    results, _ = run(ServiceSettings(), [job("bad"), job("good")], gate)
    assert isinstance(results[0], ZeroDivisionError)
    assert results[1] == {}

"""Answers to jobs: what a model chooses, with scores and reasons."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from runoff.errors import RunoffError
from runoff.model import check_features
from runoff.nbest import NBest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.arrays import Floats, Ints
    from runoff.model import Choices, LinearModel
    from runoff.server.jobs import Job

Answer = dict[str, Any]


def answers(jobs: Sequence[Job]) -> list[Answer | RunoffError]:
    """The answers to jobs of one model and equal shapes, scored together; each is what it would be alone.

    Where they cannot be scored together, they are one by one, so that everyone hears of their own mistakes.
    """
    model = jobs[0].served.model  # one model for all, even if its file is replaced meanwhile
    version = jobs[0].served.version
    if len(jobs) > 1:
        records = [
            {**record, "id": f"{at}:{number}"}
            for at, job in enumerate(jobs)
            for number, record in enumerate(job.records)
        ]
        try:
            return _together(model, version, jobs, _data(records))
        except RunoffError:
            pass
    return [_alone(model, version, job) for job in jobs]


def _alone(model: LinearModel, version: int, job: Job) -> Answer | RunoffError:
    try:
        return _together(model, version, [job], _data(job.records))[0]
    except RunoffError as error:
        return error


def _data(records: Sequence[Any]) -> NBest:
    # A choice looks at no reference.
    return NBest.from_records(records).replace(references=None)


def _together(model: LinearModel, version: int, jobs: Sequence[Job], data: NBest) -> list[Answer | RunoffError]:
    check_features(model, data)
    scored = _Scored(
        data, model.pick(data), model.scores(data), model.probabilities(data), model.ranks(data), _notes(model, data)
    )
    out: list[Answer | RunoffError] = []
    first = 0
    for job in jobs:
        head: Answer = {"model": job.served.name, "version": version}
        body = scored.choices_of(job, first, model) if job.reranking is None else scored.ranking_of(job, first)
        out.append({**head, **body})
        first += len(job.records)
    return out


def _notes(model: LinearModel, data: NBest) -> list[str]:
    unseen = model.unseen(data)
    return [*data.notes, *([str(unseen)] if unseen.columns else [])]


@dataclass(frozen=True)
class _Scored:
    """What a model makes of data; jobs have groups of it from `first` on."""

    data: NBest
    choices: Choices
    scores: Floats
    probabilities: Floats
    ranks: Ints
    notes: list[str]

    def choices_of(self, job: Job, first: int, model: LinearModel) -> Answer:
        chosen = self.choices.at_least(job.min_confidence) if job.min_confidence else self.choices
        found = []
        for at, record in enumerate(job.records):
            group = first + at
            choice = asdict(chosen[group])
            choice["group"] = str(record.get("id", at + 1))
            rows = slice(int(self.data.offsets[group]), int(self.data.offsets[group + 1]))
            if job.scores:
                choice["scores"] = self.scores[rows].tolist()
                choice["probabilities"] = self.probabilities[rows].tolist()
                choice["ranks"] = self.ranks[rows].tolist()
            if job.explain:
                several = rows.stop - rows.start > 1
                reasons = model.explain(self.data, group) if several else None
                choice["explanation"] = None if reasons is None else {**reasons.to_dict(), "group": choice["group"]}
            found.append(choice)
        return {"choices": found, "notes": self.notes}

    def ranking_of(self, job: Job, group: int) -> Answer:
        wanted = job.reranking
        assert wanted is not None  # noqa: S101 - the caller has looked
        start, stop = (int(edge) for edge in self.data.offsets[group : group + 2])
        order = np.argsort(self.ranks[start:stop], kind="stable")[: wanted.top].tolist()
        documents = job.records[0]["candidates"]
        results: list[Answer] = []
        for index in order:
            result: Answer = {"index": index, "relevance_score": float(self.probabilities[start + index])}
            if wanted.documents:
                given = documents[index]
                result["document"] = {"text": given if isinstance(given, str) else given["text"]}
            results.append(result)
        return {"object": "list", "results": results}

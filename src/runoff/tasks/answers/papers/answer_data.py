"""Questions of a paper's run, found in a folder or drawn, and the scored candidates of the test questions."""

from __future__ import annotations

import dataclasses
import hashlib
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import orjson

from runoff.errors import DataError
from runoff.files import replacing
from runoff.io import read
from runoff.reproduce.data_files import files_in, fingerprint, one_split, part_of
from runoff.reproduce.paper import PaperData
from runoff.tasks.answers.answer_sources import analyser_for
from runoff.tasks.answers.answer_table import SentenceView, values_of
from runoff.tasks.answers.answerer import candidate_lists
from runoff.tasks.answers.answerer_settings import AnswererSettings
from runoff.tasks.answers.answerer_training import annotated_questions, learned_from, tuned
from runoff.tasks.answers.demo.almanac import Almanac
from runoff.tasks.answers.pattern_translators import SETTINGS, PatternTranslators
from runoff.tasks.answers.question_file import question_record, read_questions

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from runoff.arrays import Floats
    from runoff.nbest import NBest
    from runoff.tasks.answers.question_file import QuestionRecord

NEEDS = (
    "questions in two files, NAME.train.* and NAME.test.* (JSON lines with question, answer_patterns, answering and "
    "other sentences, as docs/answers.md has them); and, if there is one, a file of questions with classes that has "
    "the word types in its name."
)
ALMANACS = 4  # synthetic ones; the training questions of the last are asked too
OTHERS = 30  # further sentences of the almanac that are searched for an answer
USUAL = "Lex, LM5, 100-best"
# Table 5: the order of the language model, and the length of the list of translations.
VARIANTS: dict[str, tuple[int, int]] = {
    USUAL: (5, 100),
    "Lex, LM3, 100-best": (3, 100),
    "Lex, LM5, 10-best": (5, 10),
    "Lex, LM5, 1000-best": (5, 1000),
}


class AskedLists(NamedTuple):
    """Candidates of the test questions with their scores, and the sentences that they stand in."""

    data: NBest
    view: SentenceView

    def values(self, scores: Floats) -> dict[str, Floats]:
        """T1, T50 and MRR of every question: answers (QA) and sentences (SR)."""
        found = {f"QA {name}": values for name, values in values_of(self.data, scores).items()}
        sentences = values_of(self.view.data, self.view.scores(scores))
        return found | {f"SR {name}": values for name, values in sentences.items()}


@dataclass
class AnswerData:
    """Training and test questions; lists of the test questions are made once, and kept in `work`."""

    files: dict[str, Path] | None
    fingerprint: str
    seed: int = 0
    typed: Path | None = None
    work: Path | None = None
    _lists: dict[str, AskedLists] = field(default_factory=dict)

    @cached_property
    def records(self) -> dict[str, list[QuestionRecord]]:
        """Questions with answers and sentences."""
        if self.files is None:
            return _drawn(self.seed)
        found = {part: read_questions(path) for part, path in self.files.items()}
        return {
            part: [each for each in own if each.patterns.patterns and each.sentences] for part, own in found.items()
        }

    @cached_property
    def _prepared(self) -> Any:
        """Annotated questions, supersenses, and weights of translators."""
        quiet: list[str] = []
        analyser = analyser_for(self.records["train"], typed_questions=self.typed, say=quiet.append)
        parts = {part: annotated_questions(own, analyser) for part, own in self.records.items()}
        senses = analyser.question_types.senses
        settings = AnswererSettings(seed=self.seed, tuning=0 if self.files is None else 3)
        weights = tuned(parts["train"], senses, settings, say=quiet.append)
        return parts, senses, weights

    def sizes(self) -> dict[str, dict[str, float]]:
        """Questions and answering sentences by part; tokens and vocabulary of the training pairs at both levels."""
        parts, senses, _ = self._prepared
        pairs = parts["train"].pairs(senses)
        found: dict[str, dict[str, float]] = {
            part: {"Q": len(own.records), "A": sum(map(len, own.answering))} for part, own in parts.items()
        }
        for level in (1, 2):
            sides = {side: [getattr(each, f"{name}{level}").split() for each in pairs] for side, name in _SIDES.items()}
            found[f"L{level}"] = {
                **{f"tokens {side}": sum(map(len, texts)) for side, texts in sides.items()},
                **{
                    f"vocabulary {side}": len({word for text in texts for word in text})
                    for side, texts in sides.items()
                },
            }
        return found

    def lists(self, variant: str = USUAL) -> AskedLists:
        """Lists of the test questions with the scores of one of `VARIANTS`."""
        if variant not in self._lists:
            path = self._path(variant)
            if path is None or not path.exists() or not path.with_suffix(".json").exists():
                self._lists[variant] = self._made(variant, path)
            else:
                details = orjson.loads(path.with_suffix(".json").read_bytes())
                data = read(path)
                self._lists[variant] = AskedLists(data, SentenceView(data, details["sentence_of"], details["right"]))
        return self._lists[variant]

    def _made(self, variant: str, path: Path | None) -> AskedLists:
        parts, senses, weights = self._prepared
        order, k = VARIANTS[variant]
        learned = learned_from(parts["train"], senses, weights)
        translators = learned.translators
        if order != SETTINGS.order:
            settings = dataclasses.replace(SETTINGS, order=order)
            translators = PatternTranslators.train(parts["train"].pairs(senses), weights, settings)
        test = parts["test"]
        patterns = [each.patterns for each in test.records]
        ids = [each.id for each in test.records]
        made = candidate_lists(learned.features, translators, test.questions, test.sentences, patterns, ids, k=k)
        details: dict[str, Any] = {
            "sentence_of": [[each.sentence for each in own] for own in made.candidates],
            "right": [
                [bool(pattern.match(sentence.text)) for sentence in own]
                for own, pattern in zip(test.sentences, patterns, strict=True)
            ],
        }
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            with replacing(path.with_suffix(".json")) as temporary:
                temporary.write_bytes(orjson.dumps(details))
            made.data.save(path)
        return AskedLists(made.data, SentenceView(made.data, details["sentence_of"], details["right"]))

    def _path(self, variant: str) -> Path | None:
        state = f"{self.fingerprint}|{self.seed}|{variant}".encode()
        return (
            None
            if self.work is None
            else self.work / f"lists.{hashlib.blake2b(state, digest_size=6).hexdigest()}.arrow"
        )


_SIDES = {"Q": "question", "A": "sentence"}


def upper_bound(lists: AskedLists) -> dict[str, float]:
    """Share of the questions that have a right candidate, and of those that have a right sentence."""
    found = {}
    for name, data in (("QA", lists.data), ("SR", lists.view.data)):
        quality = np.asarray(data.quality if data.quality is not None else np.zeros(data.n_candidates))
        best = [float(quality[a:b].max(initial=0.0)) for a, b in zip(data.offsets[:-1], data.offsets[1:], strict=True)]
        found[name] = float(np.mean(best)) if best else 0.0
    return found


def found_questions(folder: Path) -> PaperData:
    """The questions of a folder."""
    name, files = one_split(folder, "questions", ("train", "test"))
    typed = part_of([path for path in files_in(folder) if path not in files.values()], ("types",))
    left_out = (
        [] if typed else ["classes of questions: no file has the word types in its name, so question words serve"]
    )
    key = fingerprint([*files.values(), *([] if typed is None else [typed])])
    data = AnswerData(files, key, typed=typed)
    about = ", ".join(f"{len(own):,} questions of {part}" for part, own in data.records.items())
    if not all(data.records.values()):
        raise DataError(f"expected questions with answers and sentences in train and test; found {about}.", path=folder)
    return PaperData(name, about, key, data, left_out=tuple(left_out))


def drawn_questions(seed: int) -> PaperData:
    """Questions of synthetic almanacs."""
    key = f"drawn questions {seed}"
    data = AnswerData(None, key, seed)
    about = ", ".join(f"{len(own)} questions of {part}" for part, own in data.records.items())
    return PaperData(
        "synthetic almanacs",
        f"{about}, each with the sentences of its article and {OTHERS} others",
        key,
        data,
        is_quick=True,
    )


def _drawn(seed: int) -> dict[str, list[QuestionRecord]]:
    found: dict[str, dict[tuple[str, ...], QuestionRecord]] = {"train": {}, "test": {}}
    rng = np.random.default_rng([seed, 2012])
    for at in range(ALMANACS):
        almanac = Almanac.of(ALMANACS * seed + at)
        own: dict[str, Sequence[Any]] = {"train": almanac.training, "test": almanac.test}
        for part, questions in own.items():
            pool = [" ".join(text.column("text")) for text in almanac.tagged()]
            for number, question in enumerate(questions):
                record = question.record()
                record["other"] += [pool[place] for place in rng.choice(len(pool), OTHERS, replace=False).tolist()]
                made = question_record(record, f"{part}-{at}-{number}")
                kind = "train" if part == "train" and at < ALMANACS - 1 else "test"
                found[kind].setdefault(made.question.words, made)
    # Islands have some names in common: what was learned from is not asked.
    test = [each for words, each in found["test"].items() if words not in found["train"]]
    return {"train": list(found["train"].values()), "test": test}

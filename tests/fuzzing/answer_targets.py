"""Answerers, annotators, and questions to learn from, as files that are attacked: what a person does with them."""

from __future__ import annotations

import functools
import json
import tempfile
from pathlib import Path

import numpy as np

from runoff.tasks.answers import AnswererSettings, PassageIndex, analyser_for, load_answerer, train_answerer
from runoff.tasks.answers.annotator_file import load_annotator
from runoff.tasks.answers.answer_text import shown
from runoff.tasks.answers.question import load_analyser
from runoff.tasks.answers.question_file import question_record, read_questions

_TEXT = "Ada Berg invented the lamp in 1903. The lamp was sold in Rome by Ivo Hollow. Rosa Lund lived in Rome."
_ASKED = {"Who invented the {}?": "Ada Berg", "When was the {} invented?": "1903", "Where was the {} sold?": "Rome"}
QUESTIONS = [
    {"question": asked.format(thing), "answers": [answer], "answering": [told.replace("lamp", thing)], "other": [_TEXT]}
    for thing in ("lamp", "pocket lamp", "old lamp")
    for (asked, answer), told in zip(_ASKED.items(), 2 * _TEXT.split(". "), strict=False)
]
TAGGED = {
    "id": 7,
    "question": "Who left ?",
    "question_pos": "WP VBD .",
    "question_ner": "- - -",
    "question_type": "HUM:ind",
    "answer_patterns": ["Ada\\s+Berg"],
    "answering": [{"text": "Ada Berg left", "pos": "NNP NNP VBD", "ner": "PERSON-B PERSON-I -"}],
    "other": ["It rained ."],
}


def questions() -> list[bytes]:
    """Lines with everything that they may have."""
    return ["\n".join(json.dumps(each) for each in [*QUESTIONS[:2], TAGGED]).encode()]


def reading(path: Path) -> None:
    """Read questions, and look for their answers."""
    for record in read_questions(path):
        for sentence in record.sentences:
            record.patterns.cover(sentence.text)
            record.patterns.first(sentence.text)


@functools.cache
def _answerer() -> dict[str, bytes]:
    records = [question_record(each, str(at)) for at, each in enumerate(QUESTIONS)]
    analyser = analyser_for(records, say=lambda _: None)
    settings = AnswererSettings(best=5, folds=2, tuning=0, passages=5)
    made = train_answerer(records, analyser, settings, say=lambda _: None)
    with tempfile.TemporaryDirectory() as folder:
        things = {"answerer": made, "analyser": analyser, "annotator": analyser.annotator}
        for name, each in things.items():
            each.save(Path(folder, name))
        return {name: Path(folder, name).read_bytes() for name in things}


def answerers() -> list[bytes]:
    """One that was learned from a few questions."""
    return [_answerer()["answerer"]]


def asking(path: Path) -> None:
    """Open an answerer, and ask."""
    answerer = load_answerer(path)
    text = path.with_name("text.txt")
    text.write_text(_TEXT)
    index = PassageIndex.build(text, path.with_name("index"), fresh=True)
    for answers in answerer.ask(index, ["Who invented the lamp?", "Where was it sold?", "Xyzzy?"]):
        shown(answers, 3)
        json.dumps(answers.to_dict())
        shares = [each.share for each in answers.answers]
        if shares and not np.isclose(sum(shares), 1, atol=1e-6):
            raise AssertionError("shares do not add up")


def analysers() -> list[bytes]:
    """The part of it that annotates and classifies questions."""
    return [_answerer()["analyser"]]


def analysing(path: Path) -> None:
    """Open an analyser, and analyse."""
    load_analyser(path).analyse(["Who invented the lamp in 1903?", "", "東京 ?"])


def annotators() -> list[bytes]:
    """Its three taggers."""
    return [_answerer()["annotator"]]


def annotating(path: Path) -> None:
    """Open an annotator, and annotate."""
    load_annotator(path).annotate([_TEXT, "", "東京 ?"])

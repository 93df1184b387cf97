"""The synthetic almanac: its tags are consistent, its questions have answers, and its files are read again."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from runoff.tasks.answers.demo.almanac import Almanac
from runoff.tasks.answers.demo.almanac_files import write_almanac
from runoff.tasks.answers.demo.phrases import QUESTIONS, SENTENCES
from runoff.tasks.answers.retrieval import PassageIndex
from runoff.tasks.tagging import first_error, read_corpus, split_sentences, tokenize

if TYPE_CHECKING:
    from pathlib import Path

SEEDS = range(5)


@pytest.mark.parametrize("seed", SEEDS)
def test_words_are_those_that_the_tokenizer_finds_and_sentences_those_of_the_splitter(seed: int) -> None:
    almanac = Almanac.of(seed)
    for text in almanac.tagged():
        assert [token.text for token in tokenize(str(text))] == text.column("text")
    for article in almanac.articles:
        written = str(article)
        expected = [str(statement.text) for statement in article.statements]
        assert [written[start:stop] for start, stop in split_sentences(written)] == expected


@pytest.mark.parametrize("seed", SEEDS)
def test_every_question_is_answered_and_no_fact_is_asked_for_twice(seed: int) -> None:
    almanac = Almanac.of(seed)
    assert (len(almanac.articles), len(almanac.training), len(almanac.test)) == (40, 60, 20)
    articles = " ".join(map(str, almanac.articles))
    for question in (*almanac.training, *almanac.test):
        (pattern,) = question.record()["answer_patterns"]
        assert question.answering
        assert question.others
        assert all(re.search(pattern, str(text)) and str(text) in articles for text in question.answering)
        assert not any(re.search(pattern, str(text)) for text in question.others)
        assert not re.search(pattern, str(question.text))
    training = {str(text) for question in almanac.training for text in question.answering}
    assert not training & {str(text) for question in almanac.test for text in question.answering}
    assert len({question.type for question in almanac.training}) == 7
    assert {question.type for question in almanac.test} <= {question.type for question in almanac.training}


def test_another_seed_is_another_island() -> None:
    assert list(map(str, Almanac.of(3).articles)) == list(map(str, Almanac.of(3).articles))
    assert list(map(str, Almanac.of(3).articles)) != list(map(str, Almanac.of(4).articles))


def test_templates_are_for_facts() -> None:
    for kind, facts in QUESTIONS.items():
        assert facts.keys() <= SENTENCES[kind].keys()


def test_files(tmp_path: Path) -> None:
    almanac = Almanac.of(1)
    write_almanac(Almanac.of(2), tmp_path)
    files = write_almanac(almanac, tmp_path)
    texts = sorted(path.relative_to(files.texts).as_posix() for path in files.texts.rglob("*.txt"))
    assert texts == sorted(article.file for article in almanac.articles)
    corpus = read_corpus(files.sentences, columns="word,pos,chunk,entity")
    assert corpus["word"].texts() == [word.text for text in almanac.tagged() for word in text.words]
    for column in ("chunk", "entity"):
        assert first_error(corpus, "bio", column) is None
    records = [json.loads(line) for line in files.training.read_text().splitlines()]
    assert len(records) == 60
    for record in records:
        assert (
            len(record["question"].split())
            == len(record["question_pos"].split())
            == len(record["question_ner"].split())
        )
        for sentence in record["answering"]:
            assert len(sentence["text"].split()) == len(sentence["pos"].split()) == len(sentence["ner"].split())
    assert re.fullmatch(r"([A-Z]+:[a-z]+ .* \?\n){60}", files.question_types.read_text())


def test_a_search_finds_the_answers(tmp_path: Path) -> None:
    files = write_almanac(Almanac.of(0), tmp_path)
    index = PassageIndex.build(files.texts, tmp_path / "index")
    found = 0
    for line in files.test.read_text().splitlines():
        record = json.loads(line)
        texts = [index.passage(hit.passage).text for hit in index.search(record["question"], 5)]
        found += any(re.search(record["answer_patterns"][0], text) for text in texts)
    assert found >= 18  # of 20: the words of a question and of its answer need not be the same

"""Taggers of clauses: what they learn, what they say of columns that are missing or wrong, and their files."""

from __future__ import annotations

import zipfile
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np
import orjson
import pytest

from helpers.checkpoints import entries
from runoff.errors import DataError, ModelError, UsageError
from runoff.learners import ChainCRF, ChainPerceptron
from runoff.tasks.tagging import Corpus, bracket_spans, brackets_of, clauses_of_parses, evaluate_clauses
from runoff.tasks.tagging.clause_patterns import OF_STARTS, SIDES, with_patterns
from runoff.tasks.tagging.clause_tagger import ClauseTagger
from runoff.tasks.tagging.clause_training import train_clauses
from runoff.tasks.tagging.clauses import best_clauses, boundary_counts
from runoff.tasks.tagging.corpus_parts import TaggedSentences
from runoff.tasks.tagging.tag_sources import TagSource
from runoff.tasks.tagging.tagger import Tagger
from runoff.tasks.tagging.tagger_file import load_tagger
from runoff.tasks.tagging.tagger_round import TaggerRound
from runoff.tasks.tagging.tagger_settings import TaggerSettings
from runoff.tasks.tagging.templates import Templates

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NAMES, THINKING, DOING = ("Ann", "Bob", "Eve"), ("knows", "says", "hopes"), ("left", "sleeps", "sings")


def sentence(rng: np.random.Generator, depth: int) -> list[tuple[str, str, str, str]]:
    """Word, part of speech, chunk and parse of: NAME DOING | NAME THINKING that SENTENCE."""
    name = (str(rng.choice(NAMES)), "NNP", "B-NP", "(S(NP*)")
    if not depth:
        return [name, (str(rng.choice(DOING)), "VBZ", "B-VP", "(VP*))")]
    *inner, last = sentence(rng, depth - 1)
    verb = (str(rng.choice(THINKING)), "VBZ", "B-VP", "(VP*")
    return [name, verb, ("that", "IN", "B-SBAR", "(SBAR*"), *inner, (*last[:3], f"{last[3]})))")]


def corpus_of(count: int, seed: int = 0, *, without: str = "") -> Corpus:
    rng = np.random.default_rng(seed)
    made = []
    for _ in range(count):
        rows = sentence(rng, int(rng.integers(0, 3)))
        rows[0] = (*rows[0][:3], f"(TOP{rows[0][3]}")
        rows[-1] = (*rows[-1][:3], f"{rows[-1][3]})")
        made.append(rows)
    fields = zip(*[row for rows in made for row in rows], strict=True)
    columns = zip(("word", "pos", "chunk", "parse"), fields, strict=True)
    return Corpus.of({name: texts for name, texts in columns if name != without}, sizes=[len(rows) for rows in made])


TRAIN, TEST = corpus_of(60), corpus_of(30, seed=1)


@pytest.fixture(scope="module")
def tagger() -> ClauseTagger:
    return train_clauses(TRAIN, "parse")


def gold(corpus: Corpus) -> list[tuple[int, int]]:
    spans = clauses_of_parses(corpus, "parse")
    return sorted(zip(spans.starts.tolist(), spans.stops.tolist(), strict=True))


# ---------------------------------------------------------------- labels


def test_clauses_of_other_sentences(tagger: ClauseTagger) -> None:
    spans = tagger.spans(TEST)
    # The grammar of these sentences decides their clauses, so that all of them can be found.
    assert sorted(zip(spans.starts.tolist(), spans.stops.tolist(), strict=True)) == gold(TEST)
    column = tagger.label(TEST)
    assert set(column.texts()) == {"*", "(S*", "*S)", "*S)S)S)", "*S)S)S)S)S)"}
    again = bracket_spans(TEST.with_column("found", column), "found")
    assert sorted(zip(again.starts.tolist(), again.stops.tolist(), strict=True)) == gold(TEST)
    assert isinstance(tagger, TagSource)
    assert tagger.needs == ["word", "pos", "chunk"]
    assert repr(tagger).startswith("ClauseTagger(parse: ")


def test_a_column_of_clauses_teaches_the_same_as_one_of_parses(tagger: ClauseTagger) -> None:
    written = TRAIN.with_column("clause", brackets_of(clauses_of_parses(TRAIN, "parse"), TRAIN.offsets))
    other = train_clauses(written)
    assert (other.column, tagger.column) == ("clause", "parse")
    for one, two in zip(tagger.scores(TEST), other.scores(TEST), strict=True):
        assert np.array_equal(one, two)


def test_the_brackets_are_the_best_of_the_scores(tagger: ClauseTagger) -> None:
    starts, ends = tagger.scores(TEST)
    assert np.exp(starts).sum(axis=1) == pytest.approx(1.0)
    opened, closed = boundary_counts(tagger.spans(TEST), TEST.n_tokens)
    for first, stop in zip(TEST.offsets[:-1], TEST.offsets[1:], strict=True):
        rows = np.arange(first, stop)
        _, best = best_clauses(starts[rows], ends[rows])
        assert starts[rows, opened[rows]].sum() + ends[rows, closed[rows]].sum() == pytest.approx(best)


def test_sentences_without_words(tagger: ClauseTagger) -> None:
    empty = Corpus.of({name: [] for name in ("word", "pos", "chunk")}, sizes=[0, 0])
    assert tagger.label(empty).texts() == []
    assert len(tagger.spans(empty[:0])) == 0
    texts = {name: TEST[0][name].texts() for name in ("word", "pos", "chunk")}
    between = Corpus.of(texts, sizes=[0, int(TEST.sizes[0]), 0])
    assert tagger.label(between).texts() == tagger.label(TEST[0]).texts()
    rows = {name: TRAIN[:9][name].texts() for name in TRAIN.columns}
    with_holes = Corpus.of(rows, sizes=[0, *TRAIN.sizes[:9].tolist(), 0])
    assert len(train_clauses(with_holes, "parse").spans(between)) > 0


def test_equal_clauses_can_count_once() -> None:
    twice = Corpus.of({"word": ["a", "b"] * 9, "x": ["(SBAR(S*", "*))"] * 9}, sizes=[2] * 9)
    assert train_clauses(twice, "x").label(twice[0]).texts() == ["(S(S*", "*S)S)"]
    assert train_clauses(twice, "x", keep_equal=False).label(twice[0]).texts() == ["(S*", "*S)"]


def test_dev_sentences_stop_the_training() -> None:
    learner = ChainCRF(solver="sgd", epochs=30, patience=1)
    made = train_clauses(TRAIN, "parse", learner=learner, dev=TEST)
    assert max(made.starts.provenance["steps"], made.ends.provenance["steps"]) < 30
    assert len(made.spans(TEST)) == len(gold(TEST))


def test_one_sentence_is_enough() -> None:
    one = Corpus.of({"word": ["a", "b"], "clause": ["(S*", "*S)"]}, sizes=[2])
    assert train_clauses(one).label(one).texts() == ["(S*", "*S)"]


# ---------------------------------------------------------------- columns


@pytest.mark.parametrize(
    ("without", "needs", "left"),
    [("chunk", ["word", "pos"], "'chunk'"), ("pos", ["word", "chunk"], "'pos'")],
)
def test_columns_that_are_missing(without: str, needs: list[str], left: str) -> None:
    notes: list[str] = []
    made = train_clauses(corpus_of(60, without=without), "parse", notes=notes)
    assert made.needs == needs
    assert len(notes) == 2  # templates of starts and of ends
    assert all(f"templates were left out: the sentences have no column {left}." in note for note in notes)
    found = made.spans(corpus_of(30, seed=1, without=without))
    assert len(found) > 0
    assert made.provenance["notes"] == notes


def test_columns_that_were_there_in_training(tagger: ClauseTagger) -> None:
    for name in ("pos", "chunk", "word"):
        with pytest.raises(UsageError, match=f"look at the column '{name}', and the sentences have none"):
            tagger.label(corpus_of(3, without=name))


@pytest.mark.parametrize(
    ("column", "error", "message"),
    [
        ("role", UsageError, "there is no column 'role'"),
        ("chunk", DataError, r"expected brackets such as \(S\* or \*\) in column 'chunk'"),
        ("phrase", DataError, "column 'phrase' has no clauses: .* there are: NP, VP"),
        ("nothing", DataError, "column 'nothing' has no clauses: .* there are: none"),
    ],
)
def test_columns_that_have_no_clauses(column: str, error: type[Exception], message: str) -> None:
    corpus = Corpus.of(
        {"word": ["a", "b"], "chunk": ["B-NP", "O"], "phrase": ["(NP(VP*)", "*)"], "nothing": ["*", "*"]}, sizes=[2]
    )
    with pytest.raises(error, match=message):
        train_clauses(corpus, column)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"learner": ChainPerceptron()}, "must be a ChainCRF .*, not a ChainPerceptron"),
        ({"folds": 1}, "from 2 to 10; found 1"),
        ({"templates": Templates.parse("word[0]\nparse[-1]")}, "column 'parse', which is to be found"),
        ({"templates": Templates.parse("lemma[0]\ntag[-1]")}, "look at lemma, and the sentences have word"),
    ],
)
def test_options_that_cannot_be(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        train_clauses(TRAIN, "parse", **options)


def test_patterns_are_those_of_a_plain_loop() -> None:
    rng = np.random.default_rng(3)
    starts = rng.integers(0, 3, TEST.n_tokens)
    made = with_patterns(TEST, starts)
    assert set(SIDES) | set(OF_STARTS) <= set(made.columns)
    texts = {name: made[name].texts() for name in made.columns}
    for first, stop in zip(TEST.offsets[:-1].tolist(), TEST.offsets[1:].tolist(), strict=True):
        is_verb = [tag == "VBZ" for tag in texts["pos"][first:stop]]
        opened = starts[first:stop].tolist()
        letters = {"NNP": "n", "VBZ": "V", "IN": "I"}
        pieces = ["[" * n + letters[tag] for n, tag in zip(opened, texts["pos"][first:stop], strict=True)]
        for at in range(stop - first):
            token = first + at
            assert texts["before"][token] == ("^" * 6 + "".join(pieces[: at + 1]))[-6:]
            assert texts["after"][token] == ("".join(pieces[at + 1 :]) + "$" * 6)[:6]
            assert int(texts["verbs-before"][token]) == min(sum(is_verb[:at]), 4)
            assert int(texts["verbs-after"][token]) == min(sum(is_verb[at + 1 :]), 4)
            assert int(texts["starts-before"][token]) == min(sum(opened[: at + 1]), 6)
            assert int(texts["starts-after"][token]) == min(sum(opened[at + 1 :]), 6)
            last = max((k for k in range(at + 1) if opened[k]), default=None)
            assert texts["opener"][token] == ("^" if last is None else texts["word"][first + last].lower())
            assert int(texts["verbs-since"][token]) == min(sum(is_verb[last or 0 : at + 1]), 4)


# ---------------------------------------------------------------- settings


def test_settings_choose_by_the_column(tmp_path: Path) -> None:
    settings = TaggerSettings("clauses", parameters={"epochs": 3})
    assert isinstance(settings.train(TRAIN, "parse"), ClauseTagger)
    plain = corpus_of(9, without="chunk")
    starts, _ = boundary_counts(clauses_of_parses(plain, "parse"), plain.n_tokens)
    numbers = plain.with_column("chunk", ["O"] * plain.n_tokens).with_column("n", map(str, starts.tolist()))
    assert isinstance(settings.train(numbers, "n"), Tagger)
    with pytest.raises(UsageError, match="neither legal nor dictionary"):
        TaggerSettings("clauses", legal="seen").train(TRAIN, "parse")
    with pytest.raises(UsageError, match="must be a ChainCRF"):
        TaggerSettings("clauses", learner="perceptron").train(TRAIN, "parse")
    with pytest.raises(UsageError, match="one bracketing and no n-best lists"):
        TaggerRound(settings).train(TaggedSentences(TRAIN, "parse"), tmp_path / "a.tagger")


def test_every_part_has_a_checkpoint_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    learner = ChainCRF(solver="sgd", epochs=2, checkpoint=str(path))
    first = train_clauses(TRAIN, "parse", learner=learner)
    names = sorted(each.name for each in tmp_path.iterdir() if not each.name.startswith("."))
    assert names == ["kept.ends", "kept.starts", "kept.starts-1", "kept.starts-2", "kept.starts-3"]
    again = train_clauses(TRAIN, "parse", learner=learner)
    for one, two in zip(first.scores(TEST), again.scores(TEST), strict=True):
        assert np.array_equal(one, two)


# ---------------------------------------------------------------- files


def test_a_file_gives_the_same_tagger(tagger: ClauseTagger, tmp_path: Path) -> None:
    path, copy = tmp_path / "a.tagger", tmp_path / "b.tagger"
    tagger.save(path)
    opened = load_tagger(path)
    assert isinstance(opened, ClauseTagger)
    assert (opened.column, opened.provenance, opened.needs) == (tagger.column, tagger.provenance, tagger.needs)
    for one, two in zip(tagger.scores(TEST), opened.scores(TEST), strict=True):
        assert np.array_equal(one, two)
    opened.save(copy)
    assert path.read_bytes() == copy.read_bytes()
    scored = TEST.with_column("found", opened.label(TEST))
    assert evaluate_clauses(scored.with_column("clause", tagger.label(TEST)), "found").score("f") == 100.0


def rewritten(path: Path, members: dict[str, bytes | None]) -> None:
    """A file with these members, without those that are None."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            if content is not None:
                archive.writestr(name, content)


def header(content: bytes, **changes: Any) -> bytes:
    return orjson.dumps({**orjson.loads(content), **changes})


def with_tag(content: bytes) -> bytes:
    tags = orjson.loads(content)["tags"]
    return header(content, tags=[*tags[:-1], "100"])


def with_nan(content: bytes) -> bytes:
    array = np.load(BytesIO(content))
    array[0] = np.nan
    made = BytesIO()
    np.save(made, array)
    return made.getvalue()


TAMPERED: dict[str, tuple[str, Callable[[bytes], bytes | None], str]] = {
    "no header": ("clauses.json", lambda _: None, "is not a Runoff tagger"),
    "another format": ("clauses.json", lambda old: header(old, format="x"), "is not a Runoff tagger"),
    "another version": ("clauses.json", lambda old: header(old, version=9), "has version 9 of the tagger format"),
    "no column": ("clauses.json", lambda old: header(old, column=""), "'column' must have texts"),
    "no provenance": ("clauses.json", lambda old: header(old, provenance=[]), "'provenance' must be an object"),
    "no JSON": ("clauses.json", lambda _: b"{", "clauses.json is not JSON"),
    "no ends": ("ends/tagger.json", lambda _: None, "is not a Runoff tagger"),
    "no vector": ("ends/vector.npy", lambda _: None, "ends/vector.npy is missing"),
    "tags that are no numbers": ("starts/tagger.json", with_tag, "tags of starts must be numbers from 0 to 99"),
    "a perceptron": (
        "ends/tagger.json",
        lambda old: header(old, is_probabilistic=False),
        "the tagger of ends gives no probabilities",
    ),
    "a dictionary": (
        "ends/tagger.json",
        lambda old: header(old, words=[["a", [0]]]),
        "the tagger of ends must not be limited",
    ),
    "weights that are no numbers": ("starts/vector.npy", with_nan, "not finite"),
}


@pytest.mark.parametrize("what", TAMPERED)
def test_a_changed_file_is_refused(tagger: ClauseTagger, tmp_path: Path, what: str) -> None:
    name, change, message = TAMPERED[what]
    whole, changed = tmp_path / "a.tagger", tmp_path / "b.tagger"
    tagger.save(whole)
    members = entries(whole)
    rewritten(changed, {**members, name: change(members[name])})
    with pytest.raises(ModelError, match=message):
        load_tagger(changed)


def test_any_member_that_is_missing_or_cut_is_a_sentence(tmp_path: Path) -> None:
    whole, changed = tmp_path / "a.tagger", tmp_path / "b.tagger"
    train_clauses(TRAIN, "parse", templates=Templates.parse("word[0]\npos[0] start[0]\ntag[-1]")).save(whole)
    members = entries(whole)
    for name, content in members.items():
        for other in (None, content[: len(content) // 2]):
            rewritten(changed, {**members, name: other})
            with pytest.raises(ModelError, match="not a Runoff tagger"):
                load_tagger(changed)

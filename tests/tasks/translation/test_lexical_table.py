import math

import numpy as np
import pyarrow as pa
import pytest

from runoff.errors import ModelError, UsageError
from runoff.metrics.tokens import tokenised
from runoff.tasks.translation.aligner import align_bitext
from runoff.tasks.translation.alignments import Alignments
from runoff.tasks.translation.bitext import Bitext
from runoff.tasks.translation.lexical_table import LexicalTable

SOURCE, TARGET = ["the house", "the book", "a book", "the"], ["das Haus", "das Buch", "ein Buch", "das das"]


def texts(lines):
    return tokenised(lines, str.split)


@pytest.fixture(scope="module")
def table():
    return align_bitext(Bitext(texts(SOURCE), texts(TARGET)), "model1").direct


def slow_log_probability(table, source, target, floor):
    """Brown et al. (1993), equation 6, without epsilon; word by word."""
    places = [None, *source.split()]
    return sum(math.log(max(sum(table.probability(e, f) for e in places) / len(places), floor)) for f in target.split())


def test_log_probabilities_are_those_of_the_formula_for_texts_over_other_words(table):
    ours = ["book a the", "the house new", "", "the house", "unknown words"]
    theirs = ["ein Buch neu", "Haus das", "das Haus", "", "ganz neu"]
    found = table.log_probability(texts(ours), texts(theirs), floor=1e-6)
    expected = [slow_log_probability(table, *pair, 1e-6) for pair in zip(ours, theirs, strict=True)]
    assert found.tolist() == pytest.approx(expected, rel=1e-6)
    assert found[3] == 0.0
    assert found[4] == pytest.approx(2 * math.log(1e-6))


def test_candidates_share_a_source_text(table):
    rng = np.random.default_rng(0)
    words = np.array(["das", "Haus", "Buch", "ein", "neu"])
    candidates = [" ".join(rng.choice(words, rng.integers(0, 6))) for _ in range(200)]
    source_of = rng.integers(0, 3, 200)  # not even in order
    found = table.log_probability(texts(SOURCE[:3]), texts(candidates), source_of=source_of)
    alone = table.log_probability(texts([SOURCE[at] for at in source_of]), texts(candidates))
    assert found.tolist() == alone.tolist()


def test_bits_do_not_depend_on_threads(table, monkeypatch):
    candidates = texts(TARGET * 50)
    results = []
    for threads in ("1", "2"):
        monkeypatch.setenv("RUNOFF_THREADS", threads)
        results.append(table.log_probability(texts(SOURCE * 50), candidates).tobytes())
    assert results[0] == results[1]


def test_counts_of_links_are_relative_frequencies():
    # Koehn, Och and Marcu (2003): w(f | e) = count(f, e) / sum of counts of e; words without link belong to NULL.
    bitext = Bitext(texts(["a b", "a", ""]), texts(["x y z", "y x", "z"]))
    links = Alignments.of([[(0, 0), (1, 1), (0, 1)], [(0, 0)], []])
    table = LexicalTable.counted(bitext, links)
    assert table.translations("a") == [("y", pytest.approx(2 / 3)), ("x", pytest.approx(1 / 3))]
    assert table.translations("b") == [("y", 1.0)]
    assert table.translations(None) == [("z", pytest.approx(2 / 3)), ("x", pytest.approx(1 / 3))]
    assert LexicalTable.from_arrays(table.to_arrays(), table.source_words, table.target_words) is not None


def test_lookup_takes_null_and_unknown_words(table):
    names = table.source_words.to_pylist()
    the, das = names.index("the"), table.target_words.to_pylist().index("das")
    found = table.lookup(np.array([the, -1, -2, the, len(names)]), np.array([das, das, das, -1, das]))
    assert found.tolist() == [table.probability("the", "das"), table.probability(None, "das"), 0.0, 0.0, 0.0]
    assert table.translations("nothing") == []
    assert table.probability("nothing", "das") == table.probability("the", "nichts") == 0.0


def test_pruning_leaves_the_others_as_they_are(table):
    pruned = table.pruned(0.2)
    assert 0 < len(pruned) < len(table)
    assert pruned.translations("the") == [each for each in table.translations("the") if each[1] >= 0.2]
    LexicalTable.from_arrays(pruned.to_arrays(), pruned.source_words, pruned.target_words)


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("starts", lambda x: x[:-1], "starts"),
        ("starts", lambda x: x[::-1].copy(), "starts"),
        ("starts", lambda x: x + 1, "starts"),
        ("starts", lambda x: x.astype(np.int32), "int64"),
        ("words", lambda x: np.full_like(x, 99), "below"),
        ("words", lambda x: -x - 1, "below"),
        ("words", lambda x: np.zeros_like(x), "sorted"),
        ("words", lambda x: x.reshape(1, -1), "one row"),
        ("probabilities", lambda x: x + 1, "from 0 to 1"),
        ("probabilities", lambda x: x * np.float32(np.nan), "from 0 to 1"),
        ("probabilities", lambda x: x[:-1], "from 0 to 1"),
    ],
)
def test_broken_arrays_are_refused(table, name, change, message):
    arrays = {**table.to_arrays(), name: change(table.to_arrays()[name])}
    with pytest.raises(ModelError, match=message):
        LexicalTable.from_arrays(arrays, table.source_words, table.target_words)


def test_missing_arrays_and_wrong_arguments_are_refused(table):
    with pytest.raises(ModelError, match="found words"):
        LexicalTable.from_arrays({"words": table.words}, table.source_words, table.target_words)
    with pytest.raises(UsageError, match="1 source texts and 2 target"):
        table.log_probability(texts(["a"]), texts(["a", "b"]))
    with pytest.raises(UsageError, match="number of a source text"):
        table.log_probability(texts(["a"]), texts(["a", "b"]), source_of=np.array([0, 1]))
    with pytest.raises(UsageError, match="above 0"):
        table.log_probability(texts(["a"]), texts(["a"]), floor=0)


def test_an_empty_table_is_a_table():
    none = pa.array([], pa.large_string())
    table = LexicalTable.from_arrays(
        {"starts": np.zeros(2, np.int64), "words": np.zeros(0, np.int32), "probabilities": np.zeros(0, np.float32)},
        none,
        none,
    )
    assert table.log_probability(texts(["a"]), texts(["b"]), floor=0.5).tolist() == [math.log(0.5)]
    assert table.log_probability(texts([]), texts([])).size == 0

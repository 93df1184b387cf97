"""ARPA files, and language models as arrays of model files."""

from __future__ import annotations

import contextlib
import gzip
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from helpers.mutations import mutants
from runoff.errors import DataError, ModelError, RunoffError, UsageError
from runoff.features.lm import LanguageModel, estimate, open_model, read_arpa, write_arpa
from runoff.metrics.tokens import Tokens, tokenised

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = ["the cat sat on the mat", "the dog sat on the log", "a cat and a dog ran", "", "the cat saw the dog ü 東"]
LINES = r"""\data\
ngram 1=4
ngram 2=2

\1-grams:
-1.0\t<unk>
-99\t<s>\t-0.5
-0.5\t</s>
-0.25\ta\t-0.125

\2-grams:
-0.1\t<s> a
-0.3\ta </s>

\end\
""".replace("\\t", "\t")


def words(texts: list[str]) -> Tokens:
    return tokenised(texts, lambda piece: [piece])


def same(one: LanguageModel, other: LanguageModel) -> bool:
    mine, yours = one.to_arrays(), other.to_arrays()
    return all(np.array_equal(mine[name], yours[name]) for name in mine)


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "small.arpa"
    path.write_text(LINES)
    return path


@pytest.mark.parametrize("order", [1, 2, 3, 6])
def test_what_is_written_is_read_back(order: int, tmp_path: Path) -> None:
    grams = estimate(words(TEXTS), order)
    write_arpa(grams, tmp_path / "a.arpa")
    (tmp_path / "a.arpa.gz").write_bytes(gzip.compress((tmp_path / "a.arpa").read_bytes()))
    assert same(read_arpa(tmp_path / "a.arpa"), LanguageModel.of(grams))
    assert same(read_arpa(tmp_path / "a.arpa.gz"), LanguageModel.of(grams))


def test_blocks_of_lines_make_no_difference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    grams = estimate(words(TEXTS))
    write_arpa(grams, tmp_path / "a.arpa")
    monkeypatch.setattr("runoff.features.lm.arpa._BLOCK", 3)
    assert same(read_arpa(tmp_path / "a.arpa"), LanguageModel.of(grams))


def test_a_word_that_no_arpa_file_can_have(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="the model has the word '</s>', which an ARPA file cannot represent"):
        write_arpa(estimate(words(["a </s>"])), tmp_path / "a.arpa")


def test_numbers_of_an_arpa_file_by_hand(small: Path) -> None:
    scores = read_arpa(small).score(words(["a", "", "b", "a a"]))
    # "a": -0.1 - 0.3; "": back-off of <s> -0.5 and -0.5; "b": -0.5 - 1 and then -0.5 (<unk> has no back-off);
    # "a a": -0.1, back-off of a -0.125 and -0.25, -0.3
    assert scores.total == pytest.approx([-0.4, -1.0, -2.0, -0.775])
    assert scores.lowest == pytest.approx([-0.3, -1.0, -1.5, -0.375])
    assert scores.unknown.tolist() == [0, 0, 1, 0]


def test_files_of_other_tools(small: Path) -> None:
    expected = read_arpa(small)
    # white space of other kinds, text before the data, <UNK> written large, a log of zero
    other = "made by hand\n\n" + LINES.replace("\t", "  ").replace("\n", "\r\n").replace("<unk>", "<UNK>")
    small.write_text(other.replace("-99", "-inf"), newline="")
    assert same(read_arpa(small), expected)


def test_without_an_unknown_word_it_is_as_in_kenlm(small: Path) -> None:
    small.write_text(LINES.replace("-1.0\t<unk>\n", "").replace("1=4", "1=3"))
    model = read_arpa(small)
    assert "no <unk>" in model.notes[0]
    assert model.score(words(["b"])).total[0] == pytest.approx(-0.5 - 100 - 0.5)  # KenLM: unknown_missing_logprob


def test_a_model_with_gaps_is_looked_up_in_full(small: Path) -> None:
    # Pruned models of SRILM may have "a b c" without "b c"; the longest n-gram counts all the same.
    text = LINES.replace("1=4", "1=5").replace("-0.25\ta", "-2\tb\n-0.25\ta").replace("2=2", "2=2\nngram 3=1")
    small.write_text(text.replace("\\end", "\\3-grams:\n-0.01\t<s> b b\n\n\\end"))
    # back-off of <s> -0.5 and b -2; <s> b b -0.01; the end -0.5
    assert read_arpa(small).score(words(["b b"])).total[0] == pytest.approx(-3.01)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("\\data\\", "data", r"small.arpa: it is not an ARPA file: it has no line \\data"),
        ("ngram 2=2", "ngram 3=2", "line 3: expected the number of 2-grams, found 'ngram 3=2'"),
        ("ngram 2=2", f"ngram 2={'9' * 5000}", "line 3: expected 'ngram 1=' with a number or .*found 'ngram 2=9999"),
        ("ngram 2=2", f"ngram {'9' * 5000}=2", "line 3: expected 'ngram 1=' with a number or .*found 'ngram 9999"),
        ("ngram 2=2", "bigrams: 2", "line 3: expected 'ngram 1=' with a number or .*found 'bigrams: 2'"),
        ("ngram 2=2", "ngram 2=3", "line 14: expected a log10 probability and 2 words; found ''"),
        ("ngram 2=2", "ngram 2=1", "line 13: after 1 2-grams, the number in the header, expected .*found '-0.3"),
        ("ngram 1=4", "ngram 1=3", r"line 9: after 3 1-grams, the number in the header, expected \\2-grams:"),
        ("-0.25\ta", "much\ta", "line 9: expected a number, found 'much'"),
        ("-0.25\ta", "-1_0\ta", "line 9: expected a number, found '-1_0'"),  # Python reads it, no other program does
        ("-0.25\ta", "-٣\ta", "line 9: expected a number, found '-٣'"),
        ("-0.25\ta", "1e300\ta", "line 9: expected a number, found '1e300'"),
        ("-0.25\ta", "nan\ta", "line 9: expected a number, found 'nan'"),
        ("-0.25\ta", "0.25\ta", "line 9: a log10 probability must not be above 0; found 0.25"),
        ("-0.125", "x", "line 9: expected a number, found 'x'"),
        ("-0.25\ta\t-0.125", "-0.25", "line 9: expected a log10 probability and 1 word, and optionally a back-off"),
        ("-0.3\ta </s>", "-0.3\tb </s>", "line 13: 'b' is not among the 1-grams"),
        ("-0.3\ta </s>", "-0.3\ta </s>\t-0.1", "line 13: expected a log10 probability and 2 words; found"),
        ("-0.3\ta </s>", "-0.3\t<s> a", "small.arpa: the n-gram '<s> a' is in the model twice"),
        ("-0.5\t</s>", "-0.5\tb", "'</s>' is not among the 1-grams"),
        ("\\end\\", "", "ends after 2 2-grams"),
        ("\\2-grams:\n-0.1\t<s> a\n-0.3\ta </s>\n\n\\end\\\n", "\\2-grams:\n", "the file ends within its 2-grams"),
    ],
)
@pytest.mark.filterwarnings("error")
def test_malformed_files(small: Path, old: str, new: str, message: str) -> None:
    assert old in LINES
    small.write_text(LINES.replace(old, new))
    with pytest.raises(DataError, match=message):
        read_arpa(small)


@pytest.mark.parametrize(("count", "seed"), [(50, 1), pytest.param(5000, 2, marks=pytest.mark.slow)])
@pytest.mark.filterwarnings("error")
def test_damaged_files_are_read_or_refused_in_a_sentence(small: Path, count: int, seed: int) -> None:
    tokens = rb"\data\ \2-grams: \end\ ngram 1= 2=2 -0.5 0.5 -1e300 nan -inf 1_0 0x1 a <s> </s> <unk> 99999".split()
    for content in mutants([LINES.encode()], count, seed, [*tokens, b"\n", b"\t", b" ", b"\xff", b"\0", b"7" * 5000]):
        small.write_bytes(content)
        with contextlib.suppress(RunoffError):  # that nothing else is raised is the test
            open_model(small)


def test_files_that_are_no_text(small: Path) -> None:
    small.write_bytes(LINES.encode().replace(b"a </s>", b"\xff </s>"))
    with pytest.raises(DataError, match="line 13: the line is not UTF-8"):
        read_arpa(small)
    small.write_bytes(gzip.compress(LINES.encode())[:-20])
    with pytest.raises(DataError, match="the compressed file ends too early"):
        read_arpa(small)
    with pytest.raises(DataError, match="no such file"):
        open_model(small.with_name("nowhere.arpa"))
    small.write_text(LINES.replace("ngram 2=2", "\n".join(f"ngram {n}=0" for n in range(2, 9))))
    with pytest.raises(DataError, match="up to 6 words"):
        read_arpa(small)


def test_arrays_and_back() -> None:
    model = LanguageModel.train(words(TEXTS))
    back = LanguageModel.from_arrays(model.to_arrays())
    assert same(model, back)
    assert back.score(words(["the cat", "new"])).total.tolist() == model.score(words(["the cat", "new"])).total.tolist()


def spoiled(name: str, change: Any) -> dict[str, Any]:
    arrays = {each: array.copy() for each, array in LanguageModel.train(words(TEXTS)).to_arrays().items()}
    arrays[name] = change(arrays[name])
    return arrays


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("order", lambda order: order + 6, "order"),
        ("order", lambda order: order * 0.5, "order"),
        ("order", lambda order: order[:0], "order"),
        ("keys", lambda keys: keys[::-1], "out of order"),
        ("keys", lambda keys: np.repeat(keys[:1], keys.size), "out of order"),
        ("keys", lambda keys: keys[1:], "do not match"),
        ("keys", lambda keys: keys.astype(np.int64), "do not match"),
        ("keys", lambda keys: np.arange(keys.size, dtype=np.uint64), "the unknown word is missing"),
        ("values", lambda values: values[2:], "do not match"),
        ("values", lambda values: values * np.float32(np.nan), "invalid probabilities"),
        ("values", lambda values: np.abs(values) + np.float32(1), "invalid probabilities"),
        ("values", lambda values: values.astype(np.float64), "do not match"),
    ],
)
def test_damaged_arrays(name: str, change: Any, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        LanguageModel.from_arrays(spoiled(name, change))


def test_missing_arrays() -> None:
    with pytest.raises(ModelError, match="it has no values"):
        LanguageModel.from_arrays({"order": np.array([1]), "keys": np.zeros(0, np.uint64)})

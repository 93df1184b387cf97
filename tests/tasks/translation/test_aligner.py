"""Word alignment as a whole: what is planted is found, whatever the pieces; the models are tested with the kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from helpers.planted_bitext import planted_bitext
from runoff.errors import UsageError
from runoff.metrics.tokens import tokenised
from runoff.tasks.translation import word_probabilities
from runoff.tasks.translation.aligner import Model, align_bitext
from runoff.tasks.translation.alignment_quality import alignment_error
from runoff.tasks.translation.bitext import Bitext
from runoff.tasks.translation.word_probabilities import SentencePairs, WordProbabilities

if TYPE_CHECKING:
    from runoff.tasks.translation.aligner import WordAlignment

MODELS: tuple[Model, ...] = ("model1", "hmm", "diagonal")


def bitext_of(source: list[str], target: list[str]) -> Bitext:
    return Bitext(tokenised(source, str.split), tokenised(target, str.split))


def same(one: WordAlignment, other: WordAlignment) -> bool:
    tables = [(one.direct, other.direct), (one.inverse, other.inverse)]
    return (
        one.alignments.to_pharaoh() == other.alignments.to_pharaoh()
        and all(np.array_equal(a.probabilities, b.probabilities) for a, b in tables)
        and [x.log_likelihood for x in one.report.iterations] == [x.log_likelihood for x in other.report.iterations]
    )


def test_planted_links_are_found_and_better_models_find_more() -> None:
    planted = planted_bitext(1_000, seed=1, words=400)
    errors = {
        model: alignment_error(align_bitext(planted.bitext, model).alignments, planted.alignments) for model in MODELS
    }
    assert errors["hmm"].error_rate < errors["diagonal"].error_rate < errors["model1"].error_rate
    assert errors["hmm"].error_rate < 0.08
    assert errors["model1"].error_rate < 0.2
    posterior = alignment_error(align_bitext(planted.bitext, decoding="posterior").alignments, planted.alignments)
    assert posterior.error_rate < 0.08


def test_symmetrisation_trades_precision_for_recall() -> None:
    planted = planted_bitext(600, seed=2, words=300)
    found = {
        how: alignment_error(align_bitext(planted.bitext, symmetrise=how).alignments, planted.alignments)  # type: ignore[arg-type]
        for how in ("intersection", "forward", "grow-diag-final-and", "union")
    }
    assert found["intersection"].precision > found["forward"].precision > found["union"].precision
    assert found["intersection"].recall < found["grow-diag-final-and"].recall < found["union"].recall


@pytest.mark.parametrize("model", MODELS)
def test_results_depend_neither_on_threads_nor_on_what_is_kept(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    bitext = planted_bitext(60, seed=3, words=60).bitext
    one = align_bitext(bitext, model, threads=1)
    assert same(one, align_bitext(bitext, model, threads=3))
    # Where there are too many cells to keep their places, these are found anew in every pass, some at a time.
    monkeypatch.setattr(word_probabilities, "_KEPT_CELLS", 0)
    monkeypatch.setattr(word_probabilities, "_BLOCK_CELLS", 100)
    again = align_bitext(bitext, model, threads=3)
    assert again.alignments.to_pharaoh() == one.alignments.to_pharaoh()
    np.testing.assert_allclose(again.direct.probabilities, one.direct.probabilities, rtol=1e-5, atol=1e-12)


def test_a_lexicon_has_the_words_that_stand_opposite_each_other() -> None:
    texts = planted_bitext(40, seed=4, words=30).bitext
    pairs = SentencePairs.of(texts.source, texts.target)

    def apply(function: Any, items: Any) -> list[Any]:
        return [function(item) for item in items]

    found = WordProbabilities.of(pairs, len(texts.source.spelling), len(texts.target.spelling), apply)
    expected: list[set[int]] = [set() for _ in range(len(texts.source.spelling) + 1)]
    for at in range(len(texts)):
        theirs = texts.target.ids[texts.target.offsets[at] : texts.target.offsets[at + 1]].tolist()
        expected[0].update(theirs)  # NULL
        for word in texts.source.ids[texts.source.offsets[at] : texts.source.offsets[at + 1]].tolist():
            expected[word + 1].update(theirs)
    rows = [found.words[found.starts[row] : found.starts[row + 1]].tolist() for row in range(len(expected))]
    assert rows == [sorted(row) for row in expected]
    assert set(found.probabilities.tolist()) == {1 / len(expected[0])}


def test_pairs_with_an_empty_side_or_too_many_words_get_no_links() -> None:
    source, target = ["a b", "", "a", "a b c d", "b"], ["x y", "x", "", "x y z w", "y"]
    found = align_bitext(bitext_of(source, target), "model1", longest=3)
    assert (found.report.pairs, found.report.skipped_empty, found.report.skipped_long) == (2, 2, 1)
    assert [len(found.alignments.links(at)) > 0 for at in range(5)] == [True, False, False, False, True]
    nothing = align_bitext(bitext_of(["", "a"], ["x", ""]))
    assert nothing.alignments.to_pharaoh() == ["", ""]
    assert len(align_bitext(bitext_of([], [])).alignments) == 0


def test_the_report_tells_every_pass() -> None:
    found = align_bitext(planted_bitext(30, seed=5).bitext, "hmm", iterations=3)
    passes = [(each.direction, each.model, each.number) for each in found.report.iterations]
    assert passes == [(d, m, n) for d in ("forward", "backward") for m in ("model1", "hmm") for n in range(3)]
    last = found.report.iterations[-1]
    words = found.report.log_likelihoods("backward", "hmm")[-1], last.perplexity
    assert words[1] == pytest.approx(np.exp(-words[0] / planted_bitext(30, seed=5).bitext.source.ids.size))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"model": "model2"}, "no model 'model2' of word aligners; there are: model1, hmm, diagonal"),
        ({"decoding": "best"}, "no decoding 'best' of word aligners"),
        ({"smoothing": "kn"}, "no smoothing 'kn' of word aligners"),
        ({"iterations": 0}, "iterations of a word aligner must be at least 1; found 0"),
        ({"longest": 0}, "longest of a word aligner must be at least 1"),
        ({"alpha": float("nan")}, "alpha of a word aligner must be a positive number; found nan"),
        ({"null": 1.0}, "null of a word aligner must be a number above 0 and below 1; found 1.0"),
        ({"symmetrise": "both"}, "no symmetrisation 'both' of word aligners; there are: forward, backward, "),
    ],
)
def test_mistakes_are_told(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        align_bitext(bitext_of(["a"], ["x"]), **options)

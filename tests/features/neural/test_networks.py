"""Scores of neural models: each is that of a slow computation, one text at a time, by transformers alone."""

import math
import random
from pathlib import Path

import numpy as np
import pytest

from helpers.tiny_networks import WORDS, save_causal, save_classifier, save_masked, save_reward
from runoff.errors import UsageError
from runoff.features.neural import CandidateTexts, NeuralModel, NeuralScorer

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'runoff[neural]'")
transformers = pytest.importorskip("transformers", reason="transformers is not installed: pip install 'runoff[neural]'")

RNG = random.Random(5)
TEXTS = ["", "the cat", "a zebra sat", *(" ".join(RNG.choices(WORDS, k=RNG.randint(1, 9))) for _ in range(60))]
INPUTS = [" ".join(RNG.choices(WORDS, k=RNG.randint(0, 8))) for _ in TEXTS]
PAIRS = CandidateTexts(TEXTS, INPUTS)


def close(found: np.ndarray, expected: object) -> None:
    np.testing.assert_allclose(found, np.array(expected, float), rtol=1e-5, atol=1e-5)


def loaded(kind: str, folder: Path):
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    return getattr(transformers, kind).from_pretrained(folder).eval(), tokenizer


def test_a_cross_encoder_reads_pairs(tmp_path: Path) -> None:
    save_classifier(tmp_path)
    names, found = NeuralScorer(NeuralModel("cross-encoder", str(tmp_path)), "cpu").columns(PAIRS)
    network, tokenizer = loaded("AutoModelForSequenceClassification", tmp_path)
    with torch.no_grad():
        expected = [
            network(**tokenizer(given, text, return_tensors="pt", truncation=True)).logits[0].tolist()
            for given, text in zip(INPUTS, TEXTS, strict=True)
        ]
    assert names == ("cross-encoder:score",)
    close(found, expected)
    assert np.ptp(found) > 0.01


def test_a_cross_encoder_is_that_of_sentence_transformers(tmp_path: Path) -> None:
    package = pytest.importorskip("sentence_transformers", reason="sentence-transformers is not installed")
    save_classifier(tmp_path / "plain")
    encoder = package.CrossEncoder(str(tmp_path / "plain"), local_files_only=True)
    encoder.save_pretrained(str(tmp_path / "saved"))  # as people have them
    _, found = NeuralScorer(NeuralModel("cross-encoder", str(tmp_path / "saved")), "cpu").columns(PAIRS)
    expected = encoder.predict(list(zip(INPUTS, TEXTS, strict=True)), activation_fn=torch.nn.Identity())
    # An empty second text is left out there, and stands between its marks here, as transformers itself has it.
    close(found[1:, 0], expected[1:])


def test_every_label_of_a_classifier_is_a_column_and_texts_may_be_alone(tmp_path: Path) -> None:
    save_classifier(tmp_path, labels=3)
    names, found = NeuralScorer(NeuralModel("cross-encoder", str(tmp_path)), "cpu").columns(CandidateTexts(TEXTS))
    network, tokenizer = loaded("AutoModelForSequenceClassification", tmp_path)
    with torch.no_grad():
        expected = [network(**tokenizer(text, return_tensors="pt")).logits[0].tolist() for text in TEXTS]
    assert names == tuple(f"cross-encoder:LABEL_{at}" for at in range(3))
    close(found, expected)


def test_a_reward_model_reads_chats_to_their_end(tmp_path: Path) -> None:
    save_reward(tmp_path)
    _, found = NeuralScorer(NeuralModel("reward", str(tmp_path)), "cpu").columns(PAIRS)
    network, tokenizer = loaded("AutoModelForSequenceClassification", tmp_path)
    expected = []
    for given, text in zip(INPUTS, TEXTS, strict=True):
        ids = tokenizer(f"user : {given} [SEP]assistant : {text} [SEP]", return_tensors="pt")["input_ids"]
        with torch.no_grad():  # the score is that of the last token, which Llama's class also finds for one text
            hidden = network.model(ids).last_hidden_state[0, -1]
            expected.append(network.score(hidden).tolist())
    close(found, expected)
    with pytest.raises(UsageError, match="it has 2 outputs; cross-encoder=FOLDER gives them all"):
        NeuralScorer(NeuralModel("reward", str(save_classifier(tmp_path / "two", labels=2))), "cpu").columns(PAIRS)


def causal_by_hand(folder: Path, prompt: str, given: str, text: str) -> list[float]:
    network, tokenizer = loaded("AutoModelForCausalLM", folder)
    before = [tokenizer.eos_token_id, *tokenizer(prompt.replace("{input}", given))["input_ids"]]
    own, found = tokenizer(text)["input_ids"], []
    for at, token in enumerate(own):
        with torch.no_grad():
            logits = network(torch.tensor([before + own[:at]])).logits[0, -1].double()
        found.append(float(torch.log_softmax(logits, -1)[token]))
    return [sum(found), sum(found) / len(found), min(found)] if found else [0.0, 0.0, 0.0]


@pytest.mark.parametrize("prompt", ["", "what did {input} see ?"])
def test_a_causal_model_gives_the_log_probability(tmp_path: Path, prompt: str) -> None:
    save_causal(tmp_path)
    names, found = NeuralScorer(NeuralModel("causal-lm", str(tmp_path), prompt), "cpu").columns(PAIRS)
    assert names == ("causal-lm:log-probability", "causal-lm:per token", "causal-lm:worst token")
    few = slice(0, 20)
    close(found[few], [causal_by_hand(tmp_path, prompt, *pair) for pair in zip(INPUTS[few], TEXTS[few], strict=True)])


def test_a_masked_model_gives_the_pseudo_log_likelihood(tmp_path: Path) -> None:
    save_masked(tmp_path)
    _, found = NeuralScorer(NeuralModel("masked-lm", str(tmp_path)), "cpu").columns(CandidateTexts(TEXTS))
    network, tokenizer = loaded("AutoModelForMaskedLM", tmp_path)
    expected = []
    for text in TEXTS:
        ids, values = tokenizer(text)["input_ids"], []
        for at in range(1, len(ids) - 1):  # Salazar et al. (2020): [CLS] and [SEP] are not scored
            masked = [*ids[:at], tokenizer.mask_token_id, *ids[at + 1 :]]
            with torch.no_grad():
                logits = network(torch.tensor([masked])).logits[0, at].double()
            values.append(float(torch.log_softmax(logits, -1)[ids[at]]))
        expected.append([sum(values), sum(values) / len(values), min(values)] if values else [0.0, 0.0, 0.0])
    close(found, expected)


def test_what_is_too_long_is_cut_and_counted(tmp_path: Path) -> None:
    long = " ".join(["the cat sat on"] * 20)
    few = CandidateTexts([long, "a cat"], ["a dog", long])
    for kind, save, limit, cut in (
        ("cross-encoder", save_classifier, 24, 2),
        ("masked-lm", save_masked, 19, 1),  # of 20 places the first belongs to padding
        ("causal-lm", save_causal, 24, 2),
    ):
        folder = str(save(tmp_path / kind))
        prompt = "{input} . " if kind == "causal-lm" else ""
        scorer = NeuralScorer(NeuralModel(kind, folder, prompt), "cpu")
        assert np.isfinite(scorer.columns(few)[1]).all()
        assert scorer.network.limit == limit
        assert scorer.cut == cut
        assert f"{cut} texts were cut" in scorer.notes()[0]


def test_the_same_texts_in_any_order_have_the_same_bits_and_copies_are_scored_once(tmp_path: Path) -> None:
    save_classifier(tmp_path)
    model = NeuralModel("cross-encoder", str(tmp_path))
    order = [*range(len(TEXTS)), 3, 4]
    RNG.shuffle(order)
    first = NeuralScorer(model, "cpu").columns(PAIRS)[1]
    scorer = NeuralScorer(model, "cpu")
    second = scorer.columns(CandidateTexts([TEXTS[at] for at in order], [INPUTS[at] for at in order]))[1]
    assert (first[order] == second).all()
    assert scorer.scored == len(set(zip(INPUTS, TEXTS, strict=True)))


def test_an_interrupted_run_goes_on_to_the_same_bits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = NeuralModel("masked-lm", str(save_masked(tmp_path / "m")))
    texts = CandidateTexts(TEXTS)
    monkeypatch.setattr("runoff.features.neural.networks._TOKENS", {"cpu": 40})  # many batches
    whole = NeuralScorer(model, "cpu").columns(texts)[1]
    broken = NeuralScorer(model, "cpu", tmp_path / "kept")
    plain, left = broken.network.scores, iter(range(9))

    def interrupted(batch):
        if next(left, None) is None:
            raise KeyboardInterrupt
        return plain(batch)

    monkeypatch.setattr(broken.network, "scores", interrupted)
    with pytest.raises(KeyboardInterrupt):
        broken.columns(texts)
    resumed = NeuralScorer(model, "cpu", tmp_path / "kept")
    assert (resumed.columns(texts)[1] == whole).all()
    assert 0 < resumed.scored < len(set(TEXTS))
    again = NeuralScorer(model, "cpu", tmp_path / "kept")
    assert (again.columns(texts)[1] == whole).all()
    assert again._network is None  # all is known: nothing is loaded


def test_wide_batches_and_narrow_ones_agree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = NeuralModel("causal-lm", str(save_causal(tmp_path)))
    wide = NeuralScorer(model, "cpu").columns(PAIRS)[1]
    monkeypatch.setattr("runoff.features.neural.networks._TOKENS", {"cpu": 1})
    close(NeuralScorer(model, "cpu").columns(PAIRS)[1], wide)


def test_weights_that_lack_their_head_are_refused(tmp_path: Path) -> None:
    save_masked(tmp_path)  # transformers would make up the weights of a classifier
    with pytest.raises(UsageError, match=r"is no cross-encoder: its weights lack classifier\..* and 3 more"):
        NeuralScorer(NeuralModel("cross-encoder", str(tmp_path)), "cpu").columns(PAIRS)


def test_other_damage_is_a_sentence(tmp_path: Path) -> None:
    save_classifier(tmp_path)
    weights = tmp_path / "model.safetensors"
    whole = weights.read_bytes()
    weights.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(UsageError, match="cannot be loaded as a cross-encoder"):
        NeuralScorer(NeuralModel("cross-encoder", str(tmp_path)), "cpu").columns(PAIRS)
    weights.write_bytes(whole)
    with pytest.raises(UsageError, match="there is no device 'tpu9'"):
        NeuralScorer(NeuralModel("cross-encoder", str(tmp_path)), "tpu9").columns(PAIRS)
    if not torch.cuda.is_available():
        with pytest.raises(UsageError, match="this torch sees 0 of them"):
            NeuralScorer(NeuralModel("cross-encoder", str(tmp_path)), "cuda").columns(PAIRS)


def test_half_precision_is_near(tmp_path: Path) -> None:
    network, _ = loaded("AutoModelForSequenceClassification", save_classifier(tmp_path))
    whole = NeuralScorer(NeuralModel("cross-encoder", str(tmp_path)), "cpu").columns(PAIRS)[1]
    network.to(torch.bfloat16).save_pretrained(tmp_path)
    half = NeuralScorer(NeuralModel("cross-encoder", str(tmp_path), dtype="auto"), "cpu")
    found = half.columns(PAIRS)[1]
    assert half.network.network.dtype == torch.bfloat16
    assert 0 < math.sqrt(np.square(found - whole).mean()) < 0.2 * float(whole.std())

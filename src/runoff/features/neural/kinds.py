"""The kinds of neural models that score candidates."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class NeuralKind:
    """A kind of model: what it is, the class of transformers that loads it, and the class here that scores with it."""

    name: str
    what: str
    loader: str
    network: str
    reads_input: bool  # whether its scores depend on the input of the list
    takes_prompt: bool = False


KINDS = {
    kind.name: kind
    for kind in (
        NeuralKind(
            "cross-encoder",
            "a model that reads input and candidate together: a CrossEncoder of sentence-transformers, or any "
            "classifier of transformers",
            "AutoModelForSequenceClassification",
            "CrossEncoder",
            reads_input=True,
        ),
        NeuralKind(
            "reward",
            "a reward model: a classifier with one output for a prompt and its answer",
            "AutoModelForSequenceClassification",
            "RewardModel",
            reads_input=True,
        ),
        NeuralKind(
            "causal-lm",
            "log-probability by a language model that reads from left to right",
            "AutoModelForCausalLM",
            "CausalModel",
            reads_input=False,
            takes_prompt=True,
        ),
        NeuralKind(
            "masked-lm",
            "pseudo-log-likelihood by a masked language model",
            "AutoModelForMaskedLM",
            "MaskedModel",
            reads_input=False,
        ),
    )
}

"""A stand-in for the parser: one eats rice with sticks, and rice with beans, and it cannot tell these apart."""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import pytest

RIGHT = "(TOP (S (NP (PRP {i})) (VP (VBP {eat}) (NP (NN {rice})) (PP (IN with) (NP (NNS {sticks})))) (. .)))"
WRONG = "(TOP (S (NP (PRP {i})) (VP (VBP {eat}) (NP (NP (NN {rice})) (PP (IN with) (NP (NNS {sticks}))))) (. .)))"
FLAT = "(TOP (S (NP (PRP {i})) (VP (VBP {eat}) (NP (NN {rice}) (IN with) (NNS {sticks}))) (. .)))"
TOOLS, FOODS = ("sticks", "hands", "forks"), ("beans", "sauce", "friends")


class LittleGrammar:
    """Proposes three trees for every sentence, always in the same order."""

    asked = 0  # sentences, by all of them
    trained = 0
    stops_after: int | None = None

    def nbest(self, words: Sequence[str], k: int = 50) -> SimpleNamespace:
        LittleGrammar.asked += 1
        if LittleGrammar.stops_after is not None and LittleGrammar.asked > LittleGrammar.stops_after:
            raise KeyboardInterrupt
        named = dict(zip(("i", "eat", "rice", "with", "sticks", "stop"), words, strict=True))
        trees = [form.format(**named) for form in (WRONG, RIGHT, FLAT)][:k]
        return SimpleNamespace(scores=[-10.0, -10.5, -12.0][:k], trees=trees, is_flat=False, is_backed_off=False)

    def save(self, path: Path) -> None:
        path.write_text("a little grammar")

    def describe(self) -> dict[str, Any]:
        return {"trees": 3}


def train(trees: Any, settings: Any = None) -> LittleGrammar:
    LittleGrammar.trained += len(list(trees)) > 0
    return LittleGrammar()


def stand_in(monkeypatch: pytest.MonkeyPatch) -> type[LittleGrammar]:
    """Put it in the place of the real one."""
    monkeypatch.setattr("runoff.tasks.parsing.treebank_round.train_grammar", train)
    monkeypatch.setattr("runoff.tasks.parsing.treebank_round.load_grammar", lambda _: LittleGrammar())
    monkeypatch.setattr("runoff.tasks.parsing.jackknifing.train_grammar", train)
    monkeypatch.setattr(LittleGrammar, "asked", 0)
    monkeypatch.setattr(LittleGrammar, "trained", 0)
    monkeypatch.setattr(LittleGrammar, "stops_after", None)
    return LittleGrammar


def no_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Write empty files in the place of pictures, which take most of the time of a small pipeline."""
    monkeypatch.setattr("runoff.pipeline.plan.draw_evaluation", lambda _, path, *__: path.touch())
    monkeypatch.setattr("runoff.tasks.parsing.explanation.ParseExplanation.draw", lambda _, path: path.touch())


def write_treebank(
    path: Path, documents: int, sentences: int = 10, seed: int = 0, nouns: Sequence[str] = (*TOOLS, *FOODS)
) -> Path:
    """Trees with names that tell their documents."""
    draw = random.Random(seed)
    lines = []
    for document in range(documents):
        for sentence in range(sentences):
            words = {"i": draw.choice(["I", "they"]), "eat": draw.choice(["eat", "like"]), "rice": "rice"}
            words["sticks"] = draw.choice(nouns)
            tree = (RIGHT if words["sticks"] in TOOLS else WRONG).format(**words)
            lines.append(f"<d{document}.{sentence}> {tree}\n")
    path.write_text("".join(lines))
    return path

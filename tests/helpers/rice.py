"""Lists of parses in which only the last word tells where a phrase belongs, and the command line."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from click.testing import CliRunner

from runoff.cli import main
from runoff.tasks.parsing import ParseList

if TYPE_CHECKING:
    from click.testing import Result

RIGHT = "(S1 (S (NP (PRP {i})) (VP (VBP {eat}) (NP (NN {rice})) (PP (IN with) (NP (NNS {sticks})))) (. .)))"
WRONG = "(S1 (S (NP (PRP {i})) (VP (VBP {eat}) (NP (NP (NN {rice})) (PP (IN with) (NP (NNS {sticks}))))) (. .)))"
FLAT = "(S1 (S (NP (PRP {i})) (VP (VBP {eat}) (NP (NN {rice}) (IN with) (NNS {sticks}))) (. .)))"
TOOLS, FOODS = ("sticks", "hands", "forks"), ("beans", "sauce", "friends")
VP_RULE = "rule:VP>VBP! NP PP"
FEW = ("--resamples", 50, "--trials", 50)


def run(*arguments: object) -> Result:
    """`runoff …` in this process; errors that are no sentences are raised."""
    return CliRunner().invoke(main, [*map(str, arguments)], catch_exceptions=False)


def sentences(count: int, seed: int) -> list[ParseList]:
    """One eats rice with sticks, and rice with beans: where the phrase belongs, only its last word tells."""
    draw = random.Random(seed)
    lists = []
    for place in range(count):
        words = {"i": draw.choice(["I", "they"]), "eat": draw.choice(["eat", "like"]), "rice": "rice"}
        words["sticks"] = draw.choice([*TOOLS, *FOODS])
        trees = [form.format(**words) for form in (WRONG, RIGHT, FLAT)]
        gold = trees[words["sticks"] in TOOLS]
        draw.shuffle(trees)
        lists.append(ParseList(f"s{place}", gold, [-10.0 - draw.random() for _ in trees], trees))
    return lists

"""Recipes of taggers: templates and a learner that are good for a kind of tags, chosen by measurement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from runoff.errors import UsageError
from runoff.learners import ChainCRF, ChainPerceptron
from runoff.tasks.tagging.templates import Templates

if TYPE_CHECKING:
    from runoff.learners.chain_run import ChainLearner

_AFFIXES = "\n".join([f"prefix[0,{n}]" for n in range(1, 5)] + [f"suffix[0,{n}]" for n in range(1, 6)])
_LOWER_AFFIXES = "\n".join([f"lower-prefix[0,{n}]" for n in (2, 3, 4)] + [f"lower-suffix[0,{n}]" for n in range(1, 6)])
_POS = f"""
word[-2]
word[-1]
word[0]
word[1]
word[2]
word[-1] word[0]
word[0] word[1]
word[-1] word[1]
lower[-1]
lower[0]
lower[1]
lower[-1] lower[0]
lower[0] lower[1]
{_AFFIXES}
{_LOWER_AFFIXES}
suffix[-1,2]
suffix[-1,3]
suffix[1,2]
suffix[1,3]
suffix[0,3] suffix[-1,3]
suffix[0,3] suffix[1,3]
suffix[0,2] short-shape[0]
shape[0]
short-shape[-1]
short-shape[0]
short-shape[1]
digit[0]
hyphen[0]
capital[0]
tag[-1]
"""
_CHUNKS = """
word[-2]
word[-1]
word[0]
word[1]
word[2]
pos[-3]
pos[-2]
pos[-1]
pos[0]
pos[1]
pos[2]
pos[3]
word[-1] word[0]
word[0] word[1]
word[-1] word[1]
word[-1] word[0] word[1]
lower[0]
lower[-1] lower[0]
lower[0] lower[1]
suffix[0,2]
suffix[0,3]
short-shape[0]
word[-1] pos[0]
pos[-1] word[0]
word[0] pos[0]
word[0] pos[1]
pos[0] word[1]
pos[-2] pos[-1]
pos[-1] pos[0]
pos[0] pos[1]
pos[1] pos[2]
pos[-1] pos[1]
pos[-2] pos[-1] pos[0]
pos[-1] pos[0] pos[1]
pos[0] pos[1] pos[2]
pos[-2] pos[-1] pos[0] pos[1]
pos[-1] pos[0] pos[1] pos[2]
pos[-2] pos[-1] pos[0] pos[1] pos[2]
tag[-1]
"""
_ENTITIES = f"""
word[-2]
word[-1]
word[0]
word[1]
word[2]
word[-1] word[0]
word[0] word[1]
pos[-2]
pos[-1]
pos[0]
pos[1]
pos[2]
pos[-1] pos[0]
pos[0] pos[1]
{_AFFIXES}
lower[0]
lower[-1] lower[0]
lower[0] lower[1]
lower-prefix[0,3]
lower-suffix[0,3]
shape[0]
short-shape[-1]
short-shape[0]
short-shape[1]
tag[-1]
"""
_CLAUSES = (
    _CHUNKS.replace("tag[-1]\n", "")
    + """
chunk[-2]
chunk[-1]
chunk[0]
chunk[1]
chunk[2]
chunk[-1] chunk[0]
chunk[0] chunk[1]
chunk[-1] chunk[0] chunk[1]
word[0] chunk[0]
pos[0] chunk[0]
tag[-1]
"""
)


@dataclass(frozen=True)
class TaggerRecipe:
    """Templates, learner and settings of a kind of tagger.

    Examples
    --------
    >>> tagger_recipe("pos").learner
    ChainPerceptron(epochs=8, margin=1.0, pairs='all', dropout=0.2, runs=6)
    """

    name: str
    templates: Templates
    learner: ChainLearner
    min_count: int = 1
    encoding: str = "none"


# Chosen on held-out parts of the training data of benchmarks/tagging.py.
_OF_CHUNKS = ChainCRF(
    solver="sgd", objective="la", sigma=2.0, epochs=10, dropout=0.1, pairs="all", runs=2, least_weight=0.02
)
_RECIPES: dict[str, tuple[str, Any, int, str]] = {
    "pos": (_POS, ChainPerceptron(epochs=8, margin=1.0, pairs="all", dropout=0.2, runs=6), 1, "none"),
    "chunks": (_CHUNKS, _OF_CHUNKS, 2, "bioes"),
    "clauses": (_CLAUSES, ChainCRF(solver="sgd", epochs=8, sigma=0.5), 2, "none"),
    "entities": (_ENTITIES, ChainCRF(solver="sgd", sigma=3.0, rate=0.2, epochs=12, dropout=0.2, runs=2), 1, "none"),
}
RECIPES = tuple(_RECIPES)


def tagger_recipe(name: str) -> TaggerRecipe:
    """The recipe for parts of speech, chunks, clauses (starts or ends are tags as others) or entities."""
    if name not in _RECIPES:
        raise UsageError(f"there is no recipe {name!r}; there are: {', '.join(RECIPES)}.")
    lines, learner, min_count, encoding = _RECIPES[name]
    return TaggerRecipe(name, Templates.parse(lines, path=f"templates of {name}"), learner.clone(), min_count, encoding)

"""Lists of parses as an `NBest` (trees are its texts, gold trees its references), and back."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pyarrow as pa

from runoff.errors import DataError
from runoff.nbest import NBest
from runoff.tasks.parsing.parse_list import ParseList

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

METRIC = "parseval"
_WHOLE = re.compile(r"-?[0-9]{1,9}")


def to_nbest(lists: Iterable[ParseList], notes: Iterable[str] = ()) -> NBest:
    """Convert lists of parses to data without features: texts, base scores, words as inputs, gold trees as references.

    Examples
    --------
    >>> trees = ["(S (NP (PRP I)) (VP (VBP run)))", "(S (NP (PRP I)) (ADVP (RB run)))"]
    >>> to_nbest([ParseList("a", trees[0], [-1.0, -2.0], trees)])
    NBest(1 group, 2 candidates, 0 features, base, references)
    """
    ids: list[str] = []
    inputs: list[str] = []
    gold: list[str | None] = []
    sizes: list[int] = []
    scores: list[float] = []
    folds: list[str | None] = []
    documents: list[str | None] = []
    texts: list[pa.Array] = [pa.array([], pa.large_string())]
    for each in lists:
        ids.append(each.id)
        inputs.append(" ".join(each.tokens or ()))
        gold.append(each.gold)
        folds.append(None if each.fold is None else str(each.fold))
        documents.append(each.document)
        sizes.append(len(each.trees))
        scores.extend(each.scores)
        texts.append(pa.array(each.trees, pa.large_string()))
    attributes = {"fold": folds, "doc": documents}
    has_gold = any(tree is not None for tree in gold)
    return NBest.from_arrays(
        sizes=sizes,
        group_ids=ids,
        base=scores,
        texts=pa.concat_arrays(texts),
        inputs=inputs if any(inputs) else None,
        references=[[] if tree is None else [tree] for tree in gold] if has_gold else None,
        attributes={name: column for name, column in attributes.items() if any(each is not None for each in column)},
        metric=METRIC if has_gold else None,
        notes=notes,
    )


def to_lists(data: NBest) -> Iterator[ParseList]:
    """Convert data to lists of parses, one at a time; without base scores every candidate gets 0.

    Examples
    --------
    >>> data = NBest.from_arrays(texts=["(X (UH oh))"], sizes=[1], group_ids=["a"])
    >>> [(parses.id, parses.scores) for parses in to_lists(data)]
    [('a', [0.0])]
    """
    if data.texts is None and data.n_candidates:
        raise DataError("the candidates have no texts; expected trees in brackets as their texts.")
    for at in range(len(data)):
        cut = slice(int(data.offsets[at]), int(data.offsets[at + 1]))
        trees = [] if data.texts is None else data.texts[cut].to_pylist()
        scores = [0.0] * len(trees) if data.base is None else data.base[cut].tolist()
        references = None if data.references is None else data.references[at].as_py()
        gold = references[0] if references else None
        fold, document = (_attribute(data, name, at) for name in ("fold", "doc"))
        yield ParseList(
            data.group_ids[at].as_py(),
            gold,
            scores,
            trees,
            fold=int(fold) if fold is not None and _WHOLE.fullmatch(fold) else None,
            document=document,
        )


def _attribute(data: NBest, name: str, at: int) -> str | None:
    return data.attributes[name][at].as_py() if name in data.attributes else None


def are_trees(data: NBest, looked_at: int = 50) -> bool:
    """Whether the first candidates look like trees in brackets.

    Examples
    --------
    >>> are_trees(NBest.from_arrays(texts=["(S (NP (PRP I)))", "(X (UH oh))"], sizes=[2]))
    True
    >>> are_trees(NBest.from_arrays(texts=["(he said)", "(she said)"], sizes=[2]))
    False
    """
    if data.texts is None or not data.n_candidates:
        return False
    seen = [text.strip() for text in data.texts[:looked_at].to_pylist()]
    return all(_is_tree(text) for text in seen)


def _is_tree(text: str) -> bool:
    """Brackets at both ends, balanced, and at least one inside."""
    return (
        text.startswith("(")
        and text.endswith(")")
        and text.count("(") == text.count(")")
        and (text.count("(") > 1 or text == "(())")
    )

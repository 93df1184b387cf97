"""Corpora for tests: compared, and drawn at random."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import strategies as st

from runoff.tasks.tagging import Corpus

if TYPE_CHECKING:
    from collections.abc import Sequence


def content(corpus: Corpus) -> dict[str, object]:
    """Everything that a corpus says, as plain values."""
    return {
        "columns": {name: column.texts() for name, column in corpus.columns.items()},
        "offsets": corpus.offsets.tolist(),
        "ids": corpus.ids,
        "documents": corpus.documents,
    }


# What the formats cannot show is refused, which other tests look at.
TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp"]), min_size=1, max_size=6)
TEXT = st.one_of(st.sampled_from(["#", "a", "O", "New York", "-", "\u00a0", "\u2028", "é", '"', "\\"]), TEXT)
NAME = TEXT.filter(lambda text: text == text.strip())


@st.composite
def corpora(draw: st.DrawFn, names: Sequence[str], *, empty: bool = True) -> Corpus:
    """A few sentences with these columns, with or without ids and documents; with ids, some may be empty."""
    with_ids = draw(st.booleans())
    least = 0 if empty and with_ids else 1
    sizes = draw(st.lists(st.integers(least, 4), min_size=1, max_size=5))
    columns = {name: draw(st.lists(TEXT, min_size=sum(sizes), max_size=sum(sizes))) for name in names}
    ids = draw(st.lists(NAME, min_size=len(sizes), max_size=len(sizes))) if with_ids else None
    documents = draw(st.none() | st.lists(NAME, min_size=len(sizes), max_size=len(sizes)))
    return Corpus.of(columns, sizes, ids, documents)

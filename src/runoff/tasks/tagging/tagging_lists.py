"""Taggings as an `NBest`, and back.

A list is a sentence: its input is the words, a candidate's text is the tags and the reference the gold tags, each
joined by one blank; further columns and the document are attributes. A blank inside a word or an entry of a further
column is written as ␣ (U+2423) and read as a blank again, so that words stay as many as they are; a tag has no blanks.
"""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from runoff.errors import DataError, UsageError, brief
from runoff.nbest import NBest
from runoff.ranking import first_round
from runoff.tasks.tagging.corpus import WORD, Corpus
from runoff.tasks.tagging.phrase_statistics import column_of, split_texts

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from runoff.ranking import Ranking
    from runoff.tasks.tagging.corpus import Column

BLANK = "␣"
DOCUMENT = "document"


def to_nbest(
    corpus: Corpus,
    candidates: Sequence[Sequence[Sequence[str] | str]],
    scores: Sequence[Sequence[float]] | None = None,
    *,
    tag: str | None = "tag",
    metric: str = "conlleval",
    notes: Iterable[str] = (),
) -> NBest:
    """Lists of taggings as data.

    Parameters
    ----------
    corpus
        The sentences. Its ids are those of the lists (default: numbers from 1), and must differ.
    candidates
        For every sentence its taggings, best first: a list of tags each, or the tags joined by blanks.
    scores
        The first round's scores of the taggings.
    tag
        The column of gold tags; None, or a column that is not there: no references.
    metric
        conlleval, or tag-accuracy for tags that mark no phrases.
    notes
        Sentences about what a reader left out.

    Examples
    --------
    >>> corpus = Corpus.of({"word": ["a", "cat"], "pos": ["DT", "NN"], "tag": ["B-NP", "I-NP"]}, sizes=[2])
    >>> data = to_nbest(corpus, [[["B-NP", "O"], ["B-NP", "I-NP"]]], [[-0.5, -1.0]])
    >>> data.texts.to_pylist(), data.inputs.to_pylist(), data.attributes["pos"].to_pylist()
    (['B-NP O', 'B-NP I-NP'], ['a cat'], ['DT NN'])
    """
    if len(candidates) != len(corpus):
        raise UsageError(f"expected taggings of {len(corpus):,} sentences; found {len(candidates):,}.")
    texts = [
        _tagging(each, int(size), at)
        for at, (taggings, size) in enumerate(zip(candidates, corpus.sizes, strict=True))
        for each in taggings
    ]
    counts = [len(taggings) for taggings in candidates]
    if scores is not None and [len(each) for each in scores] != counts:
        raise UsageError("expected one score for every tagging of every sentence.")
    has_gold = tag is not None and tag in corpus.columns
    further = [name for name in corpus.columns if name not in (WORD, tag)]
    attributes = {name: _joined(corpus, name) for name in further}
    if DOCUMENT in attributes:
        raise UsageError(f"the attribute {DOCUMENT!r} is a sentence's document; give the column another name.")
    if corpus.documents is not None:
        attributes[DOCUMENT] = list(corpus.documents)
    return NBest.from_arrays(
        sizes=counts,
        group_ids=list(corpus.ids) if corpus.ids is not None else [str(at + 1) for at in range(len(corpus))],
        texts=texts,
        base=None if scores is None else [score for each in scores for score in each],
        inputs=_joined(corpus, WORD),
        references=[[text] for text in _joined(corpus, tag)] if has_gold and tag is not None else None,
        attributes=attributes,
        metric=metric,
        notes=notes,
    )


def to_corpus(data: NBest, choice: Ranking | None = None, *, predicted: str = "predicted") -> Corpus:
    """The sentences of lists of taggings, with the chosen tags as one more column.

    Parameters
    ----------
    data
        As `to_nbest` makes it. References become the column `tag`, and attributes with as many entries as there are
        words columns of their own.
    choice
        Whose winners are taken; default: the first round's. Every list needs a candidate.
    predicted
        Name of the column for the chosen tags.

    Examples
    --------
    >>> corpus = Corpus.of({"word": ["New York", "is"], "tag": ["B-LOC", "O"]}, sizes=[2])
    >>> to_corpus(to_nbest(corpus, [["O O"]]))["predicted"].texts()
    ['O', 'O']
    """
    corpus = sentences(data)
    if (data.sizes == 0).any():
        name = data.group_ids[int(np.flatnonzero(data.sizes == 0)[0])].as_py()
        raise DataError(f"list {name!r} has no tagging to choose; leave it out.")
    candidates: pa.Array = data.texts
    chosen = {predicted: candidates.take(pa.array((choice or first_round(data)).top))}
    if data.references is not None:
        chosen = {"tag": pa.array([each[0] if each else "" for each in data.references.to_pylist()]), **chosen}
    for name, texts in chosen.items():
        sizes, tags = split_texts(texts.fill_null(""))
        for at in np.flatnonzero(sizes != corpus.sizes).tolist():
            raise DataError(
                f"list {data.group_ids[at].as_py()!r} has {corpus.sizes[at]:,} words; found {sizes[at]:,} tags."
            )
        corpus = corpus.with_column(name, column_of(tags))
    return corpus


def sentences(data: NBest) -> Corpus:
    """The words of every list; attributes with as many entries as there are words are further columns. O(characters).

    Examples
    --------
    >>> sentences(NBest.from_arrays(texts=["B-LOC"], sizes=[1], inputs=["New␣York"]))["word"].texts()
    ['New York']
    """
    if data.inputs is None or data.texts is None:
        raise DataError("lists of taggings need the words as inputs and the tags as texts of the candidates.")
    sizes, words = split_texts(data.inputs.fill_null(""))
    columns = {WORD: words}
    for name, texts in data.attributes.items():
        lengths, entries = split_texts(texts.fill_null(""))
        if name != DOCUMENT and np.array_equal(lengths, sizes):  # an attribute of tokens, such as parts of speech
            columns[name] = entries
    documents = data.attributes.get(DOCUMENT)
    return Corpus.of(
        {name: _with_blanks(column_of(entries)) for name, entries in columns.items()},
        sizes.tolist(),
        data.group_ids.to_pylist(),
        None if documents is None else documents.fill_null("").to_pylist(),
    )


def _with_blanks(column: Column) -> Column:
    return replace(column, values=tuple(value.replace(BLANK, " ") for value in column.values))


def taggings(data: NBest) -> list[list[list[str]]]:
    """The tags of every candidate of every list.

    Examples
    --------
    >>> taggings(NBest.from_arrays(texts=["B-NP O", "O O"], sizes=[2]))
    [[['B-NP', 'O'], ['O', 'O']]]
    """
    if data.texts is None:
        raise DataError("lists of taggings need the tags as texts of the candidates.")
    split = [split_entries(text) for text in data.texts.to_pylist()]
    ends = data.offsets.tolist()
    return [split[start:stop] for start, stop in itertools.pairwise(ends)]


def _tagging(tags: Sequence[str] | str, size: int, sentence: int) -> str:
    if isinstance(tags, str):
        found = tags.split(" ") if tags else []
        text = tags
    else:
        found, text = list(tags), " ".join(tags)
    if len(found) != size:
        raise DataError(f"sentence {sentence + 1} has {size:,} words; found a tagging with {len(found):,} tags.")
    if not all(found) or text.count(" ") != max(size - 1, 0):
        bad = next(each for each in found if not each or " " in each)
        raise DataError(f"a tag must be a text without blanks; found {brief(bad)} in sentence {sentence + 1}.")
    return text


def _joined(corpus: Corpus, name: str) -> list[str]:
    column = corpus[name]
    values = []
    used = set(np.unique(column.codes).tolist())
    for code, value in enumerate(column.values):
        if code in used and (not value or BLANK in value):
            raise DataError(
                f"an entry of the column {name!r} is empty or has the sign {BLANK}, which stands for a blank in lists "
                f"of taggings: {brief(value)}; change it, or leave the column out."
            )
        values.append(value.replace(" ", BLANK))
    texts = [values[code] for code in column.codes.tolist()]
    ends = corpus.offsets.tolist()
    return [" ".join(texts[start:stop]) for start, stop in itertools.pairwise(ends)]


def unequal_sizes(texts: Sequence[str]) -> str:
    """What is wrong with taggings of one sentence that differ in length, in words; empty if they do not.

    Examples
    --------
    >>> unequal_sizes(["O O", "O", "O O"])
    'they have 2 and 1 words'
    """
    sizes = list(dict.fromkeys(text.count(" ") + 1 if text else 0 for text in texts))
    return f"they have {sizes[0]:,} and {sizes[1]:,} words" if len(sizes) > 1 else ""


def split_entries(text: str | None) -> list[str]:
    """The words of an input, or the entries of another column of a list.

    Examples
    --------
    >>> split_entries("in New␣York")
    ['in', 'New York']
    """
    return [part.replace(BLANK, " ") for part in text.split(" ")] if text else []

"""Files of tagged sentences as one system's solutions: lists of one tagging, for combinations."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from runoff.errors import DataError
from runoff.formats.streams import sample
from runoff.tasks.tagging.corpus import Corpus
from runoff.tasks.tagging.corpus_files import read_corpus, recognise, write_corpus
from runoff.tasks.tagging.span_rules import span_tags
from runoff.tasks.tagging.tagging_lists import split_entries, to_nbest

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from runoff.nbest import NBest

_BRACKETS = b"(V*"  # of columns of roles


def has_tags(path: Path) -> bool:
    """Whether a file is one of columns, of words and tags."""
    seen = sample(path)
    if seen.first_line.lstrip()[:1] in (b"{", b"[", b"(") or _BRACKETS in seen.head:
        return False
    try:
        return recognise(path) in ("columns", "conllu")
    except DataError:
        return False


def read_tag_solutions(path: Path) -> NBest:
    """One list for every sentence, with the tags of the file's last column as its candidate.

    Sentences are known by their number. Tags that mark phrases are judged as phrases, others by their accuracy.
    """
    notes: list[str] = []
    corpus = read_corpus(path, notes=notes)
    tags = _tags(corpus, path)
    rest = Corpus({name: corpus[name] for name in corpus.columns if name != tags}, corpus.offsets)
    texts = corpus[tags].texts()
    cuts = corpus.offsets.tolist()
    taggings = [[texts[start:stop]] for start, stop in pairwise(cuts)]
    metric = "tag-accuracy" if span_tags(sorted(set(texts))) is None else "conlleval"
    return to_nbest(rest, taggings, tag=None, metric=metric, notes=notes)


def write_tag_solutions(data: NBest, path: Path, like: Path) -> list[str]:
    """Write the taggings of lists of one candidate as the last column of the sentences in the file `like`."""
    corpus = read_corpus(like)
    if data.texts is None or len(data) != len(corpus) or data.n_candidates != len(corpus):
        raise DataError(f"there are {data.n_candidates:,} taggings for {len(corpus):,} sentences.", path=like)
    tags = [split_entries(text) for text in data.texts.to_pylist()]
    _check_sizes(tags, corpus, like)
    write_corpus(corpus.with_column(_tags(corpus, like), [tag for own in tags for tag in own]), path)
    return []


def _tags(corpus: Corpus, path: Path) -> str:
    """The column of tags: the last one."""
    if len(corpus.columns) < 2:
        raise DataError("the file has one column, and so no tags beside the words.", path=path)
    return list(corpus.columns)[-1]


def _check_sizes(tags: Sequence[Sequence[str]], corpus: Corpus, path: Path) -> None:
    for number, (own, size) in enumerate(zip(tags, corpus.sizes.tolist(), strict=True), 1):
        if len(own) != size:
            raise DataError(f"sentence {number} has {size:,} words, and its list {len(own):,} tags.", path=path)

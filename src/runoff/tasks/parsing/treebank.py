"""Treebanks: sentences with gold trees, and the documents they come from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

import pyarrow as pa

from runoff.errors import DataError
from runoff.nbest.records import collector_paused
from runoff.tables import counted
from runoff.tasks.parsing.brackets import parse_tree
from runoff.tasks.parsing.treebank_documents import Documents
from runoff.tasks.parsing.treebank_files import find_files, gold_trees

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from runoff.tasks.parsing.treebank_files import File, GoldTree
    from runoff.tasks.parsing.trees import Tree


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence with its gold tree: no traces, no function tags, root TOP.

    Examples
    --------
    >>> from runoff.tasks.parsing import parse_tree
    >>> Sentence("a.0", "a", parse_tree("(TOP (S (NP (PRP I)) (VP (VBP run))))")).text
    'I run'
    """

    id: str
    document: str
    tree: Tree
    fold: int | None = None  # if lists of parses give one

    @property
    def words(self) -> list[str]:
        """Words from left to right."""
        return self.tree.words()

    @property
    def text(self) -> str:
        """Words with blanks between them."""
        return " ".join(self.words)


class Treebank(Sequence[Sentence]):
    """An immutable sequence of sentences with gold trees, in the order of their files.

    Examples
    --------
    >>> from runoff.tasks.parsing.brackets import parse_tree
    >>> tree = parse_tree("(TOP (S (NP (PRP I)) (VP (VBP run))))")
    >>> bank = Treebank([Sentence("a.0", "a", tree), Sentence("b.0", "b", tree)])
    >>> bank
    Treebank(2 sentences, 2 documents, 4 words)
    >>> bank[1].text, len(bank[1:]), bank.documents()
    ('I run', 1, ['a', 'b'])
    """

    __slots__ = ("_sentences", "_words")

    def __init__(self, sentences: Iterable[Sentence]) -> None:
        self._sentences = tuple(sentences)
        self._words = sum(sentence.tree.end for sentence in self._sentences)

    def __len__(self) -> int:
        return len(self._sentences)

    @overload
    def __getitem__(self, at: int) -> Sentence: ...
    @overload
    def __getitem__(self, at: slice) -> Treebank: ...
    def __getitem__(self, at: int | slice) -> Sentence | Treebank:
        return Treebank(self._sentences[at]) if isinstance(at, slice) else self._sentences[at]

    def __repr__(self) -> str:
        sizes = {"sentences": len(self), "documents": len(self.documents()), "words": self.words}
        return f"Treebank({', '.join(counted(size, things) for things, size in sizes.items())})"

    def __reduce__(self) -> tuple[Any, ...]:
        # Workers get a treebank as columns: a tree as text is a tenth of its nodes.
        texts = ([each.id for each in self], [each.document for each in self], [str(each.tree) for each in self])
        folds = pa.array([each.fold for each in self], pa.int64())
        return _rebuilt, (*(pa.array(column, pa.large_string()) for column in texts), folds)

    @property
    def words(self) -> int:
        """Number of words, with punctuation."""
        return self._words

    def documents(self) -> list[str]:
        """Names of the documents, in order of first occurrence."""
        return list(dict.fromkeys(sentence.document for sentence in self._sentences))

    def trees(self) -> list[Tree]:
        """The trees."""
        return [sentence.tree for sentence in self._sentences]

    def describe(self) -> dict[str, int]:
        """Size and tag set. O(nodes).

        Labels are those of constituents without the root. A unary chain consists of constituents below the root with
        one child each; the last child may be a tag.

        Examples
        --------
        >>> from runoff.tasks.parsing.brackets import parse_tree
        >>> Treebank([Sentence("1", "a", parse_tree("(TOP (S (VP (VB Go) (ADVP (RB away)))))"))]).describe()
        {'sentences': 1, 'documents': 1, 'words': 2, 'labels': 3, 'tags': 2, 'longest_sentence': 2,
        'highest_unary_chain': 1}
        """
        labels: set[str] = set()
        tags: set[str] = set()
        highest = 0
        for sentence in self._sentences:
            waiting = [(child, 0) for child in sentence.tree.children]
            while waiting:
                node, above = waiting.pop()
                if node.word is not None:
                    tags.add(node.label)
                    continue
                labels.add(node.label)
                chain = above + 1 if len(node.children) == 1 else 0
                highest = max(highest, chain)
                waiting.extend((child, chain) for child in node.children)
        return {
            "sentences": len(self),
            "documents": len(self.documents()),
            "words": self.words,
            "labels": len(labels),
            "tags": len(tags),
            "longest_sentence": max((sentence.tree.end for sentence in self._sentences), default=0),
            "highest_unary_chain": highest,
        }


def _rebuilt(*columns: pa.Array) -> Treebank:
    rows = zip(*(column.to_pylist() for column in columns), strict=True)
    return Treebank(Sentence(name, document, parse_tree(tree), fold) for name, document, tree, fold in rows)


def read_treebank(paths: str | Path | Sequence[str | Path], notes: list[str] | None = None) -> Treebank:
    """Read a treebank in Penn style.

    Parameters
    ----------
    paths
        One or more of: a file of trees in brackets, several per line or one over many lines, optionally with names in
        angle brackets before them; a folder of such files, with subfolders; lists of parses with gold trees, in any
        format of `read_lists`. Plain, gzip or zstd; `-` is standard input.
    notes
        Receives a note about everything that was left out, changed or assumed.

    Notes
    -----
    `treebank_files` says what is kept of a tree, `treebank_documents` what a document is. An id is the name of the
    sentence or its number in its file; if there are several files and ids are not unique, the file comes first:
    ``wsj_0010.mrg#3``. An empty constituent, without even a trace, is an error. All trees are in memory. O(characters).

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "two.mrg"
    >>> _ = path.write_text("( (S (NP-SBJ (PRP I)) (VP (VBP run))) )\\n( (S (NP-SBJ (-NONE- *)) (VP (VB Go))) )")
    >>> [str(sentence.tree) for sentence in read_treebank(path)]
    ['(TOP (S (NP (PRP I)) (VP (VBP run))))', '(TOP (S (VP (VB Go))))']
    """
    said: list[str] = []
    tally: Counter[str] = Counter()
    files = find_files(paths, said)
    with collector_paused():
        found = [(file, list(gold_trees(file.path, tally, said))) for file in files]
        treebank = Treebank(_sentences(found, said))
    said += [sentence.format(count) for sentence, count in tally.items() if count]
    if not treebank:
        where = str(files[0].path) if len(files) == 1 else f"{files[0].path} and {len(files) - 1:,} more"
        raise DataError(
            f"{where}: no tree is left. {' '.join(said)} "
            "Expected trees over words in brackets, such as (S (NP (PRP I)) (VP (VBP run)))."
        )
    if notes is not None:
        notes += said
    return treebank


def _sentences(found: list[tuple[File, list[GoldTree]]], notes: list[str]) -> list[Sentence]:
    has_other_files = len(found) > 1
    names = [each.id for _, trees in found for each in trees if each.is_named]
    are_different = len(set(names)) == sum(len(trees) for _, trees in found)
    documents = Documents(has_other_files=has_other_files)
    sentences = []
    for file, trees in found:
        begin = f"{file.label}#" if has_other_files and not are_different else ""
        for each, document in zip(trees, documents.of(trees, file.label), strict=True):
            sentences.append(Sentence(f"{begin}{each.id}", document, each.tree, each.fold))
    notes += documents.notes()
    return sentences

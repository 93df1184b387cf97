"""Syntax for sentences with roles: trees of parsers, tags of taggers, clauses."""

from __future__ import annotations

import unicodedata
from collections import defaultdict, deque
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from runoff.errors import DataError, UsageError, brief
from runoff.tables import counted
from runoff.tasks.parsing.sentence_files import ESCAPES
from runoff.tasks.parsing.treebank_files import ROOT
from runoff.tasks.parsing.trees import Tree, plain_label
from runoff.tasks.roles.parse_column import leaves_of, tree_text
from runoff.tasks.roles.propositions import WeightedTree
from runoff.tasks.roles.syntax import CLAUSES, where
from runoff.tasks.roles.tag_columns import KINDS, NAMES, check_kind, check_needs, corpus_of
from runoff.tasks.tagging.bracket_column import bracket_spans
from runoff.tasks.tagging.schemes import convert
from runoff.tasks.tagging.tag_sources import TagSource

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from runoff.tasks.roles.propositions import RoleSentence
    from runoff.tasks.tagging.corpus import Corpus

MISSING = ("leave", "flat", "error")
_QUOTES = str.maketrans({"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"'})
_UNKNOWN_TAG = "XX"


# ---------------------------------------------------------------- trees


def with_trees(
    sentences: Sequence[RoleSentence],
    trees: Iterable[Tree | Sequence[WeightedTree]],
    *,
    missing: str = "leave",
    notes: list[str] | None = None,
) -> list[RoleSentence]:
    """The sentences with the trees that have their words.

    Parameters
    ----------
    sentences
        Those that get trees, in place of their own.
    trees
        One of each sentence, or several with their probabilities, in any order; those of equal sentences in the order
        of the sentences. Words count as equal if they differ only in escapes of brackets, in accents or in the form of
        quotes.
    missing
        What becomes of a sentence without a tree: "leave" it without any, give it a "flat" one of tags over words, or
        raise an "error".
    notes
        Receives what was left without a tree, and trees of other sentences.

    Examples
    --------
    >>> from runoff.tasks.parsing.brackets import parse_tree
    >>> from runoff.tasks.roles.propositions import RoleSentence
    >>> given = [RoleSentence(("(", "Oh", ")")), RoleSentence(("No",))]
    >>> notes = []
    >>> for each in with_trees(given, [parse_tree("(INTJ (-LRB- -LRB-) (UH Oh) (-RRB- -RRB-))")], notes=notes):
    ...     print(each.tree)
    (INTJ (-LRB- -LRB-) (UH Oh) (-RRB- -RRB-))
    None
    >>> notes
    ["Sentences without a tree: 1 of 2, the first is the sentence 'No'."]
    """
    if missing not in MISSING:
        raise UsageError(f"missing must be one of {', '.join(MISSING)}; found {missing!r}.")
    given = [(WeightedTree(1.0, each),) if isinstance(each, Tree) else tuple(each) for each in trees]
    waiting: dict[tuple[str, ...], deque[tuple[WeightedTree, ...]]] = defaultdict(deque)
    for several in given:
        waiting[_same_words(several)].append(several)
    found = []
    without: list[RoleSentence] = []
    for sentence in sentences:
        own = waiting.get(_key(sentence.words))
        if own:
            found.append(with_weighted(sentence, own.popleft()))
            continue
        if sentence.words:
            without.append(sentence)
        is_flat = missing == "flat" and sentence.words
        found.append(sentence.with_tree(flat_tree(sentence) if is_flat else None))
    if without:
        _check_missing(without, sum(bool(each.words) for each in sentences), [each[0].tree for each in given], missing)
    _note(without, len(found), sum(map(len, waiting.values())), missing, notes)
    return found


def with_weighted(sentence: RoleSentence, trees: Sequence[WeightedTree]) -> RoleSentence:
    """The sentence with one tree, or several of which the most probable is also its `tree`.

    Examples
    --------
    >>> from runoff.tasks.parsing.brackets import parse_tree
    >>> from runoff.tasks.roles.propositions import RoleSentence, WeightedTree
    >>> both = [WeightedTree(0.4, parse_tree("(X (UH oh))")), WeightedTree(0.6, parse_tree("(INTJ (UH oh))"))]
    >>> str(with_weighted(RoleSentence(("Oh",)), both).tree)
    '(INTJ (UH Oh))'
    """
    found = [each._replace(tree=over(each.tree, sentence.words)) for each in trees]
    best = max(found, key=lambda each: each.probability).tree
    return sentence.with_tree(best, found if len(found) > 1 else ())


def _check_missing(without: list[RoleSentence], total: int, trees: list[Tree], missing: str) -> None:
    if len(without) == total:
        first = f"; the first of them has {brief(' '.join(trees[0].words()))}" if trees else ""
        raise DataError(
            f"none of the {counted(len(trees), 'trees')} has the words of a sentence{first}, and {where(without[0])} "
            f"has {brief(' '.join(without[0].words))}. Name the trees of these sentences."
        )
    if missing == "error":
        raise DataError(f"{where(without[0])} has no tree; sentences without one: {len(without):,} of {total:,}.")


def _note(without: list[RoleSentence], total: int, unused: int, missing: str, notes: list[str] | None) -> None:
    if notes is None:
        return
    if without:
        flat = "; they got flat ones" if missing == "flat" else ""
        notes.append(
            f"Sentences without a tree: {len(without):,} of {total:,}, the first is {where(without[0])}{flat}."
        )
    if unused:
        notes.append(f"Trees of other sentences were left out: {unused:,}.")


def _same_words(trees: Sequence[WeightedTree]) -> tuple[str, ...]:
    keys = {_key(each.tree.words()) for each in trees}
    if len(keys) != 1:
        found = " and ".join(brief(" ".join(key)) for key in sorted(keys)[:2]) or "none"
        raise DataError(f"the trees of a sentence must be over the same words; found {found}.")
    return keys.pop()


def _key(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(map(_plain_word, words))


def _plain_word(word: str) -> str:
    """A word without what parsers change: escapes, accents, and quotes of all forms."""
    for bracket, escape in ESCAPES.items():
        word = word.replace(escape, bracket)
    word = word.replace("\\/", "/").replace("\\*", "*").translate(_QUOTES)
    word = word.replace("``", '"').replace("''", '"')
    if not word.isascii():
        word = "".join(each for each in unicodedata.normalize("NFKD", word) if not unicodedata.combining(each))
    return tree_text(word)


def over(tree: Tree, words: Sequence[str]) -> Tree:
    """The same tree over these words, as many as it has.

    Examples
    --------
    >>> from runoff.tasks.parsing.brackets import parse_tree
    >>> str(over(parse_tree("(NP (NNP Cecile))"), ["C\u00e9cile"]))
    '(NP (NNP C\u00e9cile))'
    """
    if tree.word is not None:
        return Tree.leaf(tree.label, tree_text(words[tree.start]), tree.start)
    return Tree(tree.label, [over(child, words) for child in tree.children])


def flat_tree(sentence: RoleSentence) -> Tree:
    """Tags over words, and nothing between them and the root.

    Examples
    --------
    >>> from runoff.tasks.roles.propositions import RoleSentence
    >>> str(flat_tree(RoleSentence(("Oh", "no"), pos=("UH", "UH"))))
    '(TOP (UH Oh) (UH no))'
    """
    return Tree(ROOT, leaves_of(sentence.words, sentence.pos or [_UNKNOWN_TAG] * len(sentence.words)))


def known_tags(sentence: RoleSentence) -> tuple[str, ...] | None:
    """Parts of speech of a sentence: its own, or those of its tree; None if there are none.

    Examples
    --------
    >>> from runoff.tasks.roles.propositions import RoleSentence
    >>> known_tags(RoleSentence(("Oh",), tree=Tree("INTJ", [Tree.leaf("UH", "Oh", 0)])))
    ('UH',)
    """
    if sentence.pos is None and sentence.tree is not None:
        return tuple(leaf.label for leaf in sentence.tree.leaves())
    return sentence.pos if sentence.words else ()


# ---------------------------------------------------------------- tags


def with_tags(sentences: Sequence[RoleSentence], tool: TagSource, what: str) -> list[RoleSentence]:
    """The sentences with tags of a tool, in place of their own; all of them at once.

    Parameters
    ----------
    sentences
        With the tags that the tool looks at: columns `pos`, `chunk` and `ne` are parts of speech, base phrases and
        named entities.
    tool
        A tagger of Runoff, `SpacyTags`, `StanzaTags`, or anything with a method `label`.
    what
        "pos"; "chunks" or "entities" (tags of any scheme of spans, which become B, I and O); "clauses" (brackets, as
        `ClauseTagger` gives them).

    Examples
    --------
    >>> from runoff.tasks.roles.propositions import RoleSentence
    >>> from runoff.tasks.tagging.corpus import Column
    >>> class Shouts:
    ...     def label(self, corpus):
    ...         return Column.of("S-LOUD" if word.isupper() else "O" for word in corpus["word"].texts())
    >>> with_tags([RoleSentence(("I", "say", "NO"))], Shouts(), "entities")[0].entities
    ('B-LOUD', 'O', 'B-LOUD')
    """
    if what not in KINDS:
        raise UsageError(f"there are no tags {what!r} of sentences with roles; there are: {', '.join(KINDS)}.")
    if not isinstance(tool, TagSource):
        raise UsageError(f"expected a tagger for {NAMES[what]}, or an object with a method `label`; found {tool!r}.")
    corpus = corpus_of(sentences)
    check_needs(tool, what, corpus)
    corpus = corpus.with_column(what, tool.label(corpus))
    check_kind(corpus[what], what)
    if what == "clauses":
        return _with_clauses(sentences, corpus)
    if what != "pos":
        corpus = convert(corpus, "bio", what)
    tags, offsets = corpus[what].texts(), corpus.offsets.tolist()
    return [_with(sentence, what, tuple(tags[offsets[at] : offsets[at + 1]])) for at, sentence in enumerate(sentences)]


def with_tree_clauses(sentences: Sequence[RoleSentence], *, notes: list[str] | None = None) -> list[RoleSentence]:
    """The sentences with the clauses of their trees: S, SBAR, SBARQ, SINV and SQ.

    Sentences without a tree stay as they are, and are counted in `notes`.

    Examples
    --------
    >>> from runoff.tasks.parsing.brackets import parse_tree
    >>> from runoff.tasks.roles.propositions import RoleSentence
    >>> tree = parse_tree("(S (NP (PRP I)) (VP (VBP hope) (SBAR (S (NP (PRP he)) (VP (VBD left))))))")
    >>> with_tree_clauses([RoleSentence(("I", "hope", "he", "left"), tree=tree)])[0].clauses
    ((0, 4), (2, 4), (2, 4))
    """
    without = [sentence for sentence in sentences if sentence.tree is None]
    if without and len(without) == len(sentences):
        raise DataError(f"{where(without[0])} has no tree to take clauses from, nor have others; add trees (--trees).")
    if without and notes is not None:
        notes.append(f"Sentences without a tree, which got no clauses: {len(without):,}.")
    return [
        sentence if sentence.tree is None else replace(sentence, clauses=clauses_of_tree(sentence.tree))
        for sentence in sentences
    ]


def clauses_of_tree(tree: Tree) -> tuple[tuple[int, int], ...]:
    """Starts and stops of the clauses of a tree, outer ones first.

    Examples
    --------
    >>> from runoff.tasks.parsing.brackets import parse_tree
    >>> clauses_of_tree(parse_tree("(TOP (S-IMP (VP (VB Go))))"))
    ((0, 1),)
    """
    nodes = (each for each in tree.walk() if not each.is_leaf and plain_label(each.label) in CLAUSES)
    return tuple((each.start, each.end) for each in nodes)


def _with(sentence: RoleSentence, what: str, value: Any) -> RoleSentence:
    return replace(sentence, **{what: value})


def _with_clauses(sentences: Sequence[RoleSentence], corpus: Corpus) -> list[RoleSentence]:
    spans: list[list[tuple[int, int]]] = [[] for _ in sentences]
    for each in bracket_spans(corpus, "clauses").of(corpus.offsets):
        spans[each.sentence].append((each.start, each.stop))
    return [replace(sentence, clauses=tuple(own)) for sentence, own in zip(sentences, spans, strict=True)]

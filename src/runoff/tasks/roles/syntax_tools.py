"""Everything that gives syntax and predicates to sentences, by the names of files."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from runoff.errors import UsageError
from runoff.formats.streams import bare_name
from runoff.tasks.roles.annotation import MISSING, known_tags, with_tags, with_tree_clauses, with_trees
from runoff.tasks.roles.propositions import RoleSentence
from runoff.tasks.roles.role_files import read_roles
from runoff.tasks.tagging.raw_text import read_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from runoff.tasks.tagging.tag_sources import TagSource

Tool: TypeAlias = "str | Path | TagSource | None"
OF_TREES = "tree"  # clauses that are constituents of trees
_ORDER = ("pos", "chunks", "clauses", "entities")  # chunks look at parts of speech, clauses at both
_PLURALS = {"tree": "trees", "pos": "parts of speech", "propositions": "predicates"}


@dataclass(frozen=True)
class SyntaxTools:
    """Tools that add syntax to sentences: files that Runoff wrote, or objects with a method `label`.

    Parameters
    ----------
    trees
        A grammar (`runoff parse train`), lists of parses, or trees in brackets, which are found by their words.
    reranker
        Model that chooses among the parses, from `runoff train`.
    best, temperature
        How many trees a sentence gets, with probabilities: a softmax of scores divided by the temperature.
    missing
        What becomes of a sentence without a tree: "leave", "flat" or "error"; see `with_trees`.
    pos, chunks, entities
        Taggers. Without one of parts of speech, sentences without any get those of their trees.
    clauses
        A tagger of clauses, or "tree": the clauses of the trees.
    predicates
        A finder of predicates (`train_finder`).
    replace
        Also replace what sentences have already; else only what is missing is added.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "trees.mrg"
    >>> _ = path.write_text("(S (NP (PRP I)) (VP (VBD left)))")
    >>> (sentence,) = SyntaxTools(trees=path, clauses="tree").annotate([RoleSentence(("I", "left"))])
    >>> sentence.pos, sentence.clauses, str(sentence.tree)
    (('PRP', 'VBD'), ((0, 2),), '(TOP (S (NP (PRP I)) (VP (VBD left))))')
    """

    trees: str | Path | None = None
    reranker: str | Path | None = None
    best: int = 1
    temperature: float = 1.0
    missing: str = "leave"
    pos: Tool = None
    chunks: Tool = None
    clauses: Tool = None
    entities: Tool = None
    predicates: Any = None  # path, or `PredicateFinder`
    replace: bool = False

    def __post_init__(self) -> None:
        if self.missing not in MISSING:
            raise UsageError(f"missing must be one of {', '.join(MISSING)}; found {self.missing!r}.")
        if self.reranker is not None and self.trees is None:
            raise UsageError("a reranker chooses among trees; name a grammar or lists of parses (--trees).")
        if self.best != 1 and self.trees is None:
            raise UsageError("several trees per sentence come from a grammar or from lists of parses (--trees).")

    def annotate(
        self, sentences: Sequence[RoleSentence], *, notes: list[str] | None = None, verbose: bool = False
    ) -> list[RoleSentence]:
        """The sentences with what the tools find: trees, tags in the order in which they need each other, predicates.

        `notes` receives what was left without, and what was kept because the sentences had it.
        """
        said = [] if notes is None else notes
        found = list(sentences)
        if self.trees is not None:
            found = self._where_missing(found, "tree", said, lambda part: self._parsed(part, said, verbose=verbose))
        for what in _ORDER:
            tool = getattr(self, what)
            if what == "clauses" and tool is not None and str(tool) == OF_TREES:
                found = self._where_missing(found, what, said, partial(with_tree_clauses, notes=said))
            elif tool is not None:
                found = self._where_missing(found, what, said, partial(with_tags, tool=_tagger(tool), what=what))
            if what == "pos" and self.trees is not None:
                found = [replace(each, pos=known_tags(each)) if each.pos is None else each for each in found]
        if self.predicates is not None:
            found = self._with_predicates(found, said)
        return found

    def _where_missing(
        self,
        sentences: list[RoleSentence],
        what: str,
        notes: list[str],
        add: Callable[[list[RoleSentence]], list[RoleSentence]],
    ) -> list[RoleSentence]:
        """Work on all sentences that have none yet, at once."""
        chosen = [at for at, each in enumerate(sentences) if self.replace or getattr(each, what) is None]
        kept = len(sentences) - len(chosen)
        if kept:
            name = _PLURALS.get(what, what)
            notes.append(f"Sentences that had {name} already, which were kept (--replace replaces them): {kept:,}.")
        found = list(sentences)
        for at, each in zip(chosen, add([sentences[at] for at in chosen]) if chosen else [], strict=True):
            found[at] = each
        return found

    def _parsed(self, sentences: list[RoleSentence], notes: list[str], *, verbose: bool) -> list[RoleSentence]:
        from runoff.tasks.parsing.grammar import load_grammar
        from runoff.tasks.roles.tree_sources import is_model, read_weighted_parses, with_parses

        if self.trees is None:
            return sentences
        how: Any = {
            "best": self.best,
            "temperature": self.temperature,
            "reranker": self.reranker,
            "notes": notes,
        }
        if is_model(self.trees):
            grammar = load_grammar(self.trees)
            return with_parses(sentences, grammar, verbose=verbose, **how)
        trees = read_weighted_parses(self.trees, **how)
        return with_trees(sentences, trees, missing=self.missing, notes=notes)

    def _with_predicates(self, sentences: list[RoleSentence], notes: list[str]) -> list[RoleSentence]:
        from runoff.tasks.roles.predicate_file import load_finder

        # A sentence without predicates says nothing where others have some.
        if not self.replace and any(each.propositions for each in sentences):
            notes.append("The sentences had predicates already, which were kept (--replace replaces them).")
            return sentences
        finder = load_finder(self.predicates) if isinstance(self.predicates, str | Path) else self.predicates
        found: list[RoleSentence] = finder.find(sentences)
        return found


def read_raw(
    path: str | Path, *, sentences: Literal["lines", "rules", "words"] = "lines", notes: list[str] | None = None
) -> list[RoleSentence]:
    r"""Read sentences from raw text, without any syntax; lines without words are left out and counted in `notes`.

    Parameters
    ----------
    path
        The text, plain, gzip or zstd.
    sentences
        "lines": one per line; "rules": found by rules; "words": one per line, words between blanks.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "a.txt"
    >>> _ = path.write_text("He left.\n\nShe didn't.\n")
    >>> [(each.id, each.words) for each in read_raw(path)]
    [('1', ('He', 'left', '.')), ('3', ('She', 'did', "n't", '.'))]
    """
    corpus = read_text(path, sentences=sentences)
    words, offsets = corpus["word"].texts(), corpus.offsets.tolist()
    found = [
        RoleSentence(tuple(words[offsets[at] : offsets[at + 1]]), id=str(at + 1))
        for at in range(len(corpus))
        if offsets[at] < offsets[at + 1]
    ]
    if notes is not None and len(found) < len(corpus):
        notes.append(f"Lines without words were left out: {len(corpus) - len(found):,}.")
    return found


def is_raw(path: str | Path) -> bool:
    """Whether the name of a file says that it is raw text.

    Examples
    --------
    >>> is_raw("a.txt.gz"), is_raw("a.conll")
    (True, False)
    """
    return bare_name(path).endswith((".txt", ".text"))


def read_sentences_of(
    path: str | Path, sentences: Literal["lines", "rules", "words"] | None = None, notes: list[str] | None = None
) -> list[RoleSentence]:
    """Sentences of a file of roles, or of raw text: a file .txt, or any with `sentences`.

    Examples
    --------
    >>> read_sentences_of("text.txt", "rules")  # doctest: +SKIP
    """
    if sentences is None and not is_raw(path):
        return read_roles(path, notes=notes)
    return read_raw(path, sentences=sentences or "lines", notes=notes)


def _tagger(tool: Any) -> Any:
    from runoff.tasks.tagging.tagger_file import load_tagger

    return load_tagger(tool) if isinstance(tool, str | Path) else tool

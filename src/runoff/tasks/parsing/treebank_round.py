"""The first round of the parsing pipeline: from a treebank to lists of parses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from runoff.tables import counted
from runoff.tasks import FirstRound
from runoff.tasks.parsing.first_round import parse_sentences
from runoff.tasks.parsing.folds import folds_of
from runoff.tasks.parsing.grammar import VERSION, Settings, load_grammar, train_grammar
from runoff.tasks.parsing.jackknifing import jackknife
from runoff.tasks.parsing.lists import write_lists
from runoff.tasks.parsing.treebank_parts import folds_for, read_parts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from runoff.tasks.parsing.first_round import Parser, ParserOutput
    from runoff.tasks.parsing.treebank import Treebank
    from runoff.tasks.parsing.treebank_parts import Paths, TreebankParts

PIPELINE_METRICS = ("parseval", "parseval[part=exact]", "parseval[part=tags]", "evalb")
_OF_THIS_RUN = ("seconds", "kept", "sentences_per_second", "notes")  # not of the lists


class TreebankRound(FirstRound):
    """A head-driven grammar, trained on a treebank, that proposes the best trees of a sentence.

    Examples
    --------
    >>> TreebankRound(Settings(lexical=False)).options["settings"]["lexical"]
    False
    """

    proposer_file = "grammar.runoff"
    proposer = "grammar"

    def __init__(self, settings: Settings | None = None) -> None:
        self.settings = settings or Settings()

    @property
    def options(self) -> Mapping[str, Any]:
        """Settings of the grammar, and the version of its code."""
        return {"settings": self.settings.to_dict(), "grammar": VERSION}

    def read(self, paths: Paths, dev: float | Paths, test: float | Paths, seed: int) -> TreebankParts:
        """Read a treebank and split it between documents."""
        return read_parts(paths, dev, test, seed)

    def folds_for(self, train: Treebank, folds: int | None) -> int:
        """The given number; else ten, or the number of documents if there are fewer."""
        count = folds_for(train, folds)
        folds_of(train, count)  # raises for an impossible number before the work starts
        return count

    def train(self, material: Treebank, path: Path) -> dict[str, Any]:
        """Train a grammar on all trees."""
        grammar = train_grammar(material.trees(), self.settings)
        grammar.save(path)
        return dict(grammar.describe())

    def propose(
        self,
        proposer: Path,
        material: Treebank,
        path: Path,
        *,
        k: int,
        threads: int | None,
        verbose: bool,
        say: Callable[[str], object],
    ) -> dict[str, Any]:
        """Parse the sentences."""
        parser = _Counting(load_grammar(proposer))
        write_lists(parse_sentences(parser, material, k, threads=threads, verbose=verbose), path)
        if parser.flat:
            say(f"note: {counted(len(parser.flat), 'sentences')} had no parse and got a flat tree.")
        if parser.backed_off:
            say(f"note: {counted(len(parser.backed_off), 'sentences')} had a parse only by backing off.")
        return {"flat": len(parser.flat), "backed_off": len(parser.backed_off)}

    def jackknife(
        self,
        material: Treebank,
        path: Path,
        *,
        k: int,
        folds: int,
        threads: int | None,
        verbose: bool,
        say: Callable[[str], object],
    ) -> dict[str, Any]:
        """Parse every fold with a grammar of the others."""
        summary = jackknife(material, path, self.settings, k=k, folds=folds, threads=threads, verbose=verbose)
        for note in summary.notes:
            say(f"note: {note}")
        say(str(summary))
        return {name: value for name, value in summary.to_dict().items() if name not in _OF_THIS_RUN}


class _Counting:
    """A parser that records sentences without a parse, or without one at first; thread-safe."""

    def __init__(self, parser: Parser) -> None:
        self._parser = parser
        self.flat: list[Sequence[str]] = []
        self.backed_off: list[Sequence[str]] = []

    def nbest(self, words: Sequence[str], k: int = 50) -> ParserOutput:
        found = self._parser.nbest(words, k)
        if found.is_flat:
            self.flat.append(words)
        if found.is_backed_off:
            self.backed_off.append(words)
        return found

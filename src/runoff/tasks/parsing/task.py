"""Parsing as a task; modules are imported when they are needed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, ClassVar

from runoff.tasks import CommandGroup, Task, register

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import pyarrow as pa

    from runoff.arrays import Floats
    from runoff.combine.parts import PartReader
    from runoff.learners import Learner
    from runoff.metrics import Metric
    from runoff.model import Choice, LinearModel
    from runoff.nbest import NBest
    from runoff.ranking import Ranking
    from runoff.tasks.drawing import TreeDrawing
    from runoff.tasks.parsing.explanation import ParseExplanation
    from runoff.tasks.parsing.parts_table import PartsTable
    from runoff.tasks.parsing.treebank_round import TreebankRound

_ROOM = "runoff.tasks.parsing"
NO_TREE = "(())"  # for a sentence without a tree


class ParsingTask(Task):
    """Trees of a parser, scored with PARSEVAL against gold trees."""

    name = "parsing"
    title = "trees in brackets"
    formats: ClassVar[Mapping[str, str]] = {
        "parse-jsonl": f"{_ROOM}.formats:JSONL",
        "bllip": f"{_ROOM}.formats:BLLIP",
        "brackets": f"{_ROOM}.formats:BRACKETS",
    }
    metrics: ClassVar[Mapping[str, str]] = {
        "parseval": f"{_ROOM}.metric:Parseval",
        "evalb": f"{_ROOM}.metric:Evalb",
    }
    featurizers: ClassVar[Mapping[str, str]] = {"parsing": f"{_ROOM}.featurizer:ParseFeaturizer"}
    papers: ClassVar[Mapping[str, str]] = {
        "collins-koo-2005": f"{_ROOM}.papers.collins_koo_2005:PAPER",
        "shen-joshi-2004": f"{_ROOM}.papers.shen_joshi_2004:PAPER",
        "shen-joshi-2005": f"{_ROOM}.papers.shen_joshi_2005:PAPER",
    }
    commands = CommandGroup(
        "parse",
        f"{_ROOM}.commands:parse",
        "Parses: a parser from a treebank, the whole pipeline, EVALB's numbers.",
    )
    reported = "parseval,parseval@40,evalb,evalb@40"
    default_recipes = ("orum", "loglinear")
    is_readable = False
    text_endings = (".txt", ".mrg", ".trees")

    def recognises(self, data: NBest) -> bool:
        """Candidates that are trees in brackets."""
        from runoff.tasks.parsing.parse_data import are_trees

        return are_trees(data)

    def canonical(self, texts: pa.Array) -> pa.Array:
        """Trees with single blanks and the root TOP."""
        from runoff.tasks.parsing.canonical_trees import canonical_trees

        return canonical_trees(texts)

    def expected(self, data: NBest, weights: Floats, metric: Metric) -> Floats:  # noqa: ARG002 - trees have one measure
        """Expected F of the constituents."""
        from runoff.tasks.parsing.features.agreement import expected_f_of

        return expected_f_of(data, weights)

    def default_learner(self) -> Learner:
        """The perceptron that works best on parses."""
        from runoff.tasks.parsing.recipes import recipe

        return recipe("orum")

    def recipes(self) -> Mapping[str, Any]:
        """Learners that work well on parses."""
        from runoff.tasks.parsing.recipes import RECIPES

        return RECIPES

    def tabulate(self, data: NBest, choices: Mapping[str, Ranking]) -> PartsTable | None:
        """All parts of PARSEVAL, where there are gold trees."""
        from runoff.tasks.parsing.features.extract import gold_of
        from runoff.tasks.parsing.parts_table import PartsTable

        has_all = {"evalb", "parseval"} <= data.stats.keys()
        return PartsTable.of(data, choices) if has_all or gold_of(data).any() else None

    def explain(
        self, model: LinearModel, data: NBest, group: str, against: str | int | None = None
    ) -> ParseExplanation:
        """The features that decided, and both trees with their differences marked."""
        from runoff.tasks.parsing.explanation import explain

        return explain(model, data, group, against)

    def drawing(
        self,
        part: NBest,
        text: str,
        index: int | None = None,  # noqa: ARG002 - the text says all
        model: LinearModel | None = None,  # noqa: ARG002
    ) -> TreeDrawing:
        """The tree without traces and function tags."""
        from runoff.tasks.parsing.explanation import plain_tree
        from runoff.tasks.parsing.tree_display import tree_drawing

        return tree_drawing(plain_tree(text, f"list {part.group_ids[0].as_py()!r}"))

    def parts(self, metric: str | None = None) -> PartReader:  # noqa: ARG002 - constituents, whatever the metric
        """Constituents."""
        from runoff.tasks.parsing.constituent_parts import ConstituentParts

        return ConstituentParts()

    def reads_solutions(self, path: Path) -> bool:
        """Files of trees in brackets."""
        from runoff.tasks.parsing.tree_solutions import has_trees

        return has_trees(path)

    def read_solutions(self, path: Path, words: Path | None = None) -> NBest:  # noqa: ARG002 - the words are there
        """One list for every tree."""
        from runoff.tasks.parsing.tree_solutions import read_tree_solutions

        return read_tree_solutions(path)

    def write_solutions(self, data: NBest, path: Path, like: Path, words: Path | None = None) -> list[str]:  # noqa: ARG002
        """The trees, one per line."""
        from runoff.tasks.parsing.tree_solutions import write_tree_solutions

        return write_tree_solutions(data, path)

    def solution_lines(self, path: Path) -> list[int]:
        """Where trees begin."""
        from runoff.tasks.parsing.tree_solutions import lines_of_trees

        return lines_of_trees(path)

    def line(self, choice: Choice) -> str:
        """The tree on one line; (()) for a list without candidates, so that line numbers match the lists."""
        # A no-break space is part of its word, so only ASCII whitespace is replaced.
        return NO_TREE if choice.text is None else re.sub(r"\s+", " ", choice.text.strip(), flags=re.ASCII)

    def lengths(self, data: NBest) -> Floats:
        """Words of the sentence, without punctuation if that is known."""
        from runoff.tasks.parsing.metric import WORDS

        if "parseval" not in data.stats or not data.n_candidates:
            return super().lengths(data)
        import numpy as np

        starts = np.minimum(data.offsets[:-1], data.n_candidates - 1)
        words: Floats = data.stats["parseval"][starts, WORDS]
        return words

    def first_round(self, **settings: Any) -> TreebankRound:
        """A head-driven parser, trained on a treebank."""
        from runoff.tasks.parsing.grammar import Settings
        from runoff.tasks.parsing.treebank_round import TreebankRound

        return TreebankRound(Settings(**settings))


register(ParsingTask())

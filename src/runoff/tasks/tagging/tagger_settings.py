"""How a tagger is trained, as plain values: for commands, for pipelines, and for what resumes."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from runoff.errors import UsageError
from runoff.learners import BoostedChain, ChainCRF, ChainPerceptron, GreedyChain
from runoff.tasks.tagging.bracket_column import has_brackets
from runoff.tasks.tagging.clause_templates import fitting
from runoff.tasks.tagging.clause_training import train_clauses
from runoff.tasks.tagging.recipes import RECIPES, tagger_recipe
from runoff.tasks.tagging.span_rules import span_tags
from runoff.tasks.tagging.templates import Templates
from runoff.tasks.tagging.training import train_tagger

if TYPE_CHECKING:
    from runoff.tasks.tagging.clause_tagger import ClauseTagger
    from runoff.tasks.tagging.corpus import Corpus
    from runoff.tasks.tagging.tagger import Tagger

LEARNERS: dict[str, Any] = {
    "perceptron": ChainPerceptron,
    "crf": ChainCRF,
    "greedy": GreedyChain,
    "trees": BoostedChain,
}


@dataclass(frozen=True)
class TaggerSettings:
    """A recipe, and what is to be different.

    Examples
    --------
    >>> from runoff.tasks.tagging.corpus import Corpus
    >>> corpus = Corpus.of({"word": ["a", "cat", "a"], "tag": ["DT", "NN", "DT"]}, sizes=[2, 1])
    >>> TaggerSettings("pos").train(corpus, "tag").label(corpus).texts()
    ['DT', 'NN', 'DT']
    """

    recipe: str = "entities"
    templates: str | None = None  # a file, in place of the recipe's
    learner: str | None = None  # one of `LEARNERS`, in place of the recipe's
    parameters: dict[str, Any] = field(default_factory=dict)  # of the learner
    min_count: int | None = None
    legal: str = "any"
    dictionary: int | None = None

    def __post_init__(self) -> None:
        if self.recipe not in RECIPES:
            raise UsageError(f"there is no recipe {self.recipe!r}; there are: {', '.join(RECIPES)}.")
        if self.learner is not None and self.learner not in LEARNERS:
            raise UsageError(f"there is no learner {self.learner!r} for tags; there are: {', '.join(LEARNERS)}.")

    def train(
        self,
        corpus: Corpus,
        tag: str,
        dev: Corpus | None = None,
        *,
        verbose: bool = False,
        checkpoint: str | None = None,
        notes: list[str] | None = None,
    ) -> Tagger | ClauseTagger:
        """Train a tagger for the tags of a column; one of clauses where the recipe is theirs and it has brackets.

        A recipe's templates that look at columns which are not there are left out, and `notes` says so.
        """
        recipe = tagger_recipe(self.recipe)
        pupil = recipe.learner if self.learner is None else LEARNERS[self.learner]()
        pupil.set_params(**self.parameters)
        pupil.set_params(verbose=verbose, checkpoint=checkpoint)
        templates = None if self.templates is None else Templates.read(self.templates)
        if self.recipe == "clauses" and has_brackets(corpus[tag]):
            if self.legal != "any" or self.dictionary is not None:
                raise UsageError("clauses are limited by their brackets alone; give neither legal nor dictionary.")
            return train_clauses(
                corpus, tag, templates=templates, learner=pupil, dev=dev, min_count=self.min_count, notes=notes
            )
        least = self.min_count
        if templates is None and not any(map(str.isdecimal, corpus.columns)):  # what has no name may be what is needed
            others = [name for name in corpus.columns if name != tag]
            templates = fitting(recipe.templates, others, [] if notes is None else notes)
            least = least or recipe.min_count
        return train_tagger(
            corpus,
            tag,
            self.recipe,
            templates=templates,
            learner=pupil,
            dev=dev,
            min_count=least,
            legal=self.legal,
            dictionary=self.dictionary,
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values that tell one training from another; of templates, their text."""
        lines = None if self.templates is None else list(Templates.read(self.templates).lines)
        return {**asdict(self), "templates": lines}


def metric_of(tagger: Tagger) -> str:
    """What taggings are usually judged by: phrases where tags are such, else tags.

    Examples
    --------
    >>> from runoff.tasks.tagging.corpus import Corpus
    >>> corpus = Corpus.of({"word": ["a", "cat"], "tag": ["B-NP", "I-NP"]}, sizes=[2])
    >>> metric_of(TaggerSettings("pos").train(corpus, "tag"))
    'conlleval'
    """
    return "tag-accuracy" if span_tags(tagger.tags) is None else "conlleval"

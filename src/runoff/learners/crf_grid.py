"""The hyperparameter grid of a conditional random field: the values that are tried, and in which order."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from runoff.errors import UsageError
from runoff.kernels.crf_order_objectives import MOST_ENUMERATED, MOST_EXACT
from runoff.learners.crf_run import CRFSetting

if TYPE_CHECKING:
    from collections.abc import Callable

    from runoff.learners.crf import CRF

OneOrSeveral: TypeAlias = (
    float | Sequence[float] | Literal["auto"]
)  # a value, values to choose from, or the default grid

# What "auto" tries. The first value is used while earlier parameters are chosen.
RATES = {"sgd": (0.1, 0.01, 0.001), "adam": (0.01, 0.003, 0.001)}
STRENGTHS = {"la": (1.0, 10.0), "kl": (0.1, 1.0, 10.0)}
L2S = {"lbfgs": (1e-4, 1e-3, 1e-2, 1e-1), "sgd": (0.0, 1e-4, 1e-3, 1e-2), "adam": (0.0, 1e-4, 1e-3, 1e-2)}
DOCUMENTS = {"exact": (6, 8, 10), "enumerate": (6, 7)}


@dataclass(frozen=True)
class CRFGrid:
    """The values of every parameter that are tried.

    Not the full product, which would take too long: first rates with temperatures or loss weights, then, at the best
    of these, l2, then documents, whose cost grows fastest. L-BFGS has no rates and chooses l2 in their place.

    Examples
    --------
    >>> grid = CRFGrid("kl", strengths=(0.1, 1.0), rates=(0.01,), l2s=(0.0, 0.001), documents=(6, 8))
    >>> first = grid.first()
    >>> [str(each) for each in first]
    ['kl, temperature 0.1, rate 0.01, l2 0.0, 6 documents', 'kl, temperature 1.0, rate 0.01, l2 0.0, 6 documents']
    >>> for varied in grid.refinements().values():
    ...     print(*varied(first[1]))
    kl, temperature 1.0, rate 0.01, l2 0.001, 6 documents
    kl, temperature 1.0, rate 0.01, l2 0.0, 8 documents
    """

    objective: str
    strengths: tuple[float, ...]
    rates: tuple[float, ...]
    l2s: tuple[float, ...]
    documents: tuple[int, ...]

    @classmethod
    def of(cls, learner: CRF, longest: int) -> CRFGrid:
        """What a learner asks for, with lists of up to `longest` documents."""
        given = {"la": learner.loss_weight, "kl": learner.temperature}.get(learner.objective, 1.0)
        documents: tuple[float, ...] = (0,)
        if learner.space == "permutations":
            # LS beyond what can be enumerated is an estimate, which must be asked for.
            way = "enumerate" if learner.objective == "ls" else learner.orders
            documents = _values(learner.documents, DOCUMENTS[way])
            # Of those that cover every list, the smallest is enough.
            enough = min((each for each in documents if each >= longest), default=longest)
            documents = tuple(each for each in documents if each <= enough)
        return cls(
            learner.objective,
            _values(given, STRENGTHS.get(learner.objective, ())),
            (0.0,) if learner.way == "lbfgs" else _values(learner.rate, RATES[learner.way]),
            _values(learner.l2, L2S[learner.way]),
            tuple(int(each) for each in documents),
        )

    @property
    def _by_steps(self) -> bool:
        return self.rates != (0.0,)

    def first(self) -> list[CRFSetting]:
        """What is tried first."""
        l2s = self.l2s[:1] if self._by_steps else self.l2s
        return [
            CRFSetting(self.objective, strength, rate, l2, self.documents[0])
            for strength, rate, l2 in itertools.product(self.strengths, self.rates, l2s)
        ]

    def refinements(self) -> dict[str, Callable[[CRFSetting], list[CRFSetting]]]:
        """What is tried then, beside the best setting so far, by the name of what is varied."""
        found: dict[str, Callable[[CRFSetting], list[CRFSetting]]] = {}
        if self._by_steps and len(self.l2s) > 1:
            found["l2"] = lambda best: [replace(best, l2=each) for each in self.l2s if each != best.l2]
        if len(self.documents) > 1:
            found["documents"] = lambda best: [
                replace(best, documents=each) for each in self.documents if each != best.documents
            ]
        return found


def check_documents(learner: CRF) -> None:
    """Raise for more documents than can be summed over."""
    most = MOST_ENUMERATED if learner.orders == "enumerate" else MOST_EXACT
    for each in _values(learner.documents, ()):
        if each > most:
            raise UsageError(f'orders="{learner.orders}" can take up to {most} documents; found documents={each:g}.')


def unused_parameters(learner: CRF) -> list[str]:
    """Parameters that were given and have no effect with this objective, space and method.

    Examples
    --------
    >>> from runoff import CRF
    >>> unused_parameters(CRF("ml", temperature=2.0, rate=0.1, l2=0.01))
    ['temperature', 'rate']
    """
    orders = learner.space == "permutations"
    used = {
        "temperature": learner.objective == "kl",
        "loss_weight": learner.objective == "la",
        "samples": orders and learner.objective == "ls" and learner.orders == "exact",
        **dict.fromkeys(("documents", "orders", "gain", "discount"), orders),
        **dict.fromkeys(("rate", "average", "epochs", "shuffle", "max_epochs", "patience"), learner.way != "lbfgs"),
        **dict.fromkeys(("max_iter", "tolerance"), learner.way == "lbfgs"),
    }
    usual = learner.parameters()
    return [name for name, value in learner.get_params().items() if not used.get(name, True) and value != usual[name]]


def _values(given: Any, usual: Sequence[float]) -> tuple[float, ...]:
    """The values to try, each once, in the order given."""
    if isinstance(given, str):
        return tuple(usual)
    several = given if isinstance(given, (list, tuple)) else (given,)
    return tuple(dict.fromkeys(float(each) for each in several))

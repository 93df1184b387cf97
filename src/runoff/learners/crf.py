"""Loss-sensitive conditional random fields (Volkovs, Larochelle & Zemel 2011), over candidates or whole rankings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from runoff.devices import device_name
from runoff.errors import UsageError
from runoff.kernels.crf_order_objectives import MOST_ENUMERATED
from runoff.learners.crf_grid import check_documents, unused_parameters
from runoff.learners.crf_problem import OBJECTIVES, CRFProblem
from runoff.learners.epoch_learner import EpochLearner
from runoff.parameters import choice, flag, number, one_or_several, optional, parameter, whole
from runoff.tables import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from runoff.learners.crf_grid import OneOrSeveral
    from runoff.learners.crf_run import CRFRun, CRFSetting
    from runoff.nbest import NBest


@dataclass(eq=False, repr=False)
class CRF(EpochLearner):
    """Conditional random field `p(y) ∝ exp(-E(y))`, trained under the task's own loss.

    With space="candidates" an answer is one of a group's candidates and its energy minus its score: for n-best lists.
    With space="permutations" an answer is a whole order of the group's documents, with the energy
    `-Σ weight(rank) * score` and the loss 1 - NDCG: for rankings. Both end in a linear model.

    What is given and has no effect, such as a rate for L-BFGS, is named in the notes of the provenance.

    Parameters
    ----------
    objective
        "ml": likelihood of the correct answers (those with zero loss), as the mean of their logarithms; the paper has
        the sum, by which a group with more correct answers counts more. "la", "ls": the same with energies lowered by
        the loss, or scaled by it; both are upper bounds of the loss, "la" for a loss weight of at least 1. "el":
        expected loss. "kl": divergence from the distribution `exp(-loss / temperature)`.
    space
        "candidates" or "permutations".
    method
        "lbfgs": all groups at once (candidates only). "sgd": a step after every group. "adam": steps by Adam. "auto":
        "lbfgs" for candidates, "sgd" for permutations.
    temperature, loss_weight
        For "kl" and "la". Losses of candidates are differences from the best quality of the group, divided by the loss
        of the worst choice in the median group, so that a few sentinel values do not set the unit; those of orders lie
        between 0 and 1. A number; a list: the best of these on dev or by folds; "auto": the best of a few.
    rate
        Learning rate; a number, a list or "auto" as above.
    l2
        L2 penalty: weight of half the squared weights, except that of the first round's score; a number, a list or
        "auto" as above. With Adam it is decoupled weight decay (AdamW, Loshchilov & Hutter 2019), which shrinks
        features with large gradients more than the penalty would.
    documents
        Permutations: size of the sample that represents a longer list, drawn at every visit so that every grade is
        among them. Costs O(2**documents * documents) per visit; up to 16. A number, a list or "auto" as above.
        Not all combinations are tried: rate with temperature or loss weight first, then l2 at the best of these, then
        documents, each with the first value of what comes later. L-BFGS tries temperature or loss weight with l2.
    orders
        Permutations: "exact": sums over all orders by dynamic programming. "enumerate": order by order, as in the
        paper, for up to 7 documents. "ls" has no exact form: it is enumerated up to 7 documents, and with more, if
        asked for, estimated from `samples` orders by importance sampling from flatter models: its gradients are then
        noisy, and its value is too low on average. The model's provenance says so, and gives the effective sample size.
    samples
        See `orders`.
    gain, discount
        Permutations: "r" or "2^r-1"; "log": log 2 / log(1 + rank), or "letor": none for the first two ranks, then
        1 / log2(rank).
    average
        With "sgd" and "adam": average the weights over all steps, or take the last.
    epochs
        Passes over the groups; "auto": up to `max_epochs`, stopping `patience` epochs after the best on dev or by
        folds.
    scale
        "spread": measure every feature by its spread within groups. "none": as they are. "auto": "none" if all values
        are ones, else "spread".
    base
        Use the first round's score if there is one; its weight is not penalised.
    min_groups
        Leave out features that occur in fewer groups.
    shuffle
        Shuffle the groups before every epoch, or visit them in the order of the data.
    max_epochs, patience
        See `epochs`. A patience of None (`none` in the shell) tries all `max_epochs`.
    max_iter, tolerance
        When L-BFGS stops: number of steps, and largest gradient component relative to that at the start. It also stops
        where a step no longer lowers the objective in double precision; that counts as converged if the gradient has
        fallen to 1e-5.
    device
        Where L-BFGS sums up: None, with this package's compiled loops; "cuda", "cuda:1" or "cpu" with torch, for dense
        features, see `runoff.learners.dense_lists`. Weights differ in the last digits.
    checkpoint
        File to which progress is saved; an interrupted run with the same data and parameters resumes from it and ends
        bit-identical. Ctrl-C ends the training early and keeps the model so far. Of L-BFGS only finished minimisations
        are saved: one that was stopped leaves its model, and starts over.
    metric
        What chooses on dev data or by folds, and what `score` returns; default: the data's usual metric, else quality
        of the picks, or NDCG for permutations.
    group_by
        What folds keep together: the name of an attribute of the lists, such as a speaker, or "none". Default: lists
        that share a reference or an input; see `runoff.blocks`.
    group_ranks, leaves, products
        Add features: the ranks within the group of dense columns, see `runoff.features.fit_group_ranks`; the leaves of
        so many boosted trees, see `runoff.learners.fit_leaves`; the products of features that are there together in so
        many groups, see `runoff.features.fit_products`.
    bags
        Take the mean of the models of so many bootstrap samples of the lists, each with the settings that are best on
        all of them (Breiman 1996): steadier where lists are few, at the cost of as many trainings.
    missing
        What stands in place of missing values: the "mean" of the list; what the other columns say ("regress"); or
        "auto", the second where columns go together, see `runoff.features.fit_estimates`.
    seed
        Seed of everything that is drawn.
    verbose
        Show progress.
    calibration
        Where the confidence of choices is fitted: "auto" takes dev data, or folds where settings are chosen by folds;
        "folds" takes folds also where all settings are given; "none" fits none. See `runoff.calibrate`.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> train = NBest.from_arrays([[1, 0], [0, 1], [1, 1], [0, 1]], quality=[1, 0, 1, 0], sizes=[2, 2])
    >>> CRF(objective="kl", temperature=0.1, l2=0.01).fit(train).predict(train).tolist()
    [0, 0]
    """

    name = "crf"
    objective: Literal["ml", "la", "ls", "el", "kl"] = parameter("kl", choice(*OBJECTIVES))
    space: Literal["candidates", "permutations"] = parameter("candidates", choice("candidates", "permutations"))
    method: Literal["auto", "lbfgs", "sgd", "adam"] = parameter("auto", choice("auto", "lbfgs", "sgd", "adam"))
    temperature: OneOrSeveral = parameter("auto", one_or_several(number()))
    loss_weight: OneOrSeveral = parameter("auto", one_or_several(number(zero=True)))
    rate: OneOrSeveral = parameter("auto", one_or_several(number()))
    l2: OneOrSeveral = parameter("auto", one_or_several(number(zero=True)))
    documents: int | Sequence[int] | Literal["auto"] = parameter("auto", one_or_several(whole(2)))
    orders: Literal["exact", "enumerate"] = parameter("exact", choice("exact", "enumerate"))
    samples: int = parameter(200, whole(1))
    gain: Literal["r", "2^r-1"] = parameter("r", choice("r", "2^r-1"))
    discount: Literal["log", "letor"] = parameter("log", choice("log", "letor"))
    average: bool = parameter(True, flag)
    max_iter: int = parameter(200, whole(1))
    tolerance: float = parameter(1e-6, number(zero=True))
    device: str | None = parameter(None, optional(device_name))

    @property
    def own_metric(self) -> str | None:
        """NDCG where whole rankings are learned."""
        return "ndcg" if self.space == "permutations" else None

    @property
    def way(self) -> str:
        """The method, with "auto" resolved for the space."""
        if self.method != "auto":
            return self.method
        return "lbfgs" if self.space == "candidates" else "sgd"

    @property
    def chooses_epochs(self) -> bool:
        """L-BFGS has none to choose."""
        return self.way != "lbfgs" and self.epochs == "auto"

    @property
    def has_epochs(self) -> bool:
        """L-BFGS has none."""
        return self.way != "lbfgs"

    def _problem(self, train: NBest) -> CRFProblem:
        if self.space == "permutations":
            if self.way == "lbfgs":
                raise UsageError('whole rankings are learned step by step: use method="sgd" or "adam".')
            check_documents(self)
        if self.device is not None and self.way != "lbfgs":
            raise UsageError(
                f"a device is for L-BFGS, and this random field learns by {self.way}, step by step; leave device out."
            )
        return CRFProblem(train, self)

    def _refinements(self, problem: CRFProblem) -> dict[str, Callable[[CRFSetting], list[CRFSetting]]]:
        return problem.grid.refinements()

    def _facts(self, run: CRFRun) -> dict[str, Any]:
        epoch, setting = run.so_far().epoch, run.setting
        facts: dict[str, Any] = {"objective": setting.objective, "setting": str(setting)}
        facts |= {"la": {"loss_weight": setting.strength}, "kl": {"temperature": setting.strength}}.get(
            setting.objective, {}
        )
        if setting.rate:
            facts["rate"] = setting.rate
        last = run.history[epoch - 1] if epoch else {}
        facts |= {"l2": setting.l2, "loss": last.get("loss")}
        if not self.has_epochs:
            facts["steps"] = int(run.state.counters[0])
        if self.space == "candidates":
            facts["loss_unit"] = run.loss_unit
        else:
            facts["documents"] = setting.documents
        if "effective_samples" in last:
            facts["effective_samples"] = last["effective_samples"]
        return facts

    def _notes(self, train: NBest) -> list[str]:  # noqa: ARG002 - the same for all data
        names = unused_parameters(self)
        if not names:
            return []
        what = f"{self.objective} by {self.way} over {self.space}"
        return [f"{'it has' if len(names) == 1 else 'they have'} no effect with {what}: {', '.join(names)}."]

    def _notes_on(self, run: CRFRun) -> list[str]:
        documents = run.setting.documents
        if self.objective != "ls" or documents <= MOST_ENUMERATED:
            return []
        effective = self._facts(run).get("effective_samples")
        worth = "" if effective is None else f", on average worth {effective:.1f} of equal weight"
        return [
            f"LS has no closed form over the orders of {documents} documents: every step is an estimate from "
            f"{counted(self.samples, 'orders')} drawn from flatter models{worth}, and so is the loss. Up to "
            f"{MOST_ENUMERATED} documents all orders are summed over."
        ]

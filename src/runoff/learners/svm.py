"""Support vector machine over pairs of candidates (Joachims 2002), linear or with products of pairs of features."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from runoff.arrays import frozen
from runoff.errors import UsageError, brief
from runoff.features import align, facts, fit_products, prepare
from runoff.features.added_columns import texts
from runoff.learners.base import Learner
from runoff.learners.early_stopping import DevScorer, dev_entry
from runoff.learners.feature_scaling import column_scales, warn_of_unused_features
from runoff.learners.svm_problem import SVMProblem
from runoff.model import LinearModel
from runoff.parameters import choice, flag, number, one_or_several, parameter, whole
from runoff.progress import progress

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.arrays import Floats, Ints
    from runoff.learners.svm_problem import HingeSolution
    from runoff.nbest import NBest

CS = (0.0001, 0.001, 0.01, 0.1, 1.0)
FOLDS = 5


def _names(value: Any) -> str | None:
    several = [value] if isinstance(value, str) else value
    fits = isinstance(several, (list, tuple)) and all(isinstance(name, str) for name in several)
    return None if fits else "the name of a feature, or a list of names"


@dataclass(eq=False, repr=False)
class SVM(Learner):
    """Support vector machine: minimise `½ |w|² + C Σ max(0, 1 - w · (best - other))` by dual coordinate descent.

    The ranking machine of Joachims (2002), on the best candidate of each list against each one that is worse; those
    that tie with it are left out. Solved as Hsieh et al. (2008) do, with shrinking. One pass costs O(stored values of
    the pairs), on one core; a strong C needs many more passes than a weak one.

    Lists of two, a candidate with features and one without any, make it a classifier: the features of the first are
    those of the item, and quality says which of the two is right. The intercept is then a column of the first, always
    1; name it in `free`, and it is penalised no more than scikit-learn's `SVC` penalises its own.

    With `degree=2` it makes the decisions of a machine with the polynomial kernel `(x · z + coef0)²`. The kernel is
    written out as columns (`runoff.features.fit_products`): every feature times `√(2 coef0)`, its square, and every
    product `a & b` of two features times `√2`; for features that are there or not, which are their own squares, every
    feature times `√(2 coef0 + 1)`. The kernel's constant `coef0²` is the same for all candidates of a list and cancels.
    The weights can be explained one by one, and candidates are scored without support vectors. It takes 4 bytes for
    every product of every candidate (8 where values are not all ones), k (k - 1) / 2 of them for k features.

    Parameters
    ----------
    C
        What an error costs; large values regularise less. A list, or "auto" for `CS`: the best on `dev`, or by five
        folds of groups without dev data.
    degree
        1 is linear; 2 adds the products of all pairs of features.
    coef0
        Of the kernel of degree 2: how much the features alone count beside their products.
    free
        Names of features that are not penalised, such as an intercept; they are in no product.
    loss
        "hinge", or its square: "squared".
    scale
        "spread": measure every feature by its spread within groups. "none": as they are, which is exactly the kernel.
        "auto": "none" if all values are ones, else "spread".
    min_groups
        Leave out features, and pairs of them, that occur in fewer groups.
    base
        Use the first round's score if there is one, as one more feature, of spread 1 and in no product.
    max_iter, tolerance
        When it ends: number of passes, and the largest error of a margin that a support vector may have.
    metric
        What chooses on dev data or by folds, and what `score` returns; default: the data's usual metric, else quality.
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
    seed
        Seed of the folds, and of the order of the pairs.
    verbose
        Show progress.
    calibration
        Where the confidence of choices is fitted: "auto" takes dev data, or folds where settings are chosen by folds;
        "folds" takes folds also where all settings are given; "none" fits none. See `runoff.calibrate`.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> items, labels = [[1, 0], [0, 1], [1, 1], [0, 0]], [1, 1, 0, 0]  # either, but not both
    >>> X = [row for a, b in items for row in ([1, a, b], [0, 0, 0])]  # take it, with an intercept, or leave it
    >>> quality = [value for label in labels for value in (label, 1 - label)]
    >>> lists = NBest.from_arrays(X, quality=quality, sizes=[2] * 4, feature_names=["bias", "a", "b"])
    >>> SVM(C=10.0, degree=2, free="bias").fit(lists).predict(lists).tolist()
    [0, 0, 1, 1]
    """

    name = "svm"
    C: float | Sequence[float] | Literal["auto"] = parameter("auto", one_or_several(number()))
    degree: int = parameter(1, whole(1, 2))
    coef0: float = parameter(1.0, number(zero=True))
    free: str | Sequence[str] = parameter((), _names)
    loss: Literal["hinge", "squared"] = parameter("hinge", choice("hinge", "squared"))
    scale: Literal["auto", "spread", "none"] = parameter("auto", choice("auto", "spread", "none"))
    min_groups: int = parameter(1, whole(1))
    base: bool = parameter(True, flag)
    max_iter: int = parameter(1000, whole(1))
    tolerance: float = parameter(0.01, number())

    def check_params(self) -> None:
        """Raise a `UsageError` for a value that a parameter does not take."""
        super().check_params()
        if self.degree == 1:
            self.refuse_unused("degree=1", "coef0")
        elif self.products:
            raise UsageError("SVM: degree=2 makes the products of all features already; leave products out.")

    def _learn(self, train: NBest, dev: NBest | None, steps: tuple[dict[str, Any], ...]) -> LinearModel:
        free = self._free_columns(train)
        factor = np.ones(train.features.n_columns)
        if self.degree == 2:
            step, factor = self._expansion(train, free)
            steps, train = (*steps, step), prepare(train, [step])
            dev = None if dev is None else prepare(dev, [step])
        scale = column_scales(train, self.scale, self.min_groups) * factor
        problem = SVMProblem.of(
            train,
            scale,
            free,
            base=self.base,
            squared=self.loss == "squared",
            tolerance=self.tolerance,
            max_iter=self.max_iter,
            seed=self.seed,
        )
        names = train.features.column_names()
        scorer = None if dev is None else DevScorer(dev, self.metric_for(train), names)
        provenance: dict[str, Any] = {"warnings": warn_of_unused_features(problem.gain, self.min_groups)}
        start: HingeSolution | None = None
        is_given = isinstance(self.C, Real)
        if is_given:
            C = float(cast("float", self.C))
        elif scorer is not None:
            self._choose_on(scorer.data)
            C, start = self._choose_on_dev(problem, scorer, provenance)
        else:
            C = self._choose_by_folds(problem, provenance)
        if start is None:
            with progress("support vectors", 0, verbose=self.verbose) as shown:
                start = problem.solve(C, step=shown, history=self.history)
        if not start.converged:
            provenance["warnings"].append(
                f"the passes ended before the tolerance was met; set max_iter above {self.max_iter:,} "
                "(or C lower, or scale=spread)."
            )
        provenance |= {
            "C": C,
            "steps": start.steps,
            "loss": start.primal,
            "dual": start.bound,
            "converged": start.converged,
            "pairs": start.dual.size,
            "support_vectors": start.supporting,
        }
        if scorer is not None:
            provenance["dev"] = dev_entry(scorer.metric, scorer.data, scorer.score(start.weights, start.base))
        return LinearModel(start.weights, names, start.base, steps, self._provenance(train, **provenance))

    def _free_columns(self, train: NBest) -> Ints:
        names = [self.free] if isinstance(self.free, str) else list(self.free)
        columns = pc.index_in(texts(names), value_set=train.features.column_names())
        if columns.null_count:
            unknown = texts(names).filter(columns.is_null())[0].as_py()
            raise UsageError(f"there is no feature {brief(unknown)} that could be free.")
        return frozen(np.unique(columns.to_numpy().astype(np.int64)))

    def _expansion(self, train: NBest, free: Ints) -> tuple[dict[str, Any], Floats]:
        """The step that makes the products, and the factor of every column after it."""
        names, n = train.features.column_names(), train.features.n_columns
        multiplied = np.setdiff1d(np.flatnonzero(facts(train).groups >= self.min_groups), free)
        step = fit_products(train, names.take(pa.array(multiplied)), self.min_groups, squares=True)
        left, right = step["left"], step["right"]
        single = np.full(n, np.sqrt(2 * self.coef0 + 1))
        squared = np.unique(left[left == right])
        column = frozen(align(train.features, texts(step["columns"])))
        single[np.isin(column, squared) & (column >= 0)] = np.sqrt(2 * self.coef0)
        single[free] = 1.0
        return step, np.append(single, np.where(left == right, 1.0, np.sqrt(2.0)))

    @property
    def _cs(self) -> tuple[float, ...]:
        """What is tried, from the smallest on: each starts from the solution of the one before."""
        return CS if isinstance(self.C, str) else tuple(sorted(map(float, np.atleast_1d(self.C))))

    def _choose_on_dev(
        self, problem: SVMProblem, scorer: DevScorer, provenance: dict[str, Any]
    ) -> tuple[float, HingeSolution]:
        cs = self._cs
        found: list[HingeSolution] = []
        sums: list[Floats] = []
        with progress("choosing C", len(cs), verbose=self.verbose) as step:
            for done, C in enumerate(cs, 1):
                found.append(problem.solve(C, start=found[-1] if found else None))
                sums.append(scorer.sums(found[-1].weights, found[-1].base))
                step(done, f"C {C:g}: {scorer.metric.label} {float(scorer.metric.score(sums[-1])):.4f}")
        provenance["C_scores"] = {str(C): float(scorer.metric.score(each)) for C, each in zip(cs, sums, strict=True)}
        best = int(np.argmax(scorer.metric.signed(np.array(sums))))
        return cs[best], found[best]

    def _choose_by_folds(self, problem: SVMProblem, provenance: dict[str, Any]) -> float:
        """The best C in cross-validation; folds share the data without copies."""
        train, cs = problem.data, self._cs
        fold_of = self.folds_within(train, FOLDS)
        folds = int(fold_of.max()) + 1
        if folds < 2:
            return cs[len(cs) // 2]
        scorer = DevScorer(train, self.metric_for(train), train.features.column_names())
        sums: list[Any] = [0.0] * len(cs)
        with progress("choosing C by folds", folds * len(cs), verbose=self.verbose) as step:
            for fold in range(folds):
                part, start = problem.within(np.flatnonzero(fold_of != fold)), None
                for at, C in enumerate(cs):
                    start = part.solve(C, start=start)
                    sums[at] = sums[at] + scorer.rows(start.weights, start.base)[fold_of == fold].sum(axis=0)
                    step(fold * len(cs) + at + 1, f"C {C:g}")
        scores = [float(scorer.metric.score(np.asarray(each))) for each in sums]
        provenance["C_scores"] = dict(zip(map(str, cs), scores, strict=True))
        return cs[int(np.argmax(scorer.metric.signed(np.array(sums))))]

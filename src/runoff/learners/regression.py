"""Linear regression of quality on features: the simplest of LETOR's baselines (Qin & Liu 2013)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import LinearOperator, lsqr

from runoff.arrays import frozen
from runoff.errors import DataError
from runoff.features import facts
from runoff.learners.base import Learner
from runoff.learners.early_stopping import DevScorer, dev_entry
from runoff.learners.feature_scaling import spread_within
from runoff.model import LinearModel
from runoff.parallel import one_blas_thread
from runoff.parameters import either, flag, number, parameter
from runoff.ranking import informative

if TYPE_CHECKING:
    from runoff.arrays import Floats
    from runoff.nbest import NBest

L2S = (1e-6, 1e-4, 1e-3, 1e-2, 1e-1, 1.0)
FOLDS = 5
_FEW = 1_000  # columns up to which a square table of them is cheap
_NOTHING = 1e-10  # eigenvalues below this share of the largest are rounding errors
_SOLVED = (0, 1, 2, 4, 5)  # exit codes of LSQR that mean convergence


@dataclass(eq=False, repr=False)
class Regression(Learner):
    """Ridge regression of quality on features, over all candidates.

    Minimises the mean of `(quality - intercept - weights · features)²` and `l2` times the squared weights, in units in
    which every feature has the standard deviation 1 over all candidates; where all values are ones they are taken as
    they are. Groups matter only for the choice of `l2`; the intercept changes no ranking and is not kept. Up to 1,000
    columns it costs O(candidates * columns²) in all, as every `l2` comes from the same decomposition; above, every one
    costs passes over the stored values: some dozens for a strong `l2`, up to thousands for a weak one or none.

    Parameters
    ----------
    l2
        0 is ordinary least squares, as in LETOR (the minimum-norm solution where there are many). "auto" tries `L2S`
        and keeps the best on dev, or by five folds of groups.
    base
        Use the first round's score if there is one, as one more feature.
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
    missing
        What stands in place of missing values: the "mean" of the list; what the other columns say ("regress"); or
        "auto", the second where columns go together, see `runoff.features.fit_estimates`.
    seed
        Seed of the folds.
    verbose
        Has no effect; every learner has it.
    calibration
        Where the confidence of choices is fitted: "auto" takes dev data, or folds where settings are chosen by folds;
        "folds" takes folds also where all settings are given; "none" fits none. See `runoff.calibrate`.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> train = NBest.from_arrays([[1, 0], [0, 1], [1, 1], [0, 0]], quality=[2, 1, 3, 0], sizes=[2, 2])
    >>> Regression(l2=0.0).fit(train).model.weights.round(6).tolist()
    [2.0, 1.0]
    """

    name = "regression"
    l2: float | Literal["auto"] = parameter("auto", either("auto", number(zero=True)))
    base: bool = parameter(True, flag)

    def _learn(self, train: NBest, dev: NBest | None, steps: tuple[dict[str, Any], ...]) -> LinearModel:
        if informative(train).size == 0:
            raise DataError("no group of the training data has a better and a worse candidate: nothing to learn.")
        provenance: dict[str, Any] = {}
        with one_blas_thread():
            whole = LeastSquares(train, use_base=self.base)
            scorer = None if dev is None else DevScorer(dev, self.metric_for(train), train.features.column_names())
            l2 = self._choose(whole, scorer, provenance) if self.l2 == "auto" else float(self.l2)
            weights, base_weight = whole.solve(l2)
        provenance |= {"l2": l2, "converged": whole.converged, "warnings": self._warnings(train)}
        if scorer is not None:
            provenance["dev"] = dev_entry(scorer.metric, scorer.data, scorer.score(weights, base_weight))
        names = train.features.column_names()
        return LinearModel(frozen(weights), names, base_weight, steps, self._provenance(train, **provenance))

    def _warnings(self, train: NBest) -> list[str]:
        by_base = self.base and train.base is not None and spread_within(train, train.base) > 0
        if by_base or facts(train).spread.any():
            return []
        return ["no feature differs between the candidates of a group: the model changes no order."]

    def _choose(self, whole: LeastSquares, scorer: DevScorer | None, provenance: dict[str, Any]) -> float:
        """The best `l2` on dev, or in cross-validation."""
        train = whole.data
        if scorer is not None:
            metric = scorer.metric
            self._choose_on(scorer.data)
            sums = np.array([scorer.sums(*whole.solve(l2)) for l2 in L2S])
        else:
            metric = self.metric_for(train)
            fold_of = self.folds_within(train, FOLDS)
            several = [self._held_out(train, fold_of == fold, metric) for fold in np.unique(fold_of)]
            if len(several) < 2:
                provenance["chosen_by_folds"] = f"too few groups to choose by; the strongest, l2 {L2S[-1]:g}, was taken"
                return L2S[-1]
            sums = np.sum(several, axis=0)
        scores = zip(L2S, metric.score(sums).tolist(), strict=True)
        provenance["chosen_by_folds" if scorer is None else "chosen_on_dev"] = {
            f"l2 {l2:g}": score for l2, score in scores
        }
        return L2S[int(np.argmax(metric.signed(sums)))]

    def _held_out(self, train: NBest, is_out: Any, metric: Any) -> Floats:
        part, scorer = train[~is_out], DevScorer(train[is_out], metric, train.features.column_names())
        if part.n_candidates == 0:
            return np.array([scorer.sums(np.zeros(train.features.n_columns), 0.0) for _ in L2S])
        squares = LeastSquares(part, use_base=self.base)
        return np.array([scorer.sums(*squares.solve(l2)) for l2 in L2S])


class LeastSquares:
    """Least squares of the data's quality on its columns, the first round's score being the last of them.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays([[1.0], [3.0]], quality=[0, 1], sizes=[2])
    >>> weights, base_weight = LeastSquares(data, use_base=False).solve(0.0)
    >>> weights.tolist(), base_weight
    ([0.5], 0.0)
    """

    def __init__(self, data: NBest, *, use_base: bool) -> None:
        if data.quality is None:
            raise DataError("quality is needed.")
        self.data, self.converged = data, True
        table = data.features.check().to_scipy().astype(np.float64)
        base, self._base_exponent = _below_one(data.base if use_base else None, data.n_candidates)
        self._table = sparse.csr_array(sparse.hstack([table, sparse.csr_array(base[:, None])]))
        _measure_from_the_first(self._table)
        rows, columns = self._table.shape
        self._mean = self._table.sum(axis=0) / rows
        squares = np.bincount(self._table.indices, self._table.data**2, minlength=columns) / rows
        top = abs(self._table).max(axis=0).toarray().ravel()
        variance = np.maximum(squares - self._mean**2, 0.0)
        usable = variance > _NOTHING * top**2
        self._scale = np.where(usable, 1 / np.sqrt(np.where(usable, variance, 1.0)), 0.0)
        if data.features.values is None:
            self._scale[:-1] = usable[:-1]
        quality, self._exponent = _below_one(data.quality, rows)
        apart = quality - quality[0]  # exact where all are large and similar, which a mean is not
        self._target = apart - apart.mean()
        self._parts = self._decomposed() if columns <= _FEW else None

    def solve(self, l2: float) -> tuple[Floats, float]:
        """Weights of the columns and of the first round's score, for features as the data has them."""
        if self._parts is None:
            point = self._iterated(l2)
        else:
            values, vectors, slopes = self._parts
            counts = values > _NOTHING * values.max()
            point = vectors @ np.where(counts, slopes / np.where(counts, values + l2, 1.0), 0.0)
        with np.errstate(over="ignore"):
            exponents = np.full(point.size, self._exponent)
            exponents[-1] -= self._base_exponent
            weights: Floats = np.ldexp(point * self._scale, exponents)
        if not np.isfinite(weights).all():
            raise DataError(
                "the scales of quality and features are too different for a weight; multiply one by a constant."
            )
        return weights[:-1], float(weights[-1])

    def _decomposed(self) -> tuple[Floats, Floats, Floats]:
        """Eigenvalues and vectors of the columns' correlations, and along these the correlations with the target."""
        rows = self._table.shape[0]
        products = (self._table.T @ self._table).toarray() / rows - np.outer(self._mean, self._mean)
        values, vectors = np.linalg.eigh(products * np.outer(self._scale, self._scale))
        slopes = self._scale * (self._table.T @ self._target) / rows
        return values, vectors, vectors.T @ slopes

    def _iterated(self, l2: float) -> Floats:
        """By LSQR (Paige & Saunders 1982), without making the table dense by centring it."""
        rows = self._table.shape[0]

        def forward(point: Floats) -> Floats:
            scaled = np.ravel(point) * self._scale
            product: Floats = self._table @ scaled - self._mean @ scaled
            return product

        def backward(residual: Floats) -> Floats:
            residual = np.ravel(residual)
            product: Floats = self._scale * (self._table.T @ residual - self._mean * residual.sum())
            return product

        centred = LinearOperator(self._table.shape, matvec=forward, rmatvec=backward, dtype=np.float64)
        found = lsqr(centred, self._target, damp=float(np.sqrt(rows * l2)), atol=1e-8, btol=1e-8)
        solution: Floats = found[0]
        self.converged = found[1] in _SOLVED
        return solution


def _below_one(values: Floats | None, rows: int) -> tuple[Floats, int]:
    """Values divided by a power of two, so that none is above 1, and its exponent."""
    if values is None:
        return np.zeros(rows), 0
    exponent = int(np.frexp(np.abs(values).max(initial=0.0))[1])
    return np.ldexp(values, -exponent), exponent


def _measure_from_the_first(table: sparse.csr_array) -> None:
    """Subtract the first row's value from every full column: a large common value would hide the differences."""
    rows, columns = table.shape
    shift = np.zeros(columns)
    first = slice(table.indptr[0], table.indptr[1])
    shift[table.indices[first]] = table.data[first]
    shift[np.bincount(table.indices, minlength=columns) < rows] = 0.0
    table.data -= shift[table.indices]

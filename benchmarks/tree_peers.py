"""LightGBM and XGBoost over lists, tuned on vali; what is not installed is left out."""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np

THREADS = 1  # quality alone is compared, and on a busy machine two would wait for each other
ROUNDS, PATIENCE = 500, 50


def peers(train: Any, vali: Any, wanted: tuple[str, ...] = ("lightgbm", "xgboost")) -> dict[str, Any]:
    """Scores by both, with leaves or depth, rate and objective by vali: MAP; for XGBoost NDCG, as its MAP is binary."""
    found: dict[str, Any] = {}
    if "lightgbm" in wanted and importlib.util.find_spec("lightgbm"):
        found["lightgbm, tuned"] = _lightgbm(train, vali)
    if "xgboost" in wanted and importlib.util.find_spec("xgboost"):
        found["xgboost, tuned"] = _xgboost(train, vali)
    return found


def _dense(data: Any) -> Any:
    return data.features.to_scipy().toarray()


def _lightgbm(train: Any, vali: Any) -> Any:
    import lightgbm

    def fit(leaves: int, rate: float, objective: str) -> Any:
        settings = {"objective": objective, "num_leaves": leaves, "learning_rate": rate, "verbose": -1}
        settings |= {"metric": "map", "eval_at": [1000], "num_threads": THREADS, "min_data_in_leaf": 20}
        data = lightgbm.Dataset(_dense(train), train.quality.astype(int), group=train.sizes)
        dev = lightgbm.Dataset(_dense(vali), vali.quality.astype(int), group=vali.sizes, reference=data)
        stop = lightgbm.early_stopping(PATIENCE, verbose=False)
        return lightgbm.train(settings, data, ROUNDS, valid_sets=[dev], callbacks=[stop])

    tried = [
        fit(leaves, rate, objective)
        for leaves in (7, 15)
        for rate in (0.03, 0.1)
        for objective in ("lambdarank", "rank_xendcg")
    ]
    best = max(tried, key=lambda each: float(each.best_score["valid_0"]["map@1000"]))
    return lambda data: best.predict(_dense(data))


def _xgboost(train: Any, vali: Any) -> Any:
    import xgboost

    pairs = [
        xgboost.DMatrix(_dense(each), each.quality.astype(int), group=each.sizes, missing=np.nan)
        for each in (train, vali)
    ]

    def fit(depth: int, rate: float, objective: str) -> Any:
        settings = {"objective": objective, "max_depth": depth, "eta": rate, "eval_metric": "ndcg", "nthread": THREADS}
        return xgboost.train(
            settings,
            pairs[0],
            ROUNDS,
            evals=[(pairs[1], "vali")],
            early_stopping_rounds=PATIENCE,
            verbose_eval=False,
        )

    tried = [
        fit(depth, rate, kind) for depth in (3, 4) for rate in (0.03, 0.1) for kind in ("rank:ndcg", "rank:pairwise")
    ]
    top = max(tried, key=lambda each: float(each.best_score))
    return lambda data: top.predict(
        xgboost.DMatrix(_dense(data), missing=np.nan), iteration_range=(0, top.best_iteration + 1)
    )

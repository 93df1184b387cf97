"""Draws the example of docs/concepts.md from the lists of `runoff demo`: `python scripts/concept_pictures.py`."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

import runoff
from runoff.demo.run import run
from runoff.metrics import get
from runoff.metrics.reference_choices import oracle_rows
from runoff.pictures import COLOURS, FAINT, INK, SOFT, headline, new_figure, write_figure

DOCS = Path(__file__).parents[1] / "docs"
UTTERANCE = 0.5  # of the lists: the one whose margin is in the middle of those that the second round improves


def main() -> None:
    """Train on the demo's lists, and draw one list and the oracle of all."""
    with tempfile.TemporaryDirectory() as folder:
        run(folder, 0, say=lambda _: None)
        model, test = runoff.load(f"{folder}/model.runoff"), runoff.read(f"{folder}/test.jsonl")
    draw_list(model, test, DOCS / "concepts-list.png")
    draw_oracle(model, test, DOCS / "concepts-oracle.png")


def draw_list(model: runoff.LinearModel, test: runoff.NBest, path: Path) -> None:
    """Base score, model score and quality of the candidates of one list."""
    scores, quality, base = model.scores(test), test.quality, test.base
    assert quality is not None and base is not None  # noqa: S101, PT018 - the demo has both
    leads = {}
    for group, choice in enumerate(model.pick(test)):
        start = int(test.offsets[group])
        if quality[start + choice.index] == 0 and quality[start + choice.first] < 0:
            own = np.sort(scores[start : int(test.offsets[group + 1])])
            leads[group] = own[-1] - own[-2]
    group = sorted(leads, key=leads.__getitem__)[int(UTTERANCE * len(leads))]
    start, stop = int(test.offsets[group]), int(test.offsets[group + 1])
    own, errors, first = scores[start:stop], -quality[start:stop], base[start:stop]
    figure, (left, right) = new_figure(2, 11.0, 4.0)
    chosen, best_base = int(np.argmax(own)), int(np.argmax(first))
    for axis, values, name, best in (
        (left, first, "score of the first round", best_base),
        (right, own, "score of the model", chosen),
    ):
        axis.scatter(values, errors, s=70, color=SOFT, alpha=0.8)
        axis.scatter(values[best], errors[best], s=110, color=COLOURS[0])
        told = "first choice" if axis is left else "chosen"
        axis.annotate(told, (values[best], errors[best]), (0, -18), textcoords="offset points", ha="center", fontsize=9)
        axis.set_xlabel(name)
        axis.set_ylabel("word errors (quality: minus these)")
        axis.set_yticks(range(int(errors.max()) + 1))
        axis.set_ylim(errors.max() + 0.6, -0.8)  # better is higher
        axis.grid(color=FAINT, linewidth=0.5, alpha=0.7)
    second = float(np.sort(own)[-2])
    arrow = {"arrowstyle": "<->", "color": COLOURS[1], "linewidth": 1.6}
    right.annotate("", (own[chosen], -0.45), (second, -0.45), arrowprops=arrow)
    middle = (float(own[chosen] + second) / 2, -0.52)
    right.annotate(f"margin {own[chosen] - second:.2f}", middle, ha="center", va="bottom", fontsize=9, color=COLOURS[1])
    title = (
        f"One list: the first choice has {counted(int(errors[best_base]))}, the chosen candidate "
        f"{counted(int(errors[chosen]))}, as the oracle's would"
    )
    under = f"The ten candidates of {test.group_ids[group]} of runoff demo; a dot is a candidate, higher is better."
    headline(figure, title, under)
    write_figure(figure, path)


def counted(errors: int) -> str:
    """So many errors, in words."""
    return "no word error" if errors == 0 else f"{errors} word error{'s' if errors > 1 else ''}"


def draw_oracle(model: runoff.LinearModel, test: runoff.NBest, path: Path) -> None:
    """Word error rate of the best of the first k candidates, of the first choice, and of the model's."""
    metric = get("wer")
    evaluation = runoff.evaluate(model, test, "wer").results[0]
    depths = range(1, int(test.sizes.max()) + 1)
    curve = {k: float(metric.score(oracle_rows(metric, test, k).sum(axis=0))) for k in depths}
    figure, (axis,) = new_figure(1, 7.6, 4.0)
    axis.plot(list(curve), list(curve.values()), "o-", color=COLOURS[2], linewidth=1.6, label="oracle of the first k")
    for value, name, colour in (
        (evaluation.first.score, "first round", INK),
        (evaluation.chosen.score, "chosen by the model", COLOURS[0]),
    ):
        axis.axhline(value, color=colour, linewidth=1.4, linestyle=(0, (2, 2)) if name == "first round" else "-")
        told, place = f"{name}: {value:.2f}", (max(curve), value)
        axis.annotate(told, place, (0, 4), textcoords="offset points", ha="right", fontsize=9)
    axis.set_xlabel("k: candidates of every list, in the order of the first round")
    axis.set_ylabel(metric.unit)
    axis.grid(color=FAINT, linewidth=0.5, alpha=0.7)
    axis.legend(frameon=False, fontsize=9)
    won = 100 * (evaluation.recovered or 0.0)
    title = f"The model wins {won:.0f}% of what the oracle says can be won"
    under = f"runoff demo, test: {len(test):,} lists. Oracle: the best of the first k candidates of every list."
    headline(figure, title, under)
    write_figure(figure, path)


if __name__ == "__main__":
    main()

"""Names of metrics: reading, writing, mistakes."""

from __future__ import annotations

import dataclasses
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from runoff import metrics
from runoff.errors import UsageError
from runoff.metrics import NDCG, WER
from runoff.metrics.registry import kinds
from runoff.metrics.text_metric import TextMetric
from runoff.registry import METRICS


@dataclass(frozen=True, repr=False)
class Halved(NDCG):
    """A metric that somebody else wrote."""

    name = "halved"


def test_every_metric_is_found_by_its_own_label_and_equals_itself() -> None:
    for name in metrics.names():
        metric = metrics.get(f"{name}@3" if name in ("p", "success") else name)
        assert metrics.get(metric.label) == metric
        assert hash(metrics.get(metric.label)) == hash(metric)
        assert metric.signature.startswith(name)
        assert metrics.get(metric) is metric


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("wer", ["wer"]),
        (" NDCG@5 , map ", ["ndcg@5", "map"]),
        ("ndcg-letor@1-3,map", ["ndcg-letor@1", "ndcg-letor@2", "ndcg-letor@3", "map"]),
        ("ndcg-letor@9-10[gain=r]", ["ndcg-letor@9[gain=r]", "ndcg-letor@10[gain=r]"]),
        ("bleu[tokenize=none, lowercase],wer", ["bleu[lowercase,tokenize=none]", "wer"]),
        ("ndcg@5[gain=2^r-1]", ["ndcg@5"]),
        ("bleu[lowercase=false]", ["bleu"]),
        ("map[relevant=2]", ["map[relevant=2.0]"]),
        ("rouge, ROUGE-1, rougeL, rouge[tokenize=words]", ["rouge-l", "rouge-1", "rouge-l", "rouge-l[tokenize=words]"]),
        ("wer[punctuation=dropped,case=lower],cer", ["wer[case=lower,punctuation=dropped]", "cer"]),
        ("numeric[tolerance=1e-3]", ["numeric[tolerance=0.001]"]),
    ],
)
def test_parse(text: str, labels: list[str]) -> None:
    assert [metric.label for metric in metrics.parse(text)] == labels


def test_labels_read_back_with_all_options() -> None:
    for text in ("bleu[lowercase,smooth=floor,smooth_value=0.25]", "mrr@4[relevant=2]", "ndcg@10[gain=r]"):
        metric = metrics.get(text)
        assert metrics.get(metric.label) == metric


def test_metrics_can_be_made_without_text() -> None:
    assert metrics.NDCG(5, gain="r") == metrics.get("ndcg@5[gain=r]")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "ndgc@5",
            "there is no metric 'ndgc'; did you mean ndcg\\? There are: bleu, cer, chrf, conlleval, evalb",
        ),
        ("accuracy", "there is no metric 'accuracy'"),
        ("", "'' is not how a metric is written"),
        ("wer,", "is not how a metric is written"),
        ("ndcg@", "expected name, name@5, name@1-10"),
        ("ndcg@x", "is not how a metric is written"),
        ("ndcg@5-2", "write ndcg@2-5"),
        ("wer@5", "wer takes no cut-off; write wer instead of wer@5"),
        ("p", "p needs a cut-off; write for example p@5"),
        ("ndcg[k=5]", "ndcg has no option 'k'; its options are: gain"),
        ("quality[case=no]", "quality has no option 'case'; its options are: ties"),
        ("wer[cases=lower]", "wer has no option 'cases'; its options are: case, punctuation, ties, unicode"),
        ("rouge-3", "there is no metric 'rouge-3'; did you mean rouge-"),
        ("ndcg[gain=3r]", "must be one of 2\\^r-1, r; found '3r'"),
        ("bleu[lowercase,lowercase]", "option 'lowercase' is given twice"),
    ],
)
def test_mistakes(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        metrics.parse(text)


def test_one_metric_is_one() -> None:
    with pytest.raises(UsageError, match="expected one metric, found 2"):
        metrics.get("wer,map")
    with pytest.raises(UsageError, match="expected a metric or the name of one, found 5"):
        metrics.get(5)


@pytest.mark.parametrize(
    ("wanted", "default", "found"),
    [
        ("wer,map", None, ["wer", "map"]),
        (NDCG(10), None, ["ndcg@10"]),
        ([NDCG(10), "map,wer", WER(case="lower")], None, ["ndcg@10", "map", "wer", "wer[case=lower]"]),
        (("ndcg-letor@1-2",), None, ["ndcg-letor@1", "ndcg-letor@2"]),
        (None, "quality", ["quality"]),
        ("", NDCG(3), ["ndcg@3"]),
        ([], ["map", NDCG(3)], ["map", "ndcg@3"]),
    ],
)
def test_metrics_are_resolved_whatever_way_they_are_named(wanted: Any, default: Any, found: list[str]) -> None:
    assert [metric.label for metric in metrics.resolve(wanted, default)] == found


@pytest.mark.parametrize(
    ("wanted", "said"), [(None, "no metric is named"), ([5], "found 5"), (5, "found 5"), ([None], "found None")]
)
def test_what_names_no_metric_is_refused(wanted: Any, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        metrics.resolve(wanted)


@pytest.fixture
def own_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(METRICS, "_entries", dict(METRICS._entries))


@pytest.mark.usefixtures("own_registry")
def test_a_metric_can_be_registered_by_its_class() -> None:
    METRICS.register("halved", Halved)
    METRICS.register("halved", Halved)
    assert metrics.get("halved@3") == Halved(3)
    with pytest.raises(UsageError, match="there is already a metric called 'halved'"):
        METRICS.register("halved", WER)


@pytest.mark.usefixtures("own_registry")
def test_a_registered_module_is_not_imported_before_it_is_used() -> None:
    METRICS.register("later", "there_is.no_such_module:Later")
    assert "later" in metrics.names()
    with pytest.raises(UsageError, match="there is no metric 'latr'; did you mean later\\?"):
        metrics.get("latr")
    with pytest.raises(ModuleNotFoundError, match="there_is"):
        metrics.get("later")
    METRICS.register("misnamed", "runoff.metrics.wer:WER")
    with pytest.raises(TypeError, match=r"is registered as the metric 'misnamed'"):
        metrics.get("misnamed")


def test_importing_the_package_loads_no_compiler_and_no_task() -> None:
    program = (
        "import sys, runoff.metrics; runoff.metrics.names()\n"
        "heavy = {'numba', 'sacrebleu', 'runoff.tasks.parsing.metric', 'runoff.tasks.text.featurizer'}\n"
        "print(sorted(heavy & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_all_public_names_are_there() -> None:
    for name in metrics.__all__:
        assert getattr(metrics, name).__name__ == name
    built_in = {kind for kind in kinds().values() if kind.__module__.startswith("runoff.metrics.")}
    assert {kind.__name__ for kind in built_in} <= set(metrics.__all__)


@pytest.mark.parametrize(
    ("metric", "written"),
    [
        (NDCG(10), "NDCG(10)"),
        (NDCG(), "NDCG()"),
        (metrics.MRR(5, relevant=2), "MRR(5, relevant=2)"),
        (metrics.BLEU(smooth="floor", lowercase=True), "BLEU(lowercase=True, smooth='floor')"),
    ],
)
def test_metrics_are_written_as_the_python_that_makes_them(metric: metrics.Metric, written: str) -> None:
    assert repr(metric) == written
    assert eval(written, vars(metrics)) == metric


def test_equal_metrics_are_equal_and_have_one_hash() -> None:
    assert len({NDCG(10), NDCG(k=10), metrics.get("ndcg@10"), NDCG(10, gain="2^r-1"), NDCG(np.int64(10))}) == 1
    assert len({NDCG(10), NDCG(5), NDCG(10, gain="r"), metrics.LetorNDCG(10), metrics.MRR(10)}) == 5
    assert metrics.ChrF(word_order=2) == metrics.get("chrf[word_order=2]") != metrics.ChrF()


@pytest.mark.parametrize("wrong", [0, -1, 2.0, "5", True])
def test_a_cut_off_is_a_whole_number(wrong: Any) -> None:
    with pytest.raises(UsageError, match=r"the cut-off of ndcg must be (a whole number|at least 1); found"):
        NDCG(wrong)


def test_every_metric_of_texts_is_documented_with_its_options() -> None:
    told = (Path(__file__).parents[2] / "docs" / "metrics.md").read_text()
    listed = re.findall(r"^\| \[`([^`]+)`\]", told, re.MULTILINE)
    of_texts = {name: kind for name, kind in kinds().items() if issubclass(kind, TextMetric)}
    assert sorted(listed) == sorted(of_texts)
    for kind in of_texts.values():
        assert all(f"`{field.name}`" in told for field in dataclasses.fields(kind))
    signatures = re.findall(r"^([\w-]+)(\|\S+)$", told, re.MULTILINE)
    assert len(signatures) == 7
    for name, rest in signatures:
        found = re.sub(r"sacrebleu:.*", "", metrics.get(name).signature)
        assert found == name + re.sub(r"sacrebleu:.*", "", rest)

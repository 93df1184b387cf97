"""Names of metrics: reading, writing, mistakes."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest

from runoff import metrics
from runoff.errors import UsageError
from runoff.metrics.ndcg import PlainNDCG
from runoff.metrics.registry import METRICS
from runoff.metrics.textual import TextMetric


def test_every_metric_is_found_by_its_own_label_and_equals_itself() -> None:
    for name in metrics.names():
        metric = metrics.get(f"{name}@3" if name == "p" else name)
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
    assert PlainNDCG(k=5, gain="r") == metrics.get("ndcg@5[gain=r]")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ndgc@5", "there is no metric 'ndgc'; did you mean ndcg\\? There are: bleu, cer, chrf, evalb, exact, f1"),
        ("accuracy", "there is no metric 'accuracy'"),
        ("", "'' is not how a metric is written"),
        ("wer,", "is not how a metric is written"),
        ("ndcg@", "expected name, name@5, name@1-10"),
        ("ndcg@x", "is not how a metric is written"),
        ("ndcg@5-2", "write ndcg@2-5"),
        ("wer@5", "wer takes no cut-off; write wer instead of wer@5"),
        ("p", "p needs a cut-off; write for example p@5"),
        ("ndcg[k=5]", "ndcg has no option 'k'; its options are: gain"),
        ("quality[case=no]", "quality has no option 'case'; it has none"),
        ("wer[cases=lower]", "wer has no option 'cases'; its options are: case, punctuation, unicode"),
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


def test_every_metric_of_texts_is_documented_with_its_options() -> None:
    told = (Path(__file__).parents[2] / "docs" / "metrics.md").read_text()
    listed = re.findall(r"^\| \[`([^`]+)`\]", told, re.MULTILINE)
    kinds = {name: kind for name, kind in METRICS.items() if issubclass(kind, TextMetric)}
    assert sorted(listed) == sorted(kinds)
    for kind in kinds.values():
        assert all(f"`{field.name}`" in told for field in dataclasses.fields(kind))
    signatures = re.findall(r"^([\w-]+)(\|\S+)$", told, re.MULTILINE)
    assert len(signatures) == 7
    for name, rest in signatures:
        found = re.sub(r"sacrebleu:.*", "", metrics.get(name).signature)
        assert found == name + re.sub(r"sacrebleu:.*", "", rest)

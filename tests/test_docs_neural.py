"""What docs/neural.md tells people to type works, with tiny models where torch is installed."""

from pathlib import Path

import pytest

import runoff
from helpers.pages import Page, names, said_by
from helpers.tiny_networks import save_causal, save_classifier, save_masked
from runoff.cli.score import score
from runoff.features.neural import KINDS, NeuralModel
from runoff.features.neural.networks import NETWORKS

NEURAL, TEXTS = Page("neural.md"), Page("text.md")


def test_kinds_and_options_are_all_told() -> None:
    rows = {names(row[0])[0]: row for row in NEURAL.table("| kind | what it scores")}
    assert list(rows) == list(KINDS)
    for kind in ("causal-lm", "masked-lm"):
        network = NETWORKS[KINDS[kind].network]
        assert names(rows[kind][2]) == [f"{NeuralModel(kind, 'm').name}:{column}" for column in network.columns]
    options = {option for each in score.params for option in each.opts}
    told = {names(row[0])[0] for row in NEURAL.table("| option | |")}
    assert told == {"--device", "--dtype", "--cache"} <= options


@pytest.mark.slow
def test_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch", reason="torch is not installed: pip install 'runoff[neural]'")
    pytest.importorskip("transformers", reason="transformers is not installed: pip install 'runoff[neural]'")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    exec(compile(TEXTS.blocks("python")[-1], "text.md", "exec"), {})  # the lists to try it on
    for name, save in (("reranker", save_classifier), ("causal", save_causal), ("masked", save_masked)):
        (tmp_path / "models").mkdir(exist_ok=True)
        save(tmp_path / "models" / name)
    for command in NEURAL.commands():
        said_by(*command)
    assert runoff.read("train.scored.jsonl").features.column_names().to_pylist() == ["cross-encoder:score"]
    assert runoff.read("columns.arrow").features.n_columns == 6
    NEURAL.run_python()

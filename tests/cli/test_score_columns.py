"""`runoff score LISTS --with KIND=FOLDER`: columns of scores, learned from like any others; and what is refused."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import runoff
from helpers.counting_network import model_folder, use_counts
from helpers.tiny_networks import WORDS, save_causal, save_classifier
from runoff.cli import main

LISTS = [
    {"input": "a", "candidates": [{"text": "aa", "quality": 1}, {"text": "b", "quality": 0}]},
    {"input": "b", "candidates": [{"text": "b", "quality": 0}, {"text": "aaa", "quality": 1}]},
]


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [*map(str, arguments)], catch_exceptions=False)


@pytest.fixture
def lists(tmp_path: Path) -> Path:
    path = tmp_path / "lists.jsonl"
    path.write_text("".join(json.dumps({**LISTS[at % 2], "id": str(at)}) + "\n" for at in range(16)))
    return path


def test_columns_are_added_kept_and_learned_from(lists: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counts = use_counts(monkeypatch, tmp_path / "caches")
    folder, out = model_folder(tmp_path / "m"), tmp_path / "scored.jsonl"
    done = run("score", lists, "--with", f"cross-encoder={folder}", "-o", out)
    assert done.exit_code == 0, done.output
    assert "cross-encoder:a, cross-encoder:length; 4 different texts scored now" in done.output
    found = runoff.read(out)
    assert found.features.column_names().to_pylist() == ["cross-encoder:a", "cross-encoder:length"]
    expected = [[3, 4], [1, 3], [0, 3], [3, 5]]  # of input, a mark and text
    assert found.features.to_scipy().toarray()[:4].tolist() == expected
    assert sum(counts.scored) == 4
    again = run("score", lists, "--with", f"cross-encoder={folder}", "-o", tmp_path / "again.arrow", "--json")
    assert json.loads(again.stdout)["scored"] == {"cross-encoder": 0}
    assert sum(counts.scored) == 4
    trained = run("train", out, "--learner", "loglinear", "-o", tmp_path / "model.runoff")
    assert trained.exit_code == 0, trained.output
    picked = run("scores", tmp_path / "model.runoff", out)  # the other spelling, for a model's scores
    best = [json.loads(line)["candidates"] for line in picked.stdout.splitlines()]
    assert all(max(each, key=lambda one: one["score"])["quality"] == 1 for each in best)


def test_several_models_and_a_prompt(lists: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_counts(monkeypatch, tmp_path / "caches")
    one, other = model_folder(tmp_path / "one"), model_folder(tmp_path / "other")
    arguments = ["--with", f"causal-lm={one}", "--with", f"causal-lm={other}", "--prompt", "{input}: "]
    done = run("score", lists, *arguments, "-o", tmp_path / "o.parquet", "--cache", "none", "--json")
    assert json.loads(done.stdout)["columns"] == [
        f"causal-lm {name}:{what}" for name in ("one", "other") for what in ("a", "length")
    ]
    assert not (tmp_path / "caches").exists()


def test_too_long_texts_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_counts(monkeypatch, tmp_path / "caches")
    (tmp_path / "l.jsonl").write_text(json.dumps({"candidates": [{"text": "a" * 200}, {"text": "b"}]}) + "\n")
    folder = model_folder(tmp_path / "m")
    done = run("score", tmp_path / "l.jsonl", "--with", f"reward={folder}", "-o", tmp_path / "o.jsonl")
    assert "reads 100 tokens at most: 1 texts were cut" in done.output


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["{lists}"], "give a model and a file of lists, or one file and --with cross-encoder=FOLDER; found 1 file"),
        (["{lists}", "{lists}", "{lists}"], "found 3 files"),
        (["{lists}", "--with", "reward={m}"], "name the file for the lists with their new columns by -o"),
        (["{lists}", "{lists}", "--with", "reward={m}", "-o", "{out}"], "leave the model out"),
        (["{lists}", "{lists}", "--device", "cpu"], "--device is for neural models"),
        (["{lists}", "--with", "reward={out}", "-o", "{out}"], "models are not downloaded"),
        (
            ["{lists}", "--with", "reward={m}", "--prompt", "x", "-o", "{out}"],
            "a prompt is for a causal language model",
        ),
        (["{lists}", "--with", "reward={m}", "--dtype", "int4", "-o", "{out}"], "dtype must be one of float32, auto"),
        (
            ["{lists}", "--with", "reward={m}", "--allow-external", "-o", "{out}"],
            "--allow-external is for what a MODEL",
        ),
        (["{lists}", "--with", "reward={m}", "-o", "{m}/o.xyz"], "xyz"),
        (["{scored}", "--with", "reward={m}", "-o", "{out}"], "already have a column 'reward:a'"),
    ],
)
def test_what_cannot_be_is_said_in_a_sentence(
    lists: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], said: str
) -> None:
    use_counts(monkeypatch, tmp_path / "caches")
    places = {
        "lists": lists,
        "m": model_folder(tmp_path / "m"),
        "out": tmp_path / "o.jsonl",
        "scored": tmp_path / "s.jsonl",
    }
    scored = json.dumps({"input": "a", "candidates": [{"text": "b", "features": {"reward:a": 1}}, {"text": "c"}]})
    places["scored"].write_text(scored + "\n")
    done = run("score", *(each.format(**places) for each in arguments))
    assert done.exit_code == 2
    assert said in done.output
    assert not places["out"].exists()


def test_real_models_from_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch", reason="torch is not installed: pip install 'runoff[neural]'")
    pytest.importorskip("transformers", reason="transformers is not installed: pip install 'runoff[neural]'")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    lists = tmp_path / "words.txt.jsonl"
    rows = [{"input": WORDS[at], "candidates": WORDS[at : at + 3], "references": [WORDS[at]]} for at in range(15)]
    lists.write_text("".join(json.dumps(each) + "\n" for each in rows))
    models = [f"cross-encoder={save_classifier(tmp_path / 'ce')}", f"causal-lm={save_causal(tmp_path / 'lm')}"]
    out = tmp_path / "o.jsonl"
    done = run("score", lists, "--with", models[0], "--with", models[1], "--device", "cpu", "-o", out)
    assert done.exit_code == 0, done.output
    assert runoff.read(out).features.n_columns == 4
    families = ["--families", "length,neural", "--recipes", "loglinear", "--folds", "2"]
    model = tmp_path / "m.runoff"
    trained = run(
        "train",
        lists,
        "--task",
        "text",
        "--metric",
        "exact",
        *families,
        "--set",
        f"neural={','.join(models)}",
        "--bold",
        "-o",
        model,
    )
    assert trained.exit_code == 0, trained.output
    refused = run("eval", model, lists)
    assert refused.exit_code == 1
    assert str(tmp_path / "ce") in refused.output
    assert run("eval", model, lists, "--allow-external").exit_code == 0

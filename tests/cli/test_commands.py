"""Every command as a person runs it: output, exit codes, and what is said when something is wrong."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import click
import numpy as np
import pytest
from click.testing import CliRunner, Result

from runoff import LinearModel, grade, load, read
from runoff.cli import main

COMMANDS = [
    "combine",
    "describe",
    "train",
    "eval",
    "compare",
    "margins",
    "explain",
    "pick",
    "plan-cluster",
    "features",
    "convert",
    "merge",
    "fuse",
    "score",
    "split",
    "answer",
    "text",
    "parse",
    "tag",
    "roles",
    "translate",
    "learners",
    "tasks",
    "demo",
    "reproduce",
    "report",
    "serve",
    "view",
]


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(each) for each in arguments], catch_exceptions=False)


def test_help_shows_an_example_for_every_command() -> None:
    assert sorted(main.list_commands(click.Context(main))) == sorted(COMMANDS)
    for command in COMMANDS:
        done = run(command, "--help")
        assert done.exit_code == 0
        assert "runoff " in done.output.split("Example:")[1]


def test_help_does_not_load_the_heavy_libraries() -> None:
    script = (
        "import sys; from runoff.cli import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "heavy = {'numpy', 'numba', 'scipy', 'pyarrow', 'matplotlib', 'sacrebleu'} & set(sys.modules)\n"
        "sys.exit(f'loaded: {heavy}' if heavy else 0)"
    )
    subprocess.run([sys.executable, "-c", script], check=True, capture_output=True)


def test_describe(folder: Path) -> None:
    done = run("describe", folder / "test.jsonl", "--metric", "wer,exact", "--json")
    found = json.loads(done.stdout)
    assert found["groups"] == 80
    assert [each["metric"] for each in found["prospects"]] == ["wer", "exact"]
    wer = found["prospects"][0]
    assert wer["oracle"] < wer["first"] < wer["random"]
    assert wer["recoverable"] == pytest.approx(1 - wer["oracle"] / wer["first"])
    assert "oracle@5" in run("describe", folder / "test.jsonl", "--metric", "wer").stdout


def test_eval_agrees_with_the_library_and_is_the_same_each_time(folder: Path) -> None:
    first, second = (run("eval", folder / "m.runoff", folder / "test.jsonl", "--metric", "wer", "--json") for _ in "ab")
    assert first.stdout == second.stdout
    result = json.loads(first.stdout)["results"][0]
    data = read(folder / "test.jsonl", metric="wer")
    picks = load(folder / "m.runoff").pick(data)
    edits = -data.quality[data.offsets[:-1] + picks.indices].sum()
    words = sum(len(reference[0].split()) for reference in data.references.to_pylist())
    assert result["chosen"]["score"] == pytest.approx(100 * edits / words)
    assert result["chosen"]["low"] <= result["chosen"]["score"] <= result["chosen"]["high"]
    assert result["better"]
    assert "wer" in result["signature"]
    assert "seed:0" in result["signature"]


def test_eval_resamples_by_what_the_user_names(folder: Path, tmp_path: Path) -> None:
    records = [json.loads(line) for line in (folder / "test.jsonl").read_text().splitlines()]
    spoken = [{**record, "speaker": f"s{at % 4}"} for at, record in enumerate(records)]
    (tmp_path / "t.jsonl").write_text("".join(json.dumps(record) + "\n" for record in spoken))
    how = ("--metric", "wer", "--json", "--trials", 20)
    done = run("eval", folder / "m.runoff", tmp_path / "t.jsonl", *how, "--group-by", "speaker")
    assert "|blocks:4|" in json.loads(done.stdout)["results"][0]["signature"]
    wrong = run("eval", folder / "m.runoff", tmp_path / "t.jsonl", *how, "--group-by", "room")
    assert wrong.exit_code == 2
    assert "the lists have no attribute 'room' to group by; there are: speaker." in wrong.stderr


def test_eval_warns_when_the_model_is_no_better(folder: Path, tmp_path: Path) -> None:
    from runoff import LinearModel

    LinearModel.of({}, base_weight=1.0).save(tmp_path / "first.runoff")
    done = run("eval", tmp_path / "first.runoff", folder / "test.jsonl", "--metric", "wer")
    assert "Warning: wer: chosen is not significantly better than the first round (p 1.000)." in done.stdout
    LinearModel.of({}, base_weight=-1.0).save(tmp_path / "worst.runoff")
    done = run("eval", tmp_path / "worst.runoff", folder / "test.jsonl", "--metric", "wer")
    assert "WORSE than the first round" in done.stdout


def test_eval_draws_a_picture(folder: Path, tmp_path: Path) -> None:
    done = run("eval", folder / "m.runoff", folder / "test.jsonl", "--metric", "wer", "--picture", tmp_path / "a.png")
    assert done.exit_code == 0
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    # Without a metric, the one that the model was trained for is taken.
    assert run("eval", folder / "m.runoff", folder / "test.jsonl", "--picture", tmp_path / "a.txt").exit_code == 2


def test_compare_a_model_with_itself_and_with_a_worse_one(folder: Path, tmp_path: Path) -> None:
    from runoff import LinearModel

    same = run(
        "compare",
        folder / "m.runoff",
        folder / "m.runoff",
        folder / "test.jsonl",
        "--metric",
        "wer",
        "--json",
    )
    assert json.loads(same.stdout)["duels"][0]["p"] == 1.0
    assert json.loads(same.stdout)["differ"] == 0
    LinearModel.of({}, base_weight=-1.0).save(tmp_path / "worst.runoff")
    done = run("compare", folder / "m.runoff", tmp_path / "worst.runoff", folder / "test.jsonl", "--metric", "wer")
    assert "A is significantly better in wer (p < 0.001)" in done.stdout


def test_explain_shows_a_choice_that_helped_where_no_group_is_named(folder: Path) -> None:
    found = run("explain", folder / "m.runoff", folder / "test.jsonl", "--json")
    assert "a choice that is better than that of the first round" in found.stderr
    explained = json.loads(found.stdout)
    assert explained["winner"]["index"] != explained["rival"]["index"]
    data = grade(read(folder / "test.jsonl"), "wer")
    start = int(data.offsets[data.group_ids.to_pylist().index(explained["group"])])
    assert data.quality[start + explained["winner"]["index"]] > data.quality[start + explained["rival"]["index"]]


def test_explain(folder: Path) -> None:
    done = run(
        "explain",
        folder / "m.runoff",
        folder / "test.jsonl",
        "--group",
        "utterance-3",
        "--against",
        "4",
        "--json",
    )
    found = json.loads(done.stdout)
    assert found["rival"]["index"] == 4
    assert sum(each["amount"] for each in found["contributions"]) == pytest.approx(found["difference"])
    assert (
        "leads candidate" in run("explain", folder / "m.runoff", folder / "test.jsonl", "--group", "utterance-3").stdout
    )


def test_pick_writes_choices_in_the_order_of_the_groups(folder: Path, tmp_path: Path) -> None:
    expected = load(folder / "m.runoff").pick(read(folder / "test.jsonl"))
    run("pick", folder / "m.runoff", folder / "test.jsonl", "-o", tmp_path / "chosen.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "chosen.jsonl").read_text().splitlines()]
    assert [line["group"] for line in lines] == [f"utterance-{i + 1}" for i in range(80)]
    assert [line["index"] for line in lines] == expected.indices.tolist()
    run("pick", folder / "m.runoff", folder / "test.jsonl", "-o", tmp_path / "chosen.txt.gz")
    import gzip

    assert gzip.decompress((tmp_path / "chosen.txt.gz").read_bytes()).decode().splitlines() == [
        choice.text for choice in expected
    ]
    done = run("pick", folder / "m.runoff", folder / "test.jsonl", "--json", "--top", "2")
    assert len(json.loads(done.stdout)["choices"]) == 160


def test_pick_abstains_where_the_confidence_is_low(folder: Path, tmp_path: Path) -> None:
    data, model = folder / "test.jsonl", folder / "m.runoff"
    confidences = load(model).pick(read(data)).confidences
    level = float(np.median(confidences))
    low = int((confidences < level).sum())
    done = run("pick", model, data, "--min-confidence", level, "-o", tmp_path / "sure.jsonl")
    assert f"abstained in {low}." in done.stderr
    lines = [json.loads(line) for line in (tmp_path / "sure.jsonl").read_text().splitlines()]
    assert [line["abstained"] for line in lines] == (confidences < level).tolist()
    assert [line["confidence"] for line in lines] == confidences.tolist()
    assert {line["text"] for line in lines if line["abstained"]} == {None}
    run("pick", model, data, "--min-confidence", level, "-o", tmp_path / "sure.txt")
    texts = (tmp_path / "sure.txt").read_text().split("\n")[:-1]
    assert [text == "" for text in texts] == (confidences < level).tolist()
    summary = json.loads(run("pick", model, data, "--min-confidence", level, "--json").stdout)
    assert summary["abstained"] == low
    assert "leave --top out" in run("pick", model, data, "--min-confidence", 0.5, "--top", 2).stderr
    LinearModel.of({}).save(tmp_path / "bare.runoff")
    assert "no calibrated confidence" in run("pick", tmp_path / "bare.runoff", data, "--min-confidence", 0.5).stderr


def test_eval_says_what_the_confidence_is_worth_and_draws_it(folder: Path, tmp_path: Path) -> None:
    done = run("eval", folder / "m.runoff", folder / "test.jsonl", "--picture", tmp_path / "a.svg")
    assert "of the choices are the best of their lists, the mean confidence is" in done.stdout
    written = " ".join(re.findall("<!-- (.*?) -->", (tmp_path / "a.svg").read_text()))  # lines of text
    assert "calibration error" in written
    found = json.loads(run("eval", folder / "m.runoff", folder / "test.jsonl", "--json").stdout)["confidence"]
    assert found["choices"] == sum(each["choices"] for each in found["bins"]) == 80
    assert 0 <= found["expected_calibration_error"] < 0.3


def test_a_model_without_dev_data_is_calibrated_by_folds(folder: Path, tmp_path: Path) -> None:
    command = ["train", folder / "train.jsonl", "--metric", "wer", "-o", tmp_path / "m.runoff"]
    assert "confidence: fitted on 150 lists, 5 folds of the training lists" in run(*command).stdout
    assert load(tmp_path / "m.runoff").calibration is not None
    run(*command, "--set", "calibration=none")
    assert load(tmp_path / "m.runoff").calibration is None


def test_line_breaks_that_become_spaces_are_counted(tmp_path: Path) -> None:
    lists = tmp_path / "lists.jsonl"
    lists.write_text('{"candidates": ["one\\ntwo", "x"]}\n{"candidates": ["three", "x\\ny"]}\n')
    LinearModel.of({}).save(tmp_path / "m.runoff")
    done = run("pick", tmp_path / "m.runoff", lists, "-o", tmp_path / "chosen.txt")
    assert "note: line breaks in 1 text became spaces; a .jsonl file keeps them." in done.stderr
    assert (tmp_path / "chosen.txt").read_text() == "one two\nthree\n"
    assert "line breaks" not in run("pick", tmp_path / "m.runoff", lists, "-o", tmp_path / "chosen.jsonl").stderr


def test_pick_needs_neither_references_nor_quality(folder: Path, tmp_path: Path) -> None:
    records = [json.loads(line) for line in (folder / "test.jsonl").read_text().splitlines()]
    for record in records:
        del record["references"]
    (tmp_path / "new.jsonl").write_text("\n".join(json.dumps(record) for record in records))
    with_them = run("pick", folder / "m.runoff", folder / "test.jsonl").stdout
    without = run("pick", folder / "m.runoff", tmp_path / "new.jsonl").stdout
    assert with_them == without


def test_convert_there_and_back(folder: Path, tmp_path: Path) -> None:
    for first, second in (("a.arrow", "a.jsonl.gz"), ("b.parquet", "b.jsonl.zst")):
        assert run("convert", folder / "test.jsonl", tmp_path / first).exit_code == 0
        assert run("convert", tmp_path / first, tmp_path / second).exit_code == 0
        before, after = read(folder / "test.jsonl"), read(tmp_path / second)
        assert after.texts.equals(before.texts)
        assert after.base.tolist() == before.base.tolist()
        assert (after.features.to_scipy() != before.features.to_scipy()).nnz == 0


def repeated(path: Path, copies: int = 3) -> Path:
    """Forty lists with fourteen references and two speakers."""
    records = (
        {
            "id": f"{at}",
            "speaker": "ab"[at % 2],
            "references": [f"said {at // copies}"],
            "candidates": ["said", f"said {at // copies}"],
        }
        for at in range(40)
    )
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


@pytest.mark.parametrize(("options", "keeps"), [([], "references"), (["--group-by", "speaker"], "speaker")])
def test_split_keeps_lists_together(tmp_path: Path, options: list[str], keeps: str) -> None:
    lists = repeated(tmp_path / "lists.jsonl")
    done = run("split", lists, f"{tmp_path}/a.jsonl=0.5", f"{tmp_path}/b.jsonl=0.5", *options)
    assert "note: Files keep lists together that share" in done.stderr
    parts = [[json.loads(line) for line in (tmp_path / f"{name}.jsonl").read_text().splitlines()] for name in "ab"]
    assert min(map(len, parts)) > 15
    assert not {str(record[keeps]) for record in parts[0]} & {str(record[keeps]) for record in parts[1]}


def test_folds_of_train_keep_lists_together(tmp_path: Path) -> None:
    lists, plain = (
        repeated(tmp_path / "lists.jsonl"),
        ["--task", "rows", "--learner", "loglinear", "--set", "sigma=1.0", "--folds", "2"],
    )
    how = ["--metric", "wer", *plain, "-o", tmp_path / "m.runoff"]
    assert (
        "Folds keep lists together that share a reference: 40 lists in 14 blocks." in run("train", lists, *how).stdout
    )
    by_speaker = run("train", lists, *how, "--group-by", "speaker").stdout
    assert "Folds keep lists together that share the attribute 'speaker': 40 lists in 2 blocks." in by_speaker
    assert load(tmp_path / "m.runoff").provenance["parameters"]["group_by"] == "speaker"
    assert "keep lists together" not in run("train", lists, *how, "--group-by", "none").stdout


def test_split_through_everything(tmp_path: Path) -> None:
    lists = repeated(tmp_path / "lists.jsonl")
    done = run("split", lists, f"{tmp_path}/a.jsonl=0.5", f"{tmp_path}/b.jsonl=0.5", "--group-by", "none", "--json")
    assert json.loads(done.stdout)["blocks"] == 40
    assert "note" not in done.stderr


def test_split_cuts_between_groups(folder: Path, tmp_path: Path) -> None:
    done = run("split", folder / "test.jsonl", f"{tmp_path}/a.jsonl=0.75", f"{tmp_path}/b.jsonl=0.25", "--json")
    assert list(json.loads(done.stdout)["groups"].values()) == [60, 20]
    ids = [read(tmp_path / name).group_ids.to_pylist() for name in ("a.jsonl", "b.jsonl")]
    assert sorted(ids[0] + ids[1]) == sorted(f"utterance-{i + 1}" for i in range(80))


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["describe", "nowhere.jsonl"], 1, "no such file"),
        (["describe"], 2, "Missing argument"),
        (["describe", "{}/test.jsonl", "--metric", "were"], 2, "did you mean wer"),
        (["describe", "{}/test.jsonl", "--format", "excel"], 2, "there is no format 'excel'"),
        (["describe", "{}/test.jsonl", "--references", "x"], 2, "has no option references"),
        (
            ["train", "{}/train.jsonl", "-o", "{}/x.runoff", "--learner", "magic"],
            2,
            "there is no learner 'magic'",
        ),
        (["train", "{}/train.jsonl", "-o", "{}/x.runoff", "--set", "width=3"], 2, "has no parameter 'width'"),
        (["train", "{}/train.jsonl", "-o", "{}/x.runoff", "--set", "sigma"], 2, "key=value"),
        (["train", "{}/train.jsonl", "-o", "{}/x.runoff"], 2, "give the metric to train for: --metric M"),
        (["train", "{}/train.jsonl", "-o", "{}/no/x.runoff", "--metric", "wer"], 2, "there is no folder"),
        (["train", "{}/train.jsonl", "-o", "{}/train.jsonl", "--metric", "wer"], 2, "is named twice"),
        (
            ["train", "{}/train.jsonl", "-o", "{}/x", "--references", "r", "--dev", "{}/dev.jsonl"],
            2,
            "--dev-references",
        ),
        (
            [
                "train",
                "{}/train.jsonl",
                "-o",
                "{}/x.runoff",
                "--metric",
                "wer",
                "--learner",
                "loglinear",
                "--set",
                "sigma=-1",
            ],
            2,
            "sigma of LogLinear",
        ),
        (["pick", "{}/m.runoff", "{}/test.jsonl", "-o", "{}/m.runoff"], 2, "is named twice"),
        (["pick", "{}/m.runoff", "{}/test.jsonl", "-o", "{}/x.csv"], 2, ".jsonl or .ndjson"),
        (["split", "{}/test.jsonl", "{}/a.jsonl=0.5", "{}/a.jsonl=0.5"], 2, "is named twice"),
        (["split", "{}/test.jsonl", "{}/a.jsonl=0.5", "{}/b.csv=0.5"], 2, "does not tell which format"),
        (["eval", "{}/m.runoff", "{}/test.jsonl", "--metric", "wer,map"], 2, "map uses the quality of candidates"),
        (["eval", "{}/test.jsonl", "{}/test.jsonl"], 1, "not a Runoff model"),
        (["explain", "{}/m.runoff", "{}/test.jsonl", "--group", "x"], 2, "there is no group 'x'"),
        (
            ["explain", "{}/m.runoff", "{}/test.jsonl", "--group", "utterance-1", "--against", "99"],
            2,
            "no candidate '99'",
        ),
        (["convert", "{}/test.jsonl", "{}/out.xls"], 2, "does not tell which format"),
        (["split", "{}/test.jsonl", "{}/a.jsonl=2"], 2, "FILE=SHARE"),
        (["nonsense"], 2, "No such command"),
    ],
)
def test_mistakes_get_a_sentence_and_the_right_exit_code(
    folder: Path, arguments: list[str], code: int, words: str
) -> None:
    done = run(*(each.format(folder) for each in arguments))
    assert done.exit_code == code, done.output
    assert words in done.stderr
    assert "Traceback" not in done.output


def test_demo_runs_explains_and_draws(tmp_path: Path) -> None:
    done = run("demo", "-o", tmp_path / "demo", "--json")
    found = json.loads(done.stdout)
    assert found["evaluation"]["results"][0]["better"]
    assert (tmp_path / "demo" / "result.png").read_bytes().startswith(b"\x89PNG")
    names = {each["name"] for each in found["explanation"]["contributions"][:4]}
    assert any(name.startswith(("agreement:", "pair:")) for name in names)
    weights = dict(load(tmp_path / "demo" / "model.runoff").heaviest(10_000))
    # The features that the sentences were made to obey have the right sign.
    for clash in ("verb_clashes_with_subject", "tense_clashes_with_time", "article_clashes"):
        assert weights[f"agreement:{clash}"] < 0
    assert np.isfinite(list(weights.values())).all()


def test_learners_are_listed_with_their_parameters() -> None:
    assert {line.split()[0] for line in run("learners").stdout.splitlines()} == {
        "blend",
        "loglinear",
        "boost",
        "perceptron",
        "crf",
        "trees",
        "svm",
        "mert",
        "pro",
        "regression",
        "listnet",
        "adarank",
    }
    assert "smoothing='auto'" in run("learners", "boost").stdout
    assert json.loads(run("learners", "loglinear", "--json").stdout)["loglinear"]["right"] == "best"


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_behind_standard_output_is_said(folder: Path) -> None:
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", "runoff", "pick", str(folder / "m.runoff"), str(folder / "test.jsonl")]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1
    assert "the disk is full" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("arguments", [["--help"], ["learners"]], ids=str)
def test_a_closed_standard_output_is_said(arguments: list[str]) -> None:
    command = ["sh", "-c", 'exec "$@" >&-', "sh", sys.executable, "-m", "runoff", *arguments]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "runoff: standard output cannot be written: it is closed.\n")


def test_an_output_that_is_a_link_to_itself_is_refused(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "loop.txt").symlink_to("loop.txt")
    done = CliRunner().invoke(
        main, ["pick", str(folder / "m.runoff"), str(folder / "test.jsonl"), "-o", str(tmp_path / "loop.txt")]
    )
    assert done.exit_code == 2
    assert "a symbolic link that leads nowhere" in done.output


def test_an_output_that_leads_to_an_input_is_refused(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "chosen.jsonl").symlink_to(folder / "test.jsonl")
    done = CliRunner().invoke(
        main, ["pick", str(folder / "m.runoff"), str(folder / "test.jsonl"), "-o", str(tmp_path / "chosen.jsonl")]
    )
    assert done.exit_code == 2
    assert "named twice" in done.output


def test_a_pipe_is_read_like_a_file(folder: Path) -> None:
    command = [sys.executable, "-m", "runoff", "describe", "-", "--metric", "wer", "--json"]
    done = subprocess.run(command, input=(folder / "test.jsonl").read_bytes(), stdout=subprocess.PIPE, check=True)
    assert json.loads(done.stdout)["groups"] == 80


def test_an_output_that_is_a_device_is_refused_and_left_alone(tmp_path: Path) -> None:
    """A finished file is renamed into place: as root that would put a plain file where /dev/null was."""
    lists = tmp_path / "lists.jsonl"
    lists.write_text('{"candidates": [{"text": "a", "quality": 1}, {"text": "b", "quality": 0}]}\n')
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    done = CliRunner().invoke(main, ["convert", str(lists), str(pipe)])
    assert done.exit_code == 2
    assert "a device or a pipe" in done.output
    assert pipe.is_fifo()


def test_a_picture_says_which_metrics_it_leaves_out(folder: Path, tmp_path: Path) -> None:
    metrics = "wer,exact,bleu,bleu[lowercase],bleu[tokenize=none]"
    model, test, picture = folder / "m.runoff", folder / "test.jsonl", tmp_path / "p.png"
    said = run("eval", model, test, "--metric", metrics, "--picture", picture).output
    assert "without the last 1 metric" in said


def test_a_missing_file_is_said_before_anything_heavy_is_loaded() -> None:
    script = (
        "import sys; from runoff.cli import main\n"
        "try: main(['describe', 'nowhere.jsonl'])\n"
        "except SystemExit as done: code = done.code\n"
        "heavy = {'numpy', 'numba', 'scipy', 'pyarrow', 'sacrebleu'} & set(sys.modules)\n"
        "sys.exit(f'loaded: {heavy}' if heavy or code != 1 else 0)"
    )
    done = subprocess.run([sys.executable, "-c", script], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stderr == "runoff: nowhere.jsonl: the file cannot be read: no such file or directory.\n"


def test_descriptions_load_neither_pandas_nor_optimisers(folder: Path) -> None:
    pytest.importorskip("pandas")
    script = (
        "import sys; from runoff.cli import main\n"
        f"try: main(['describe', {str(folder / 'test.jsonl')!r}, '--metric', 'wer'])\n"
        "except SystemExit: pass\n"
        "heavy = {'pandas', 'scipy.optimize', 'runoff.learners.blend', 'matplotlib'} & set(sys.modules)\n"
        "import pandas as pd, runoff\n"  # data frames are as welcome as before
        "frame = pd.DataFrame({'group': ['a', 'a'], 'x': [1.0, None], 'text': ['b', 'c']})\n"
        "found = runoff.NBest.from_table(frame, group='group', text='text')\n"
        "assert found.texts.to_pylist() == ['b', 'c'] and found.features.has_missing\n"
        "sys.exit(f'loaded: {heavy}' if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", script], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr

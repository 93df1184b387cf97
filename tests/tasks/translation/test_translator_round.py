"""The first round of translations in pipelines: parts, folds, and lists by translators of the other folds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from click.testing import CliRunner

import runoff
from runoff.cli import main
from runoff.errors import DataError, UsageError
from runoff.pipeline.document_folds import folds_of
from runoff.tasks.translation import translator_round
from runoff.tasks.translation.decoder_settings import DecoderSettings
from runoff.tasks.translation.demo.run import run
from runoff.tasks.translation.parallel_parts import BLOCK, ParallelText, read_pair_parts, read_pairs
from runoff.tasks.translation.training import train_translator
from runoff.tasks.translation.translator_round import RoundSettings, TranslatorRound, weights_of
from runoff.tasks.translation.translator_settings import TranslatorSettings

if TYPE_CHECKING:
    from runoff.tasks.translation.translator import Translator

Sides = tuple[list[str], list[str]]
SETTINGS = TranslatorSettings(order=2, aligner="model1")
SEARCH = DecoderSettings(stack=5, distortion_limit=4)


@pytest.fixture
def pairs(phrases: Sides) -> ParallelText:
    return ParallelText(tuple(phrases[0][:100]), tuple(phrases[1][:100]))


def write(folder: Path, phrases: Sides, count: int) -> tuple[Path, Path]:
    paths = folder / "a.en", folder / "a.de"
    for path, lines in zip(paths, phrases, strict=True):
        path.write_text("\n".join(lines[:count]) + "\n")
    return paths


def test_every_fold_is_translated_by_who_has_not_seen_it(
    pairs: ParallelText, translator: Translator, tmp_path: Path
) -> None:
    first = TranslatorRound(RoundSettings(SETTINGS, SEARCH, translator.weights, phrase_pairs=False))
    facts = first.jackknife(
        pairs, tmp_path / "lists.jsonl", k=3, folds=3, threads=None, verbose=False, say=lambda _: None
    )
    lists = runoff.read(tmp_path / "lists.jsonl")
    assert facts == {"lists": 100, "candidates": lists.n_candidates, "folds": 3}
    assert lists.group_ids.to_pylist() == [str(at) for at in range(100)]
    assert lists.inputs.to_pylist() == list(pairs.source)
    assert [text for (text,) in lists.references.to_pylist()] == list(pairs.target)
    assert [path.name for path in tmp_path.iterdir()] == ["lists.jsonl"]  # nothing is left of the folds
    fold_of = np.array(folds_of(pairs.sentences(), 3))
    others, own = pairs.take(fold_of != 1), pairs.take(fold_of == 1)
    by_hand = train_translator(others.source, others.target, SETTINGS).with_weights(translator.weights)
    object.__setattr__(by_hand, "settings", SEARCH)
    by_hand.__dict__.pop("decoder")
    wanted = by_hand.nbest(list(own.source), 3)
    found = lists[fold_of == 1]
    assert found.texts.equals(wanted.texts)
    # Lists of some sentences are the same: translators have learned from all others.
    some = {"k": 3, "folds": 3, "threads": None, "verbose": False, "say": lambda _: None, "most": 10}
    assert first.jackknife(pairs, tmp_path / "few.jsonl", **some)["lists"] == 10
    few = runoff.read(tmp_path / "few.jsonl")
    assert few.group_ids.to_pylist() == [str(at) for at in range(0, 100, 10)]
    assert few.texts.equals(lists[::10].texts)
    assert first.jackknife(pairs, tmp_path / "one.jsonl", **{**some, "most": 1})["lists"] == 1


def test_finished_folds_are_kept_when_it_is_interrupted(
    pairs: ParallelText, translator: Translator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = TranslatorRound(RoundSettings(SETTINGS, SEARCH, translator.weights))
    trained: list[int] = []
    real = translator_round.train_translator

    def training(source: Any, *rest: Any) -> Translator:
        trained.append(len(source))
        if len(trained) == 3:
            raise KeyboardInterrupt
        return real(source, *rest)

    monkeypatch.setattr(translator_round, "train_translator", training)
    out, how = tmp_path / "lists.arrow", {"k": 2, "folds": 3, "threads": None, "verbose": False, "say": lambda _: None}
    with pytest.raises(KeyboardInterrupt):
        first.jackknife(pairs, out, **how)
    assert not out.exists()
    first.jackknife(pairs, out, **how)
    assert len(trained) == 4  # the third fold alone
    assert len(runoff.read(out)) == 100


def test_weights_are_learned_from_a_tenth_that_is_not_trained_on(
    pairs: ParallelText, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: dict[str, Any] = {}

    def training(source: Any, *rest: Any) -> Translator:
        seen["trained on"] = set(source)
        return train_translator(source, *rest)

    def tuning(translator: Translator, source: Any, references: Any, **_: Any) -> Any:
        seen.update(source=set(source), references=references, pairs=translator.provenance["pairs"])
        raise KeyboardInterrupt

    monkeypatch.setattr(translator_round, "train_translator", training)

    monkeypatch.setattr(translator_round, "tune", tuning)
    with pytest.raises(KeyboardInterrupt):
        TranslatorRound(RoundSettings(SETTINGS, SEARCH)).train(pairs, Path("never"))
    assert len(seen["references"]) == BLOCK  # a tenth, but a block at least
    assert seen["pairs"] <= len(pairs) - BLOCK
    assert not seen["source"] & seen["trained on"]


def test_parts_are_blocks_of_lines_or_other_files(phrases: Sides, tmp_path: Path) -> None:
    paths = write(tmp_path, phrases, 200)
    parts = read_pair_parts(paths, dev=0.1, test=0.2, seed=0)
    numbers = [set(part.numbers.tolist()) for part in parts.items().values()]
    assert set().union(*numbers) == set(range(200))
    assert sum(map(len, numbers)) == 200
    for part in parts.items().values():
        for at, number in enumerate(part.numbers.tolist()):
            assert (part.source[at], part.target[at]) == (phrases[0][number], phrases[1][number])
    blocks = [{number // BLOCK for number in each} for each in numbers]
    assert not blocks[0] & blocks[1] | blocks[0] & blocks[2] | blocks[1] & blocks[2]
    given = read_pair_parts(paths, dev=paths, test=paths, seed=0)
    assert len(given.dev) == len(given.test) == len(given.train) == 200
    assert "also occur, word for word, in train" in given.notes[0]
    assert read_pairs(*paths).key() != parts.key("dev")


def test_mistakes_are_told(phrases: Sides, tmp_path: Path, model_file: Path) -> None:
    with pytest.raises(UsageError, match="15 sentence pairs are too few"):
        read_pair_parts(write(tmp_path, phrases, 15))
    (tmp_path / "blank").write_text(" x\n")
    with pytest.raises(UsageError, match="was not tuned, so its weights are rough ones; tune it"):
        weights_of(model_file)
    with pytest.raises(DataError, match="the file is empty"):
        read_pairs(tmp_path / "a.en", Path("/dev/null"))


@pytest.mark.slow
def test_the_demo_runs_and_resumes(tmp_path: Path) -> None:
    said: list[str] = []
    found = run(tmp_path / "demo", 0, said.append, count=300)
    everything = "\n".join(map(str, said))
    assert "3. Why? One decision explained" in everything
    assert "lexicon:" in everything
    assert "not seen in training" not in everything
    assert (tmp_path / "demo" / "decision.png").stat().st_size > 10_000
    assert found["test"]
    before = (tmp_path / "demo" / "model.runoff").stat().st_mtime_ns
    run(tmp_path / "demo", 0, said.append, count=300)
    assert (tmp_path / "demo" / "model.runoff").stat().st_mtime_ns == before
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "phrasebook.en").write_text("This is a line of what somebody else has written.\n")
    with pytest.raises(UsageError, match="is from elsewhere and would be overwritten"):
        run(tmp_path / "other", 0, said.append, count=300)


@pytest.mark.slow
def test_a_pipeline_by_its_command(phrases: Sides, tmp_path: Path) -> None:
    source, target = write(tmp_path, phrases, 200)
    command = [
        "translate",
        "pipeline",
        str(source),
        str(target),
        "-o",
        str(tmp_path / "all"),
        "-k",
        "3",
        "--stack",
        "5",
    ]
    more = ["--folds", "2", "--order", "2", "--aligner", "model1", "--families", "own", "--rerankers", "loglinear"]
    done = CliRunner().invoke(main, [*command, *more])
    assert done.exit_code == 0, done.output
    assert "translator.runoff, model.runoff, table.md, result.png and more." in done.stderr
    assert "chosen (loglinear)" in done.stdout
    assert {"translator.runoff", "model.runoff", "table.md", "result.png"} <= {
        path.name for path in (tmp_path / "all").iterdir()
    }

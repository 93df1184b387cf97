"""Small Transformers that score the candidates of translation_neural.py's lists: columns for the second round.

Translators from left to right and from right to left, of the source into the target and of the target into the
source, several of each with other seeds, trained on the sentences of the parallel text whose lists teach no second
round and whose source or target stands in no list. So no model has been trained on a list that it scores; val alone
had a say, as each model is kept where its loss on val is lowest. Written for every part: the log-probability of each
candidate by each model, in the order of the lists. Needs torch and sentencepiece, and a GPU to be quick; no module of
Runoff, so that any machine with these can run it. Reads DATA/translation/multi30k* and writes OUT/rescored-PART.npz.
Usage: python benchmarks/translation_rescorers.py DATA OUT [copies=2] [first=0] [minutes=4] [dim=256] [layers=4]
       [most=0]
"""

from __future__ import annotations

import gzip
import json
import math
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import sentencepiece as spm
import torch
from torch import nn

Tensor = Any  # torch need not be there for the types to be checked

EVERY = 3  # of the training lists, as in translation_neural.py
PARTS = ("train", "val", "test_2016")
KINDS = ("forward", "forward-r2l", "backward", "backward-r2l")
PIECES, LONGEST, TOKENS = 6_000, 80, 8_192
PAD, BOS, EOS = 0, 1, 2
AT_ONCE = 4  # models that are trained side by side
HIGHEST, WARM = 1.2e-3, 300  # the highest learning rate, and after how many steps


def main() -> None:
    """Split the text, train all models in processes side by side, and join what they have scored."""
    if sys.argv[1] == "one":
        one(sys.argv[2], int(sys.argv[3]), Path(sys.argv[4]), json.loads(sys.argv[5]))
        return
    data, out = Path(sys.argv[1]) / "translation", Path(sys.argv[2])
    given = dict(word.split("=") for word in sys.argv[3:])
    options = {name: float(given.get(name, usual)) for name, usual in USUAL.items()}
    prepare(data, out, int(options["most"]))
    first, copies = int(options["first"]), int(options["copies"])
    jobs = [(kind, seed) for seed in range(first, first + copies) for kind in KINDS]
    running: list[subprocess.Popen[bytes]] = []
    while jobs or running:
        running = [each for each in running if each.poll() is None]
        while jobs and len(running) < AT_ONCE:
            kind, seed = jobs.pop(0)
            words = [sys.executable, __file__, "one", kind, str(seed), str(out), json.dumps(options)]
            running.append(subprocess.Popen(words))
        time.sleep(0.2)
    found = sorted(out.glob("scores.*.npz"))
    names = [path.name.removeprefix("scores.").removesuffix(".npz") for path in found]
    for part in PARTS:
        columns = [np.load(path)[part] for path in found]
        np.savez_compressed(out / f"rescored-{part}.npz", names=np.array(names), scores=np.stack(columns, axis=1))
    print(json.dumps({"models": names, "parts": list(PARTS)}))


USUAL = {"copies": 2, "first": 0, "minutes": 4, "dim": 256, "layers": 4, "most": 0}


# -------------------------------------------------------------------- text


def lines_of(path: Path) -> list[str]:
    """The lines of a compressed file."""
    return gzip.decompress(path.read_bytes()).decode().splitlines()


def prepare(data: Path, out: Path, most: int) -> None:
    """Pieces of all texts, in one file: pairs to learn from, pairs of val, and the candidates of all lists."""
    out.mkdir(parents=True, exist_ok=True)
    source, target = (lines_of(data / "multi30k" / f"train.{language}.gz") for language in ("en", "de"))
    lists = {part: [json.loads(line) for line in lines_of(data / f"multi30k-nmt50.{part}.jsonl.gz")] for part in PARTS}
    lists["train"] = lists["train"][::EVERY]
    if most:
        lists = {part: each[:most] for part, each in lists.items()}
    unseen = {text for each in lists.values() for row in each for text in (row["input"], *row["references"])}
    pairs = [pair for pair in zip(source, target, strict=True) if not unseen & set(pair)]
    print(f"{len(pairs):,} of {len(source):,} pairs to learn from", flush=True)
    if most:
        pairs = pairs[: 20 * most]
    (out / "text").write_text("\n".join(text for pair in pairs for text in pair))
    spm.SentencePieceTrainer.train(
        input=str(out / "text"), model_prefix=str(out / "pieces"), model_type="bpe",
        vocab_size=500 if most else PIECES, pad_id=PAD, bos_id=BOS, eos_id=EOS, unk_id=3, character_coverage=1.0,
        minloglevel=2,
    )  # fmt: skip
    cutter = spm.SentencePieceProcessor(model_file=str(out / "pieces.model"))
    val = [(row["input"], row["references"][0]) for row in lists["val"]]
    texts: dict[str, list[str]] = {}
    for name, both in (("learn", pairs), ("held", val)):
        texts[f"{name}.source"], texts[f"{name}.target"] = ([pair[at] for pair in both] for at in (0, 1))
    for part, rows in lists.items():
        texts[f"{part}.source"] = [row["input"] for row in rows for _ in row["candidates"]]
        texts[f"{part}.target"] = [each["text"] for row in rows for each in row["candidates"]]
    np.savez(out / "text.npz", **{name: matrix(cutter.encode(each)) for name, each in texts.items()})


def matrix(sentences: list[list[int]]) -> Any:
    """Rows of pieces, padded."""
    found = np.zeros((len(sentences), LONGEST), np.int16)
    for row, pieces in zip(found, sentences, strict=True):
        row[: min(len(pieces), LONGEST)] = pieces[:LONGEST]
    return found


# -------------------------------------------------------------------- network


class Translator:
    """A Transformer with one table of pieces for both sides and for what comes out."""

    def __init__(self, pieces: int, dim: int, layers: int, device: str) -> None:
        table, places = nn.Embedding(pieces, dim, padding_idx=PAD), nn.Embedding(LONGEST + 2, dim)
        for each in (table, places):
            nn.init.normal_(each.weight, std=dim**-0.5)
        network = nn.Transformer(
            dim, 4, layers, layers, 4 * dim, dropout=0.3, batch_first=True, norm_first=True, activation="gelu"
        )
        parts = {"table": table, "places": places, "network": network, "drop": nn.Dropout(0.3)}
        self.parts, self.scale = nn.ModuleDict(parts).to(device), math.sqrt(dim)

    def embed(self, rows: Tensor) -> Tensor:
        """Pieces with their places."""
        places = self.parts["places"](torch.arange(rows.shape[1], device=rows.device))
        return self.parts["drop"](self.parts["table"](rows) * self.scale + places)

    def scores(self, source: Tensor, before: Tensor) -> Tensor:
        """Scores of all pieces at every place of the target, given those before."""
        blank = source == PAD
        mask = torch.triu(torch.ones(before.shape[1], before.shape[1], dtype=torch.bool, device=before.device), 1)
        found = self.parts["network"](
            self.embed(source), self.embed(before), tgt_mask=mask, src_key_padding_mask=blank,
            memory_key_padding_mask=blank, tgt_is_causal=True,
        )  # fmt: skip
        return found @ self.parts["table"].weight.T


class Sentences:
    """Pairs of one direction on the device, in batches of about equal length."""

    def __init__(self, kept: Any, name: str, kind: str, device: str) -> None:
        sides = ["target", "source"] if kind.startswith("backward") else ["source", "target"]
        source, target = (torch.from_numpy(kept[f"{name}.{side}"].astype(np.int64)) for side in sides)
        lengths = (target != PAD).sum(1)
        if kind.endswith("r2l"):  # the words of a sentence backwards, its padding still at the end
            places = lengths[:, None] - 1 - torch.arange(LONGEST)
            target = torch.where(places >= 0, target.gather(1, places.clamp(min=0)), PAD)
        self.before = torch.cat([torch.full((len(target), 1), BOS), target], 1).to(device)
        after = torch.cat([target, torch.zeros(len(target), 1, dtype=torch.int64)], 1)
        after[torch.arange(len(target)), lengths] = EOS
        self.after, self.source = after.to(device), source.to(device)
        self.widths = [(lengths + 1).numpy(), (source != PAD).sum(1).numpy()]

    def batches(self, tokens: int, random: np.random.Generator | None = None) -> list[Any]:
        """Rows of every batch: like lengths together, in any order where they are drawn."""
        noise = random.normal(0, 1.0, len(self.widths[0])) if random else 0
        order = np.argsort(self.widths[0] + self.widths[1] + noise, kind="stable")
        longest = np.maximum(*self.widths)[order]
        cuts, start = [], 0
        while start < len(order):
            size = max(1, tokens // max(1, int(longest[start : start + tokens // 8].max())))
            cuts.append(order[start : start + size])
            start += size
        return [cuts[at] for at in random.permutation(len(cuts))] if random else cuts

    def batch(self, rows: Any) -> tuple[Tensor, Tensor, Tensor]:
        """Source, target before and target after of some rows, without columns of padding alone."""
        at = torch.from_numpy(rows).to(self.source.device)
        wide, broad = int(self.widths[0][rows].max()), max(1, int(self.widths[1][rows].max()))
        return self.source[at, :broad], self.before[at, :wide], self.after[at, :wide]


def one(kind: str, seed: int, out: Path, options: dict[str, float]) -> None:
    """Train one model, and score all candidates with its best epoch."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(seed)
    torch.backends.cuda.matmul.allow_tf32 = True
    random, kept = np.random.default_rng(seed), np.load(out / "text.npz")
    cutter = spm.SentencePieceProcessor(model_file=str(out / "pieces.model"))
    model = Translator(cutter.get_piece_size(), int(options["dim"]), int(options["layers"]), device)
    learn, held = (Sentences(kept, name, kind, device) for name in ("learn", "held"))
    steps = torch.optim.AdamW(model.parts.parameters(), betas=(0.9, 0.98), weight_decay=1e-2, fused=device == "cuda")
    best, state, began, epoch, since, at = math.inf, {}, time.monotonic(), 0, 0, 0
    while (spent := (time.monotonic() - began) / (60 * options["minutes"])) < 1 and since < 8:
        model.parts.train()
        for rows in learn.batches(TOKENS, random):
            source, before, after = learn.batch(rows)
            with torch.autocast(device, torch.bfloat16):
                scores = model.scores(source, before)
            loss = nn.functional.cross_entropy(
                scores.float().flatten(0, 1), after.flatten(), ignore_index=PAD, label_smoothing=0.1
            )
            at += 1  # the rate rises for some steps, and falls to nothing as the time runs out
            spent = (time.monotonic() - began) / (60 * options["minutes"])
            steps.param_groups[0]["lr"] = HIGHEST * max(0.0, min(at / WARM, 1 - spent))
            steps.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parts.parameters(), 1.0)
            steps.step()
        epoch, since = epoch + 1, since + 1
        value = -scored(model, held).sum() / held.widths[0].sum()
        if value < best:
            best, since = value, 0
            state = {name: each.detach().clone() for name, each in model.parts.state_dict().items()}
    model.parts.load_state_dict(state)
    told = f"{kind}.{seed}: {epoch} epochs, {at:,} steps, {best:.4f} per piece of val"
    np.savez(
        out / f"scores.{kind}.{seed}.npz",
        **{part: scored(model, Sentences(kept, part, kind, device)) for part in PARTS},
    )
    print(f"{told}, {time.monotonic() - began:.0f} s", flush=True)


def scored(model: Translator, sentences: Sentences) -> Any:
    """Log-probability of every target."""
    model.parts.eval()
    found = np.zeros(len(sentences.source), np.float32)
    device = sentences.source.device.type
    for rows in sentences.batches(8 * TOKENS):
        source, before, after = sentences.batch(rows)
        with torch.no_grad(), torch.autocast(device, torch.bfloat16):
            scores = model.scores(source, before)
        losses = nn.functional.cross_entropy(scores.float().transpose(1, 2), after, ignore_index=PAD, reduction="none")
        found[rows] = -losses.sum(1).cpu().numpy()
    return found


if __name__ == "__main__":
    main()

"""Which neural models are wanted: kind, folder, and how they are asked."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from runoff.errors import ModelError, UsageError
from runoff.features.external_files import files_fingerprint, is_name
from runoff.features.neural.kinds import KINDS, NeuralKind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

INPUT = "{input}"
DTYPES = ("float32", "auto")  # auto: as the weights are stored


@dataclass(frozen=True)
class NeuralModel:
    """A model in a folder: what `--with KIND=FOLDER` names.

    Parameters
    ----------
    kind
        One of `KINDS`.
    folder
        Folder with the model and its tokenizer, as transformers saves them; the weights as safetensors.
    prompt
        Text that a causal language model reads before every candidate; `{input}` stands for the input of the list.
    dtype
        Numbers to compute with: "float32", or "auto" for those of the weights.
    label
        What the names of its columns begin with. Default: the kind.

    Examples
    --------
    >>> NeuralModel("causal-lm", "models/small", prompt="{input}: ").reads_input
    True
    """

    kind: str
    folder: str
    prompt: str = ""
    dtype: str = "float32"
    label: str = ""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise UsageError(f"there is no kind of neural model {self.kind!r}; there are: {', '.join(KINDS)}.")
        if self.prompt and not self.how.takes_prompt:
            takers = ", ".join(name for name, kind in KINDS.items() if kind.takes_prompt)
            raise UsageError(f"a {self.kind} has no use for a prompt; only these have: {takers}.")
        if self.dtype not in DTYPES:
            raise UsageError(f"dtype must be one of {', '.join(DTYPES)}; found {self.dtype!r}.")

    @property
    def how(self) -> NeuralKind:
        """The kind."""
        return KINDS[self.kind]

    @property
    def name(self) -> str:
        """What its columns begin with."""
        return self.label or self.kind

    @property
    def reads_input(self) -> bool:
        """Whether its scores depend on the input of the list."""
        return self.how.reads_input or INPUT in self.prompt

    @cached_property
    def files(self) -> str:
        """Fingerprint of all files in the folder. O(bytes)."""
        return files_fingerprint(Path(self.folder))

    @cached_property
    def fingerprint(self) -> str:
        """What identifies the scores: the files, and how the model is asked."""
        asked = json.dumps([self.kind, self.files, self.prompt, self.dtype])
        return hashlib.blake2b(asked.encode(), digest_size=16).hexdigest()

    # ---------------------------------------------------------------- in models

    def to_step(self) -> dict[str, Any]:
        """What a model file keeps: where the folder is and what identifies it."""
        return {
            "kind": self.kind,
            "folder": str(Path(self.folder).absolute()),
            "files": self.files,
            "prompt": self.prompt,
            "dtype": self.dtype,
            "label": self.name,
        }

    @classmethod
    def from_step(cls, kept: Mapping[str, Any]) -> NeuralModel:
        """The model that was used in training; any other is refused before anything of it is loaded."""
        found = cls(**{name: value for name, value in kept.items() if name != "files"})
        if not Path(found.folder).is_dir():
            raise ModelError(f"the model needs the neural model {found.folder}, which does not exist.")
        if found.files != kept["files"]:
            raise ModelError(f"the neural model {found.folder} is not the one that the model was trained with.")
        return found


def is_model_step(kept: Any) -> bool:
    """Whether what a file has names a neural model.

    Examples
    --------
    >>> is_model_step({"kind": "cross-encoder", "folder": "m"})
    False
    """
    if not isinstance(kept, dict) or set(kept) != {"kind", "folder", "files", "prompt", "dtype", "label"}:
        return False
    named = all(is_name(kept[name]) for name in ("folder", "files", "label"))
    try:
        return (
            named
            and isinstance(kept["prompt"], str)
            and bool(NeuralModel(kept["kind"], "m", kept["prompt"], kept["dtype"]))
        )
    except (UsageError, TypeError):
        return False


def parse_models(text: str, **how: Any) -> tuple[NeuralModel, ...]:
    """Models from `KIND=FOLDER,KIND=FOLDER`; a comma may be in the name of a folder unless a kind follows it.

    `how` are other parameters of `NeuralModel`; the prompt is given to those that take one.

    Examples
    --------
    >>> [(each.kind, each.folder) for each in parse_models("cross-encoder=a,b,causal-lm=c")]
    [('cross-encoder', 'a,b'), ('causal-lm', 'c')]
    """
    parts: list[str] = []
    for part in text.split(","):
        if parts and part.partition("=")[0].strip() not in KINDS:
            parts[-1] += f",{part}"
        else:
            parts.append(part)
    return models_of([part.partition("=")[::2] for part in parts], **how)


def models_of(pairs: Sequence[tuple[str, str]], prompt: str | None = None, **how: Any) -> tuple[NeuralModel, ...]:
    """Models from kinds and folders, with labels that differ."""
    found = []
    for name, folder in pairs:
        kind = name.strip()
        if not folder.strip():
            raise UsageError(
                f"a neural model is given as KIND=FOLDER, as in cross-encoder=models/my-encoder; found {kind!r}."
            )
        takes = kind in KINDS and KINDS[kind].takes_prompt
        found.append(NeuralModel(kind, folder.strip(), prompt=(prompt or "") if takes else "", **how))
    if prompt and not any(each.how.takes_prompt for each in found):
        raise UsageError("a prompt is for a causal language model, and none is given; leave the prompt out.")
    return unique_labels(found)


def unique_labels(models: Sequence[NeuralModel]) -> tuple[NeuralModel, ...]:
    """The models with labels that differ: of several of one kind, each also has the name of its folder.

    Examples
    --------
    >>> two = [NeuralModel("reward", "a/small"), NeuralModel("reward", "a/large"), NeuralModel("masked-lm", "b")]
    >>> [each.name for each in unique_labels(two)]
    ['reward small', 'reward large', 'masked-lm']
    """
    kinds = [each.kind for each in models]
    named = tuple(
        replace(each, label=f"{each.kind} {Path(each.folder).name}" if kinds.count(each.kind) > 1 else "")
        for each in models
    )
    labels = [each.name for each in named]
    twice = next((label for label in labels if labels.count(label) > 1), None)
    if twice is not None:
        raise UsageError(f"two neural models would have the same name {twice!r}; give folders with different names.")
    return named

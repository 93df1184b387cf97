"""Loading a model of transformers from a folder: nothing is downloaded, unpickled, or run from it."""

from __future__ import annotations

import contextlib
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from runoff.devices import find_device
from runoff.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from runoff.features.neural.spec import NeuralModel

_PICKLED = (".bin", ".pt", ".pth", ".ckpt")


def check_folder(model: NeuralModel) -> None:
    """Raise unless the folder has a model whose weights can be read without running anything.

    Examples
    --------
    >>> from runoff.features.neural.spec import NeuralModel
    >>> check_folder(NeuralModel("reward", "OpenAssistant/reward"))
    Traceback (most recent call last):
    runoff.errors.UsageError: there is no folder OpenAssistant/reward; models are not downloaded: give the folder of ...
    """
    folder = Path(model.folder)
    if not folder.is_dir():
        raise UsageError(
            f"there is no folder {folder}; models are not downloaded: give the folder of a model on this machine, as "
            f"transformers saves it."
        )
    if (folder / "adapter_config.json").exists():
        raise UsageError(
            f"{folder} has an adapter, which needs another model; merge them (PEFT: merge_and_unload), and save that."
        )
    if not (folder / "config.json").exists():
        raise UsageError(f"{folder} has no config.json, so it is no model of transformers.")
    if any(folder.glob("*.safetensors")):
        return
    pickled = next((each.name for each in sorted(folder.iterdir()) if each.suffix in _PICKLED), None)
    if pickled is None:
        raise UsageError(f"{folder} has no weights: no file ends in .safetensors.")
    raise UsageError(
        f"{folder} has its weights in {pickled}, which can run code when it is opened. If you trust it, convert it "
        "once: load it with transformers and save_pretrained(FOLDER), which writes safetensors."
    )


def load_network(model: NeuralModel, device: str) -> tuple[Any, Any, Any]:
    """The network in evaluation mode on its device, its tokenizer, and torch."""
    check_folder(model)
    torch, transformers = _packages()
    folder, how = model.folder, {"local_files_only": True, "trust_remote_code": False}
    place = find_device(torch, device)
    with _quiet(transformers):
        try:
            tokenizer = transformers.AutoTokenizer.from_pretrained(folder, **how)
            network, found = getattr(transformers, model.how.loader).from_pretrained(
                folder,
                **how,
                use_safetensors=True,
                dtype=torch.float32 if model.dtype == "float32" else "auto",
                output_loading_info=True,
            )
        except Exception as error:  # whatever is wrong in a folder of others
            raise UsageError(f"{folder} cannot be loaded as a {model.kind}: {_first_sentence(error)}") from error
    # transformers only warns, and fills the gaps at random: the scores would be noise.
    gaps = sorted(map(str, [*found.get("missing_keys", ()), *found.get("mismatched_keys", ())]))
    if gaps:
        more = f" and {len(gaps) - 1} more" if gaps[1:] else ""
        raise UsageError(f"{folder} is no {model.kind}: its weights lack {gaps[0]}{more}.")
    try:
        return network.to(place).eval(), tokenizer, torch
    except (RuntimeError, AssertionError) as error:
        raise UsageError(f"{folder} cannot be put on the device {place}: {_first_sentence(error)}") from error


def _packages() -> tuple[Any, Any]:
    try:
        return import_module("torch"), import_module("transformers")
    except ImportError as error:
        raise UsageError(
            f"scores of neural models need the package {error.name or 'transformers'}: pip install 'runoff[neural]'"
        ) from error


@contextlib.contextmanager
def _quiet(transformers: Any) -> Iterator[None]:
    """Without bars and warnings: what matters of them is said here."""
    logging = transformers.utils.logging
    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()


def _first_sentence(error: Exception) -> str:
    words = " ".join(str(error).split()) or type(error).__name__
    return f"{words[:200]}{'…' if len(words) > 200 else '' if words.endswith('.') else '.'}"

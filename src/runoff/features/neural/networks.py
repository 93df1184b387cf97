"""What each kind of model makes of a text: token numbers, and scores of a batch of them.

Batches are padded on the right, and what is padded is masked, so that a text's scores are those that it has alone, but
for the last digits.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from runoff.errors import DataError, UsageError
from runoff.features.neural.loading import load_network
from runoff.features.neural.spec import INPUT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.arrays import Floats
    from runoff.features.neural.spec import NeuralModel

_UNKNOWN_LIMIT = 1 << 20  # tokenizers without a limit claim a far greater one
_TOKENS = {"cpu": 1 << 12}  # of a batch; elsewhere:
_TOKENS_ELSEWHERE = 1 << 15
_LOGITS = {"cpu": 1 << 26}  # numbers of a batch's output of a language model, of 4 bytes each; elsewhere:
_LOGITS_ELSEWHERE = 1 << 29


@dataclass(frozen=True)
class Encoded:
    """A text as a network reads it."""

    ids: list[int]
    types: list[int] | None = None  # which of two texts a token belongs to
    scored: list[int] = field(default_factory=list)  # places of the tokens whose probability is asked for
    cut: bool = False  # whether it was too long

    @property
    def length(self) -> int:
        """Number of tokens."""
        return len(self.ids)


class Network(ABC):
    """A loaded model; what kinds have in common."""

    columns: tuple[str, ...]

    def __init__(self, model: NeuralModel, device: str = "auto") -> None:
        self.model = model
        self.network, self.tokenizer, self._torch = load_network(model, device)
        self.config = self.network.config.get_text_config()
        self.device = self.network.device
        self.limit = self._longest()
        self._check()

    @abstractmethod
    def encode(self, given: str | None, text: str) -> Encoded:
        """The tokens of a text and its input."""

    def scores(self, batch: Sequence[Encoded]) -> Floats:
        """A row of scores for every text, finite numbers in float64."""
        with self._torch.inference_mode():
            found = self._scores(batch)
        if not np.isfinite(found).all():
            raise DataError(
                f"{self.model.folder} gives scores that are no finite numbers; with dtype float32 it may not."
            )
        return found

    def rows_of(self, each: Encoded) -> int:  # noqa: ARG002 - most kinds need not look
        """Rows of the network's input that a text takes."""
        return 1

    @property
    def tokens_of_batch(self) -> int:
        """How many tokens, with padding, a batch may have."""
        return _TOKENS.get(self.device.type, _TOKENS_ELSEWHERE)

    @abstractmethod
    def _scores(self, batch: Sequence[Encoded]) -> Floats:
        """A row of scores for every text."""

    def _check(self) -> None:  # noqa: B027 - most kinds can be used as they are
        """Raise if the model cannot be used in this way."""

    def _longest(self) -> int:
        """The number of tokens that the network takes."""
        places = [int(self.tokenizer.model_max_length)]
        size = getattr(self.config, "max_position_embeddings", None) or getattr(self.config, "n_positions", None)
        if isinstance(size, int) and size > 0:
            # RoBERTa and its kin count from behind the place of the padding.
            tables = (module for name, module in self.network.named_modules() if name.endswith("position_embeddings"))
            paddings = [getattr(table, "padding_idx", None) for table in tables]
            before = next((padding + 1 for padding in paddings if padding is not None), 0)
            places.append(size - before)
        return min(min(places), _UNKNOWN_LIMIT)

    def _ids(self, text: str) -> list[int]:
        """Tokens of a text alone, without marks."""
        found: list[int] = self.tokenizer(text, add_special_tokens=False, truncation=False, verbose=False)["input_ids"]
        return found

    def _outputs(self, rows: Sequence[Sequence[int]], types: Sequence[Sequence[int]] | None = None) -> Any:
        """What the network says of rows of tokens, padded to the same length with a token that none of them has."""
        torch, longest = self._torch, max(map(len, rows))
        seen = {token for row in rows for token in row}
        usual = self.tokenizer.pad_token_id
        padding = (
            usual
            if usual is not None and usual not in seen
            else next(at for at in range(len(seen) + 1) if at not in seen)
        )
        # Classifiers of decoders look for the last token that is no padding, by this number.
        self.network.config.pad_token_id = self.config.pad_token_id = padding
        given = {
            "input_ids": [[*row, *[padding] * (longest - len(row))] for row in rows],
            "attention_mask": [[1] * len(row) + [0] * (longest - len(row)) for row in rows],
        }
        if types is not None:
            given["token_type_ids"] = [[*row, *[0] * (longest - len(row))] for row in types]
        tensors = {name: torch.tensor(values, device=self.device) for name, values in given.items()}
        return self.network(**tensors).logits


class CrossEncoder(Network):
    """Input and text read together; the outputs before any sigmoid or softmax (Nogueira & Cho 2019).

    Lists without inputs have their texts read alone. Too long pairs lose the end of the longer one.
    """

    def _check(self) -> None:
        labels = self.config.id2label or {}
        size = int(self.config.num_labels)
        self.columns = ("score",) if size == 1 else tuple(str(labels.get(at, at)) for at in range(size))

    def encode(self, given: str | None, text: str) -> Encoded:
        """The pair as the tokenizer joins it."""
        texts = (text,) if given is None else (given, text)
        found = self.tokenizer(*texts, truncation=False, verbose=False)
        cut = len(found["input_ids"]) > self.limit
        if cut:
            found = self.tokenizer(*texts, truncation="longest_first", max_length=self.limit, verbose=False)
        return Encoded(found["input_ids"], found.get("token_type_ids"), cut=cut)

    def _scores(self, batch: Sequence[Encoded]) -> Floats:
        types = [each.types or [0] * each.length for each in batch] if batch[0].types is not None else None
        return _as_floats(self._outputs([each.ids for each in batch], types))


class RewardModel(CrossEncoder):
    """A prompt and its answer, in the form of the model's chats if it has one, else as a pair."""

    def _check(self) -> None:
        super()._check()
        if len(self.columns) != 1:
            raise UsageError(
                f"{self.model.folder} is no reward model: it has {len(self.columns)} outputs; "
                "cross-encoder=FOLDER gives them all."
            )

    def encode(self, given: str | None, text: str) -> Encoded:
        """The tokens of the conversation; of too long ones the beginning is left out."""
        if given is None:
            raise DataError("a reward model judges answers to inputs, and these lists have no inputs.")
        if not self.tokenizer.chat_template:
            return super().encode(given, text)
        chat = [{"role": "user", "content": given}, {"role": "assistant", "content": text}]
        ids = self._ids(self.tokenizer.apply_chat_template(chat, tokenize=False))
        return Encoded(ids[-self.limit :], cut=len(ids) > self.limit)


class LanguageNetwork(Network):
    """What language models have in common: sum, mean and lowest of the tokens' log-probabilities."""

    columns = ("log-probability", "per token", "worst token")

    @property
    def tokens_of_batch(self) -> int:
        """As many as the memory for their outputs allows."""
        numbers = _LOGITS.get(self.device.type, _LOGITS_ELSEWHERE)
        return max(1, min(super().tokens_of_batch, numbers // int(self.config.vocab_size)))

    def _token_scores(self, logits: Any, tokens: Any) -> Any:
        """Log-probabilities of tokens by outputs, a row for each."""
        logits = logits.float()
        return logits.gather(-1, tokens[:, None])[:, 0] - logits.logsumexp(-1)


class CausalModel(LanguageNetwork):
    """Log-probability of the text, token by token from left to right, after a prompt if there is one.

    Before the first token stands the mark of a beginning, else that of an end, as language models are evaluated; a
    model with neither has no probability for the first token. What is too long loses the beginning of the prompt, then
    the end of the text.
    """

    def encode(self, given: str | None, text: str) -> Encoded:
        """Mark, prompt and text."""
        tokenizer = self.tokenizer
        mark = tokenizer.eos_token_id if tokenizer.bos_token_id is None else tokenizer.bos_token_id
        begin = [] if mark is None else [int(mark)]
        prompt = self._ids(self.model.prompt.replace(INPUT, given or "")) if self.model.prompt else []
        own = self._ids(text)
        room = self.limit - len(begin) - len(own)
        cut = len(prompt) > room
        prompt = prompt[len(prompt) - max(room, 0) :] if cut else prompt
        ids = [*begin, *prompt, *own][: self.limit]
        return Encoded(ids, scored=list(range(max(1, len(begin) + len(prompt)), len(ids))), cut=cut)

    def _scores(self, batch: Sequence[Encoded]) -> Floats:
        torch, out = self._torch, np.zeros((len(batch), len(self.columns)))
        filled = [at for at, each in enumerate(batch) if each.scored]
        if not filled:
            return out
        logits = self._outputs([batch[at].ids for at in filled])
        # All tokens of the batch at once: a GPU would spend its time on waiting for one text after the other.
        asked = [(row, place, batch[at].ids[place]) for row, at in enumerate(filled) for place in batch[at].scored]
        rows, places, tokens = torch.tensor(asked, device=self.device).T
        values = _as_floats(self._token_scores(logits[rows, places - 1], tokens))
        ends = np.cumsum([len(batch[at].scored) for at in filled])
        for at, own in zip(filled, np.split(values, ends[:-1]), strict=True):
            out[at] = _summary(own)
        return out


class MaskedModel(LanguageNetwork):
    """Pseudo-log-likelihood: every token masked in turn and judged by all others (Salazar et al. 2020).

    As many rows as the text has tokens.
    """

    def _check(self) -> None:
        if self.tokenizer.mask_token_id is None:
            raise UsageError(f"{self.model.folder} is no masked language model: its tokenizer has no mask.")

    def encode(self, given: str | None, text: str) -> Encoded:  # noqa: ARG002 - inputs are not read
        """The text between its marks, which are not scored."""
        how = {"return_special_tokens_mask": True, "verbose": False}
        found = self.tokenizer(text, truncation=False, **how)
        cut = len(found["input_ids"]) > self.limit
        if cut:
            found = self.tokenizer(text, truncation=True, max_length=self.limit, **how)
        scored = [at for at, special in enumerate(found["special_tokens_mask"]) if not special]
        return Encoded(found["input_ids"], found.get("token_type_ids"), scored, cut)

    def rows_of(self, each: Encoded) -> int:
        """One for each token."""
        return max(1, len(each.scored))

    def _scores(self, batch: Sequence[Encoded]) -> Floats:
        torch, mask = self._torch, int(self.tokenizer.mask_token_id)
        asked = [(at, place) for at, each in enumerate(batch) for place in each.scored]
        found: list[list[float]] = [[] for _ in batch]
        step = max(1, self.tokens_of_batch // max(each.length for each in batch))
        for start in range(0, len(asked), step):
            part = asked[start : start + step]
            rows = []
            for at, place in part:
                rows.append([*batch[at].ids])
                rows[-1][place] = mask
            logits = self._outputs(rows)
            places = torch.tensor([place for _, place in part], device=self.device)
            tokens = torch.tensor([batch[at].ids[place] for at, place in part], device=self.device)
            values = self._token_scores(logits[torch.arange(len(part), device=self.device), places], tokens)
            for (at, _), value in zip(part, _as_floats(values).tolist(), strict=True):
                found[at].append(value)
        return np.array([_summary(np.array(values)) for values in found])


NETWORKS: dict[str, type[Network]] = {
    each.__name__: each for each in (CrossEncoder, RewardModel, CausalModel, MaskedModel)
}


def _summary(values: Floats) -> tuple[float, float, float]:
    """Sum, mean and lowest; zeros for a text without tokens."""
    return (float(values.sum()), float(values.mean()), float(values.min())) if values.size else (0.0, 0.0, 0.0)


def _as_floats(tensor: Any) -> Floats:
    found: Floats = tensor.detach().float().cpu().numpy().astype(np.float64)
    return found

"""Tiny models of transformers with random weights, written to folders as transformers saves them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

_TEXT = "the a cat dog bird sat sits on under mat tree in an old house . ? what did see it"
WORDS = _TEXT.split()
_MARKS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
_SIZE = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}


def save_tokenizer(folder: Path, *, marks: bool = True, longest: int = 24, **more: Any) -> int:
    """A tokenizer of words; with `marks` it puts [CLS] and [SEP] around texts. Returns the size of its vocabulary."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    vocabulary = {word: at for at, word in enumerate([*_MARKS, *WORDS])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    names = {"unk_token": "[UNK]"}
    if marks:
        tokenizer.post_processor = processors.TemplateProcessing(
            single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
        )
        names |= {"pad_token": "[PAD]", "cls_token": "[CLS]", "sep_token": "[SEP]", "mask_token": "[MASK]"}
    made = PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=longest, **names, **more)
    made.save_pretrained(folder)
    return len(vocabulary)


def save_classifier(folder: Path, labels: int = 1, seed: int = 0) -> Path:
    """A BERT that reads one text or two."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification

    size = save_tokenizer(folder)
    torch.manual_seed(seed)
    config = BertConfig(vocab_size=size, max_position_embeddings=24, num_labels=labels, initializer_range=0.5, **_SIZE)
    BertForSequenceClassification(config).save_pretrained(folder)
    return folder


def save_masked(folder: Path, seed: int = 0) -> Path:
    """A RoBERTa, whose places begin behind that of the padding, with its masked head."""
    import torch
    from transformers import RobertaConfig, RobertaForMaskedLM

    size = save_tokenizer(folder, longest=1 << 30)
    torch.manual_seed(seed)
    config = RobertaConfig(
        vocab_size=size, max_position_embeddings=20, pad_token_id=0, type_vocab_size=1, initializer_range=0.5, **_SIZE
    )
    RobertaForMaskedLM(config).save_pretrained(folder)
    return folder


def save_causal(folder: Path, seed: int = 0) -> Path:
    """A GPT-2 without a padding token; the mark of an end is [SEP]."""
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel

    size = save_tokenizer(folder, marks=False, eos_token="[SEP]")
    torch.manual_seed(seed)
    config = GPT2Config(vocab_size=size, n_positions=24, n_embd=16, n_layer=2, n_head=2, initializer_range=0.5)
    GPT2LMHeadModel(config).save_pretrained(folder)
    return folder


def save_reward(folder: Path, seed: int = 0) -> Path:
    """A Llama with one output at its last token, which is also its padding token, and a form of chats."""
    import torch
    from transformers import LlamaConfig, LlamaForSequenceClassification

    form = "{% for each in messages %}{{ each['role'] }} : {{ each['content'] }} [SEP]{% endfor %}"
    size = save_tokenizer(folder, marks=False, eos_token="[SEP]", pad_token="[SEP]", chat_template=form)
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=size, num_labels=1, max_position_embeddings=64, pad_token_id=None, initializer_range=0.5, **_SIZE
    )
    LlamaForSequenceClassification(config).save_pretrained(folder)
    return folder

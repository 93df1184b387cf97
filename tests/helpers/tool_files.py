"""Files and folders of `fixtures`, each in the shape that its tool writes, and what is typed to read them.

The shapes come from the tools' own sources, which are named beside each; the words are made up.
"""

from __future__ import annotations

from pathlib import Path

FIXTURES = Path(__file__).parents[1] / "fixtures"

TOOLS: dict[str, tuple[str, list[str]]] = {
    # egs/wsj/s5/steps/rnnlmrescore.sh of Kaldi: archives.N with words, words_text, acwt and several lmwt
    "kaldi": ("kaldi", ["kaldi", "--references", "references/text"]),
    "kaldi, one file": ("kaldi", ["kaldi/archives.1/words_text", "--references", "references/ref.ctm"]),
    # espnet2/bin/asr_inference.py: DatadirWriter with {n}best_recog, score as str(hyp.score), a tensor
    "espnet": ("espnet", ["espnet", "--references", "espnet/text"]),
    # espnet/asr/asr_utils.py of ESPnet 1: add_results_to_json
    "espnet 1": ("espnet-json", ["espnet1/data.json"]),
    # write_transcription in nemo/collections/asr/parts/utils/transcribe_utils.py
    "nemo": ("nemo", ["nemo/transcribed.json"]),
    # scripts/asr_language_modeling/ngram_lm/eval_beamsearch_ngram_ctc.py: '{}\t{}\n'.format(pred_text, score)
    "nemo, table": ("nemo", ["nemo/preds_out_width3_alpha1.0_beta0.0.tsv", "--references", "references/manifest.json"]),
    # whisper/utils.py WriteJSON; one folder for each temperature
    "whisper": ("whisper", ["whisper", "--references", "references/whisper.text"]),
    # Segment of faster_whisper/transcribe.py, each as a dictionary
    "faster-whisper": ("whisper", ["faster-whisper", "--references", "references/whisper.text"]),
    "whisper, files": (
        "whisper",
        [
            "whisper/t0.0/anna-001.json",
            "--with",
            "runs=whisper/t0.2/anna-001.json",
            "--references",
            "references/whisper.text",
        ],
    ),
    # NBestHyp::parse in lm/src/NBest.cc of SRILM, and its page nbest-format(5)
    "srilm": ("srilm", ["srilm/nbest", "--references", "references/ref.trn"]),
    "srilm, NBestList1.0": ("srilm", ["srilm/nbest1", "--references", "references/ref.trn"]),
    "srilm, NBestList2.0": ("srilm", ["srilm/nbest2", "--references", "references/ref.trn"]),
    # The HTK Book, section 6.2.1 and 6.3: label files, multiple alternatives, master label files
    "htk": ("htk", ["htk/nbest.mlf", "--references", "references/ref.stm"]),
    "htk, folder": ("htk", ["htk/rec", "--references", "references/ref.stm"]),
    # src/proto/data.proto, model.proto and dataio.cc of ReFr
    "refr": ("refr", ["refr/lists.b64"]),
    "refr, binary": ("refr", ["refr/lists.raw"]),
    # fairseq_cli/generate.py
    "fairseq": ("fairseq", ["fairseq/generate-test.txt"]),
    # src/translator/output_printer.h of Marian
    "marian": ("moses", ["marian/output.nbest", "--references", "marian/ref.en"]),
    "marian, alignment": ("moses", ["marian/output.alignment.nbest", "--references", "marian/ref.en"]),
    # JSONOutputHandler and TranslatorOutput.json of Sockeye 3
    "sockeye": ("sockeye", ["sockeye/output.json", "--references", "marian/ref.en"]),
    # trec_eval's formats of runs and judgements
    "trec": ("trec", ["trec/bm25.run", "--runs", "trec/dense.run", "--qrels", "trec/qrels"]),
    # GenericDataLoader of BEIR, and the results of its retrievers
    "beir": ("beir", ["beir"]),
    # mqm_newstest2020_ende.tsv of google/wmt-mqm-human-evaluation
    "mqm": ("mqm", ["mqm/mqm.tsv"]),
    # CreateChatCompletionResponse, CreateCompletionResponse and BatchRequestOutput of OpenAI's openapi.yaml
    "chat": ("openai", ["language/chat-responses.jsonl", "--references", "language/chat-answers.jsonl"]),
    "completions": (
        "openai",
        ["language/completions.json", "--references", "language/completions.answers.txt"],
    ),
    "batch": ("openai", ["language/batch-output.jsonl", "--references", "language/batch-answers.csv"]),
    # RequestOutput and CompletionOutput in vllm/outputs.py, as dictionaries
    "vllm": ("vllm", ["language/vllm-outputs.json", "--references", "language/vllm-answers.json"]),
    # save_results_samples in lm_eval/loggers/evaluation_tracker.py, and Task.process_results
    "lm-eval": ("lm-eval", ["language/samples_sums_2026-01-05T10-00-00.000000.jsonl"]),
    "lm-eval, choices": ("lm-eval", ["language/samples_choices_2026-01-05T10-00-00.000000.jsonl"]),
    # evaluate_functional_correctness of HumanEval: the samples with `result` and `passed`
    "humaneval": ("records", ["language/samples.jsonl_results.jsonl"]),
    "samples": ("records", ["language/prompt-samples.jsonl"]),
    "by id": ("records", ["language/by-id.json"]),
    "judged table": (
        "table",
        ["language/judged.csv", "--columns", "group=prompt_id,text=response,quality=judged_right,base=reward"],
    ),
    # pyarrow's rows of datasets.Dataset.from_list(...).to_parquet
    "parquet": ("arrow", ["language/rollouts.parquet"]),
}


_NUMERIC = {  # files whose references are numbers, which no file says
    *("language/chat-responses.jsonl", "language/completions.json", "language/batch-output.jsonl"),
    *("language/vllm-outputs.json", "language/samples_sums_2026-01-05T10-00-00.000000.jsonl"),
    "language/prompt-samples.jsonl",
}


def metric(source: list[str]) -> list[str]:
    """The option that names the metric, where a file has references and no usual metric."""
    return ["--metric", "numeric"] if source[0] in _NUMERIC else []


def options(source: list[str]) -> dict[str, str]:
    """What follows the file, as options of `read`."""
    given = {}
    for name, value in zip(source[1::2], source[2::2], strict=True):
        key, text = value.split("=", 1) if name == "--with" else (name.removeprefix("--"), value)
        given[key] = text
    return given

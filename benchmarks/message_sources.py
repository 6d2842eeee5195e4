r"""Messages written by models, with golds and labels, read from clones of public repositories.

A clone is a folder of `--repos` named as the repository (`git clone https://github.com/GAIR-NLP/abel DIR/abel`); files
are read at the commit below, so that a table can be made again. Nothing here is copied into this repository.

Each label comes from a mechanical rule that knows nothing of the verifiers measured: what the repository says of the
row, or a marker compared with the gold as a plain string or number; where both exist they must agree. Rows that a rule
cannot decide are left out, never rows that a verifier finds hard. The rules are the docstrings of the functions.
"""

import hashlib
import io
import json
import re
import subprocess
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple


class Message(NamedTuple):
    """A model's message, the gold, and whether the message gives it as its answer."""

    source: str
    question: str
    message: str
    gold: str
    right: bool

    @property
    def part(self) -> str:
        """The part, decided by the question, so that no question is in both."""
        return "measure" if int(hashlib.sha256(self.question.encode()).hexdigest(), 16) % 2 else "dev"


class Clone:
    """Files of one repository at one commit."""

    def __init__(self, folder: Path, name: str, commit: str):
        self.path = folder / name
        self.commit = commit

    def read(self, file: str) -> bytes:
        """Return a file's content; a clone that is too shallow says so."""
        command = ["git", "-c", "safe.directory=*", "-C", str(self.path), "show", f"{self.commit}:{file}"]
        done = subprocess.run(command, capture_output=True)
        if done.returncode:
            raise SystemExit(f"{self.path}: {done.stderr.decode().strip()}; a clone with its history is needed")
        return done.stdout

    def lines(self, file: str) -> list[Any]:
        return [json.loads(line) for line in self.read(file).decode().splitlines() if line.strip()]

    def json(self, file: str) -> Any:
        return json.loads(self.read(file))


# What the rules compare.


def number(text: str) -> float | None:
    """Return a plain number, without the signs that go with money and thousands; "9,00" is nine."""
    text = re.sub(r",(?=\d\d?(?!\d))", ".", text)
    try:
        return float(re.sub(r"[,$%\s]|\\[$%!]", "", text).rstrip("."))
    except ValueError:
        return None


def same(left: str, right: str) -> bool | None:
    """Return whether two numbers are equal; None if they are close but not equal, or one is not a plain number."""
    a, b = number(left), number(right)
    if a is None or b is None or a == b:
        return None if a is None or b is None else True
    return False if abs(a - b) > 0.02 * max(abs(a), abs(b)) else None


def boxes(text: str) -> list[str]:
    r"""Return the content of each `\boxed{...}`."""
    found = []
    for start in re.finditer(r"\\boxed\s*\{", text):
        depth = 1
        for end in range(start.end(), len(text)):
            depth += (text[end] == "{") - (text[end] == "}")
            if not depth:
                found.append(text[start.end() : end])
                break
    return found


def last_sentence(text: str) -> str:
    return re.split(r"(?<=[.!?])\s+(?=[A-Z0-9])|\n+", text.strip())[-1]


def numbers(text: str) -> list[str]:
    """Return the numbers of a text, thousands apart by commas or blanks."""
    return re.findall(r"(?<![\w.])-?(?:\d{1,3}(?: \d{3})+|\d[\d,]*)(?![\d])(?:\.\d+)?", text)


def stated(sentence: str, gold: str, said: bool | None) -> bool | None:
    """The label of prose whose last number says `said`; None if the gold is another number of the same sentence."""
    return None if said is False and any(same(value, gold) for value in numbers(sentence)) else said


def compact(latex: str) -> str:
    """Normalise LaTeX spelling that does not change the meaning."""
    return (
        re.sub(r"\s|\\[,!;]|\\left|\\right|\$|\\text\{[^{}]*\}$|\.$", "", latex)
        .replace("dfrac", "frac")
        .replace("tfrac", "frac")
    )


# The sources.


def abel(clone: Clone) -> Iterator[Message]:
    """GSM8K by Abel 7B, 13B and 70B ("... every day. #### 18"): the number after the marker against GSM8K's gold."""
    golds = _gsm8k(clone)
    for size in ("7b", "13b", "70b"):
        for row in clone.lines(f"outputs/gsm8k/{size}.jsonl"):
            question = row["prompt"].split("Question:\n")[1].split("\nAnswer:")[0].strip()
            marker = re.search(r"####\s*(.+?)\s*$", row["response"])
            right = same(marker[1], golds[question]) if marker and question in golds else None
            if right is not None:
                yield Message("Abel", question, row["response"], golds[question], right)


def abel_prose(clone: Clone) -> Iterator[Message]:
    """Yield the same without the marker, where the last number of the last sentence is the one that the marker has."""
    for row in abel(clone):
        bare, _, marked = row.message.rpartition("####")
        found = numbers(sentence := last_sentence(bare.rstrip()))
        if found and same(found[-1], marked) and stated(sentence, row.gold, row.right) is not None:
            yield row._replace(source="Abel, prose", message=bare.rstrip())


def _gsm8k(clone: Clone) -> dict[str, str]:
    """GSM8K's test questions and golds, as grade-school-math has them."""
    other = Clone(clone.path.parent, "grade-school-math", COMMITS["grade-school-math"])
    rows = other.lines("grade_school_math/data/test.jsonl")
    return {row["question"].strip(): row["answer"].split("####")[1].strip() for row in rows}


def tora(clone: Clone) -> Iterator[Message]:
    """GSM8K by ToRA (a program, its output, a box): the only box after the program against the gold."""
    for model in ("tora-code-34b-v1.0", "tora-70b-v1.0"):
        for row in clone.lines(f"src/outputs/llm-agents/{model}/gsm8k/test_tora_-1_seed0_t0.0_s0_e1319.jsonl"):
            message = row["code"][0]
            held = boxes(message.split("```")[-1])
            right = same(held[0], row["gt"]) if len(held) == 1 else None
            if right is not None:
                yield Message("ToRA", row["question"].strip(), message, row["gt"], right)


def openai(clone: Clone) -> Iterator[Message]:
    """GSM8K by GPT-3 6B and 175B ("A: 18" in the last line): the repository's own `is_correct`."""
    for row in clone.lines("grade_school_math/data/example_model_solutions.jsonl"):
        gold = row["ground_truth"].split("A: ")[-1]
        for found in row.values():
            if isinstance(found, dict):
                yield Message("GPT-3", row["question"].strip(), found["solution"], gold, found["is_correct"])


def math_references(clone: Clone) -> Iterator[Message]:
    """MATH's own solutions; the gold is what the last box holds. All are right."""
    for row in clone.lines("src/data/math/test.jsonl"):
        if held := boxes(row["solution"]):
            yield Message("MATH solutions", row["problem"], row["solution"], held[-1], True)


def qwen(clone: Clone) -> Iterator[Message]:
    """MATH by Qwen2.5-Math (eight samples a question): the repository's `score`, where no plain number denies it."""
    for row in clone.lines("evaluation/data/eval_rm_maj_example/math_cot_100.jsonl"):
        for message, right in zip(row["code"], row["score"], strict=True):
            held = boxes(message)
            if held and same(held[-1].replace("{,}", ""), row["gt"].replace("{,}", "")) not in (None, bool(right)):
                continue
            yield Message("Qwen2.5-Math", row["question"], message, row["gt"], bool(right))


def gsm_plus(clone: Clone) -> Iterator[Message]:
    """GSM8K by GPT-4 and GPT-3.5: the number after the last marker, or the last of the last sentence; and `result`."""
    for model in ("gpt4", "gpt-3.5-turbo"):
        for row in clone.json(f"results/gsm8k_results/{model}.json"):
            message = row["model_prediction"]
            sentence = message.rpartition("####")[2] if "####" in message else last_sentence(message)
            found = numbers(sentence)
            right = same(found[0 if "####" in message else -1], row["gold"]) if found else None
            right = stated("" if "####" in message else sentence, row["gold"], right)
            if right is row["result"]:
                yield Message("GPT-4 and 3.5", row["question"].strip(), message, row["gold"], right)


def metamath(clone: Clone) -> Iterator[Message]:
    """GSM8K by MetaMath 7B, 13B and 70B ("#### 18", "The answer is: 18"): the number after the last, and `result`."""
    for size in ("7b", "13b", "70b"):
        for row in clone.json(f"results/gsm8k_results/metamath_{size}.json"):
            question = row["input"].partition("### Instruction:\n")[2].partition("\n\n### Response")[0].strip()
            message, gold = row["completion"].strip(), str(row["answer"])
            right = same(message.rpartition("The answer is:")[2], gold) if "The answer is:" in message else None
            if right is row["result"]:
                yield Message("MetaMath", question, message, gold, right)


def mathcoder(clone: Clone) -> Iterator[Message]:
    """GSM8K and MATH by MathCoder (programs and boxes): the only box against the gold, and the file it is in."""
    files = [
        ("L-70b/GSM8K/GSM8K_test_result-20230919-0018", ("correct", "wrong")),
        ("L-7b/GSM8K/GSM8K_test_result-20230916-1751", ("correct", "wrong")),
        ("CL-34b/GSM8K/GSM8K_test_result-20230916-1443", ("correct", "wrong")),
        ("L-7b/MATH/MATH_test_result-20230917-2026", ("correct",)),
    ]
    for file, kinds in files:
        for kind in kinds:
            for row in clone.lines(f"outs/MathCoder-{file}-{kind}.jsonl"):
                blocks, gold = row["debug_result"], row["ground_truth"]["answer"]
                message = _blocks(blocks[2:-1])  # the last block repeats what the box holds
                held = boxes(message)
                right = same(held[0], gold) if len(held) == 1 else None
                if len(held) == 1 and compact(held[0]) == compact(gold):
                    right = True
                if right is not None and right is (kind == "correct"):
                    yield Message("MathCoder", blocks[1]["content"].strip(), message, gold, right)


def _blocks(blocks: list[dict[str, str]]) -> str:
    fences = {"code": "```python\n{}\n```", "execution": "```output\n{}\n```"}
    return "\n".join(fences.get(block["role"], "{}").format(block["content"]) for block in blocks)


def plan_and_solve(clone: Clone) -> Iterator[Message]:
    """Word problems by text-davinci-003 in prose: the last line's only number, or that after its last "="; and `ans`.

    Lines that stop in the middle of a calculation are left out.
    """
    for name in ("gsm8k-zero_shot-305", "MultiArith-zero_shot-302", "SVAMP-zero_shot-307", "SingleEq-zeri_shot-301"):
        for row in clone.json(f"generated_result/{name}-text-davinci-003.json"):
            message, gold = row["chain-of-thought"].strip(), f"{row['answer']:g}"
            line = message.splitlines()[-1] if message else ""
            found = numbers(line.rpartition("=")[2])
            right = stated(line, gold, same(found[0], gold)) if len(found) == 1 else None
            if right is row["ans"] and not re.search(r"[-+*/x×÷]\s*[$€£]?[\d,.]+\s*\w*$", line):
                yield Message("text-davinci-003", row["question"].strip(), message, gold, right)


def zero_shot_cot(clone: Clone) -> Iterator[Message]:
    """Word problems and choices by GPT-3 ("Therefore, the answer (arabic numerals) is 40."): what it says there."""
    for name in ("gsm8k", "multiarith", "svamp", "aqua", "commonsensqa"):
        log = clone.read(f"log/{name}_zero_shot_cot.log").decode()
        for entry in log.split("_th_sampling\nQ: ")[1:]:
            question, _, rest = entry.partition("\nA: ")
            message, _, rest = rest.partition("\npred_before :")
            said, gold = (
                message.rstrip().rpartition(", the answer")[2],
                rest.partition("GT : ")[2].split("\n")[0].strip(),
            )
            found = re.fullmatch(r"[^\n]* is\s+(.+?)\.?", said.strip(), re.DOTALL)
            right = None if not found else same(found[1], gold)
            if found and re.fullmatch("[A-E]", gold) and re.fullmatch(r"\(?[A-E]\)?", found[1]):
                right = found[1].strip("()") == gold
            if right is not None:
                yield Message("GPT-3, zero-shot", question.strip(), message.strip(), gold, right)


def mmlu_pro(clone: Clone) -> Iterator[Message]:
    """Ten options by thirteen models: the one letter that the message calls the answer; one question in twelve.

    A message ends where a base model goes on with a question of its own, as in the repository's evaluation.
    """
    for model in MMLU_PRO_MODELS:
        archive = zipfile.ZipFile(io.BytesIO(clone.read(f"eval_results/model_outputs_{model}_5shots.zip")))
        for row in json.loads(archive.read(archive.namelist()[0])):
            if not isinstance(row, dict):  # a few rows hold an error message
                continue
            message = (row.get("model_outputs") or row.get("generated_text") or "").partition("Question:")[0].strip()
            letters = set(re.findall(r"answer is[:\s]*\(?([A-J])\b(?!['’]|\)? (?:and|or)\b)", message))
            if row["question_id"] % 12 == 0 and len(letters) == 1:
                question = f"{row['question_id']} {row['question']}"
                yield Message("MMLU-Pro, 13 models", question, message, row["answer"], letters == {row["answer"]})


def gaokao(clone: Clone) -> Iterator[Message]:
    """Chinese examinations by GPT-4, options ("【答案】C <eoa>"): the only letter there against the only right one."""
    for subject in (
        "Math_I",
        "Math_II",
        "Physics",
        "Chemistry",
        "Biology",
        "History",
        "Geography",
        "Political_Science",
    ):
        rows = clone.json(f"Results/gpt_4_0314_obj/gpt-4-0314_2010-2022_{subject}_MCQs.json")["example"]
        for row in rows:
            message, golds = row["model_output"].strip(), row["standard_answer"]
            said = [
                re.sub(r"[^A-D]", "", s)
                for s in re.findall(r"【答案】[:：\s]*([A-D](?:[,，、和与\s]*[A-D])*)", message)
            ]
            if len(golds) == 1 and len(golds[0]) == 1 and len(said) == 1 and message.count("【答案】") == 1:
                yield Message("GAOKAO, GPT-4", row["question"].strip(), message, golds[0], said == golds)


def math_vision(clone: Clone) -> Iterator[Message]:
    """MATH-Vision by Gemini, Qwen-VL, ChatGPT, InternLM: the only box against the gold; and `correct`."""
    golds = {row["id"]: row for row in clone.lines("data/test.jsonl")}
    files = ("Gemini/Gemini-Pro-CoT", "Qwen/Qwen-VL-Max-CoT", "GPT/ChatGPT3.5-CoT (Text+Image Caption)")
    for file in (*(f"closed-source/{name}" for name in files), "open-source/Internlm/InternLM-XComposer2-VL-CoT"):
        for row in clone.lines(f"outputs/{file}.jsonl"):
            gold, held = golds[row["id"]], boxes(row["response"])
            if len(held) != 1:
                continue
            letters = gold["options"] and re.fullmatch(r"\(?([A-E])\)?", held[0].strip())
            right = letters[1] == gold["answer"] if letters else same(held[0], gold["answer"])
            if right is not None and right is row["correct"]:
                yield Message("MATH-Vision", gold["question"], row["response"], gold["answer"], right)


def math_vista(clone: Clone) -> Iterator[Message]:
    """MathVista in prose by Bard, Claude, ChatGPT and GPT-4: the answer that GPT-4 took from it, and `true_false`.

    Left out: messages that say that nothing can be determined, or go on with questions of their own, and those that
    have the number neither in their beginning nor in their end, or do not call the letter the answer there.
    """
    for name in (
        "bard/output_bard",
        *(f"{model}/output_{model}_2shot_solution" for model in ("gpt4", "chatgpt", "claude")),
    ):
        for row in clone.json(f"results/{name}.json").values():
            message, taken = row["response"], str(row["extraction"]).strip(" ()")
            unsure = r"not (?:be )?(?:possible|determine|provide|give|specif)|impossible|unable|unclear|Question:"
            if re.search(unsure, message):
                continue
            if row["question_type"] == "free_form" and row["answer_type"] == "integer":
                gold, said = row["answer"], rf"(?<![\d.]){re.escape(taken)}(?![\d.]?\d)"
                right = same(taken, gold)
            elif row["choices"] and re.fullmatch("[A-H]", taken):
                gold, said = "ABCDEFGH"[row["choices"].index(row["answer"])], rf"(?:answer|option)\b[^.\n]*\b{taken}\b"
                right = taken == gold
            else:
                continue
            agreed = right is not None and right is row["true_false"]
            if agreed and (re.search(said, message[:200]) or re.search(said, message[-200:])):
                yield Message("MathVista, prose", row["question"], message, gold, right)


def big_bench_hard(clone: Clone) -> Iterator[Message]:
    """Arithmetic, counting, options, yes and no by Codex ("So the answer is (B)."): what it says against the target."""
    for task in BIG_BENCH_HARD:
        file = f"code-davinci-002-outputs/code-davinci-002-cot/{task}_few_shot_template_0-255000.json"
        for row in clone.json(file)["outputs"]:
            message, gold = row["prediction"].strip(), row["target"].strip()
            said = re.findall(r"So the answer is (.+?)\.?$", message)
            if len(said) == 1:
                question = row["input"].rpartition("\n\nQ: ")[2]
                yield Message("BIG-Bench Hard", question, message, gold, said[0].lower() == gold.lower())


def dynamic_cheatsheet(clone: Clone) -> Iterator[Message]:
    """AIME, GPQA and MMLU-Pro by GPT-4o and Claude 3.5 Sonnet ("<answer> 51 </answer>"): what the only tag holds."""
    for task in ("AIME_2020_2024", "AIME_2025", "GPQA_Diamond", "MMLU_Pro_Physics", "MMLU_Pro_Engineering"):
        for model in ("claude-3-5-sonnet", "gpt-4o"):
            for row in clone.lines(f"results/{task}/{model}_Baseline.jsonl"):
                message, gold = row["final_output"] or "", str(row["target"]).strip(" ()")
                held = re.findall(r"<answer>\s*(.*?)\s*</answer>", message, re.DOTALL)
                said = held[0].strip(" ()") if len(held) == 1 else ""
                letters = re.fullmatch("[A-J]", gold) and re.fullmatch("[A-J]", said)
                right = said == gold if letters else same(said, gold)
                if right is not None:
                    yield Message("GPT-4o and Claude 3.5", row["raw_input"], message, gold, right)


def meta_prompting(clone: Clone) -> Iterator[Message]:
    """GSM8K in seven languages by GPT-4 ('>> FINAL ANSWER:' and a quoted sentence): the only number of the sentence.

    Left out: numbers such as 7.425, which some languages write for thousands.
    """
    for language in ("ZH", "DE", "ES", "FR", "JA", "RU", "SW"):
        for file in (f"Standard/MGSM_{language}-zero-shot-cot", f"MetaPromptingWithoutPython/MGSM_{language}"):
            for row in clone.lines(f"outputs/{file}.jsonl"):
                said = re.findall(r'>> FINAL ANSWER:\s*"""\s*(.+?)\s*"""', row["output"], re.DOTALL)
                found = numbers(said[0]) if len(said) == 1 else []
                right = same(found[0], row["target"]) if len(found) == 1 else None
                if right is not None and not re.fullmatch(r"\d{1,3}\.\d{3}", found[0]):
                    yield Message("MGSM, GPT-4", row["input"].strip(), row["output"].strip(), row["target"], right)


MMLU_PRO_MODELS = (
    *("gemini-1.5-pro-002", "gemini-1.5-flash-002", "Meta-Llama-3_1-70B-Instruct", "Meta-Llama-3_1-8B-Instruct"),
    *("Meta-Llama-3-8B", "DeepSeek-Coder-V2", "Qwen1.5-72B-Chat", "Mistral-7B-Instruct-v0.2", "mathstral-7B"),
    *("gemma-7b", "Phi-3-mini-4k-instruct", "c4ai-command-r-v01", "jamba-1.5-large"),
)
BIG_BENCH_HARD = (
    *("multistep_arithmetic_two", "object_counting", "date_understanding", "boolean_expressions", "navigate"),
    *("web_of_lies", "penguins_in_a_table", "logical_deduction_five_objects", "causal_judgement"),
)
COMMITS = {
    "abel": "3a24ef24e9ea32708fe4fa4c36bf504a74b4bdf0",
    "ToRA": "213c1c995038c73fab10343814df7a42f990f026",
    "grade-school-math": "3101c7d5072418e28b9008a6636bde82a006892c",
    "Qwen2.5-Math": "a45202bd16f1ec06f433442dc1152d0074773465",
    "GSM-Plus": "3474129ec12fcd3e8ac08cb037aca1928efca98c",
    "MathCoder": "d6c91fbd8c02ad9f9669423f4ff331dc1605d126",
    "Plan-and-Solve-Prompting": "9d5a176f5b4de1011d426009ab6398dc76046e88",
    "zero_shot_cot": "5ef330fcdeec0cd26aee27943504f91f8ec1c33c",
    "MMLU-Pro": "f418b116db00b065c2aea046518d8fcf74d39872",
    "GAOKAO-Bench": "6dbb24f8d8439041e5431c4c184a582182a6ce9c",
    "MATH-V": "a1f5cc3add200c0cd080fad463e500f44ef1fb41",
    "MathVista": "53d525874bdde205128e6b160b7357a88277d479",
    "dynamic-cheatsheet": "1cf258c936edc28ef045202621bf9463f70a1988",
    "meta-prompting": "40422564938d772c3e3e6b9614b1df48b8dd6a08",
    "BIG-Bench-Hard": "9ee07bd481feebf959a6b59d61ea57bdcf30964d",
}


class Source(NamedTuple):
    """One kind of messages: where they are, under which licence, and the function that reads and labels them."""

    repository: str
    licence: str
    read: Callable[[Clone], Iterator[Message]]


SOURCES = [
    Source("GAIR-NLP/abel", "Apache-2.0 (models); none stated for the outputs", abel),
    Source("GAIR-NLP/abel", "Apache-2.0 (models); none stated for the outputs", abel_prose),
    Source("microsoft/ToRA", "MIT", tora),
    Source("openai/grade-school-math", "MIT", openai),
    Source("microsoft/ToRA", "MIT (MATH: MIT)", math_references),
    Source("QwenLM/Qwen2.5-Math", "none stated", qwen),
    Source("qtli/GSM-Plus", "none stated", gsm_plus),
    Source("qtli/GSM-Plus", "none stated", metamath),
    Source("mathllm/MathCoder", "Apache-2.0", mathcoder),
    Source("AGI-Edgerunners/Plan-and-Solve-Prompting", "none stated", plan_and_solve),
    Source("kojima-takeshi188/zero_shot_cot", "none stated", zero_shot_cot),
    Source("suzgunmirac/dynamic-cheatsheet", "MIT", dynamic_cheatsheet),
    Source("suzgunmirac/meta-prompting", "MIT", meta_prompting),
    Source("TIGER-AI-Lab/MMLU-Pro", "Apache-2.0", mmlu_pro),
    Source("OpenLMLab/GAOKAO-Bench", "Apache-2.0", gaokao),
    Source("mathllm/MATH-V", "MIT", math_vision),
    Source("lupantech/MathVista", "CC-BY-SA-4.0", math_vista),
    Source("suzgunmirac/BIG-Bench-Hard", "MIT", big_bench_hard),
]


def messages(folder: Path) -> Iterator[Message]:
    """Yield every labelled message of the clones that are there; those that are missing are named.

    Messages that occur twice (some outputs are in two repositories) are given once.
    """
    seen: set[tuple[str, str]] = set()
    for source in SOURCES:
        name = source.repository.partition("/")[2]
        if not (folder / name).exists():
            print(f"{source.repository}: left out; git clone https://github.com/{source.repository} {folder / name}")
            continue
        for row in source.read(Clone(folder, name, COMMITS[name])):
            key = (row.message, row.gold)
            if key not in seen and row.message:
                seen.add(key)
                yield row


ANOTHER = "right messages, another number"


def with_other_numbers(rows: list[Message]) -> Iterator[Message]:
    """Right messages judged by another gold: the number before the answer in the text, which it does not answer.

    Only integers are exchanged, and none that the question's own answer could be written as (twice, half, percent).
    """
    for row in rows:
        gold = number(row.gold)
        if not row.right or gold is None or gold != int(gold) or not re.fullmatch(r"-?[\d,]+", row.gold.strip()):
            continue
        kin = {
            gold * factor for factor in (1, -1, 100, 0.01, 60, 1 / 60, 12, 1 / 12, 7, 1 / 7, 24, 1 / 24, 1000, 0.001)
        }
        others = [
            text for text in numbers(row.message) if (value := number(text)) not in kin and value == int(value or 0)
        ]
        if others:
            other = others[-1].replace(",", "")
            yield row._replace(source=ANOTHER, gold=other, right=False)

"""What a sentence in Chinese or Japanese states."""

import re

from turnwise.verifiers.messages.clause import PLACE
from turnwise.verifiers.messages.values import mask_values, result_of

__all__ = ["behind_supposition", "in_chinese", "is_chinese"]

_CJK = "\u3040-\u30ff\u4e00-\u9fff"
_HAS_CJK = re.compile(f"[{_CJK}]")
_DOUBT = re.compile(
    "(?<!等)可能|也许|大约|大概|或|不是|不等(?!式)|不会|不对|错|假设|假如|如果|若|吗|至少|至多|最多|不超过|大于|小于|超过|例如|比如|かも|または|ではない"
)
_SUPPOSED = re.compile("假设|假如|设")
_KANA = re.compile("[\u3040-\u30ff]")
_RUN = re.compile(f"([{_CJK}、]+)")
_STATED = re.compile(
    rf"(?:是|为|等于|有|得到?|需要?|了|下|共|即|出|成|要|达|付|到|年|走|驶|跑|赚|花|剩|余|用|卖|买|长|高|宽|重|收|产|はの?|[=＝])\s*(?P<value>{PLACE})\s*(?P<unit>[{_CJK}]{{0,6}})\s*$"
)
_COUNTED = re.compile(rf"(?P<value>{PLACE})\s*(?P<unit>[{_CJK}]{{1,6}})")  # 18 美元
_SEVERAL = re.compile(rf"{PLACE}(?:\s*(?:[、和与,]|以及)\s*{PLACE})+")
_CLAUSES = re.compile("[，；：,;:]")
_ROOTS = re.compile(
    r"(?:所以|因此|故)[^，。或]*(?:值|解|根)(?:分别)?(?:为|是)\s*\$?([^，。或$]{1,30}?)\$?\s*或\s*\$?([^，。或$]{1,30}?)\$?[。.]?$"
)
_CONCLUDES = re.compile(r"\s*(?:所以|因此|因而|故|于是|从而|答)")
_APART = re.compile(r"\s*(?:剩下|剩余|其余|其他|另外|另一|余下|而|其中|较长|较短|较大|较小|还剩|还有|比|也就是说|正好)")
_ABOUT = re.compile(r"\s*(?:即)?(?:约|近似)")
_ROUNDED = re.compile(r"\s*[（(](?:约|≈|\\approx|大约)[^()（）]{1,30}[)）]")  # 72π 升（约 226 升）
_BRACKETED = re.compile(f"[（(][{_CJK}]{{1,8}}[）)]")
_UNITS = {"小时": "hours", "分钟": "minutes", "分": "minutes", "秒": "seconds", "天": "days", "米": "m", "厘米": "cm",
          "千米": "km", "公里": "km", "千克": "kg", "公斤": "kg", "克": "g", "元": "", "美元": "dollars",
          "度": "degrees", "平方厘米": "cm^2", "平方米": "m^2"}  # fmt: skip


def is_chinese(text: str) -> bool:
    """Whether a text is a sentence in Chinese or Japanese that states or doubts a value."""
    return (
        len(text) <= 300
        and _HAS_CJK.search(text) is not None
        and (_DOUBT.search(text) is not None or _in_chinese(text) is not None)
    )


def in_chinese(text: str) -> str | None:
    """The value that the last clause of a sentence in Chinese states, with its unit; None for another language.

    >>> in_chinese("因此，一共有42个苹果。"), in_chinese("所以需要 3 小时"), in_chinese("可能是42。")
    ('42', '3 hours', None)
    """
    if len(text) <= 300 and (roots := _ROOTS.search(text)) is not None:  # 所以 k 的值为 6 或 -2
        return f"{roots[1]} or {roots[2]}"
    if len(text) > 300 or _HAS_CJK.search(text) is None or _DOUBT.search(behind_supposition(text)):
        return None
    return _in_chinese(text)


def behind_supposition(text: str) -> str:
    """The clauses behind "so" where a supposition stands before it: 假设全是鸡，…，所以牛有13头."""
    head, so, tail = text.rpartition("所以")
    return tail if so and _SUPPOSED.search(head) and not _DOUBT.search(_SUPPOSED.sub("", head)) else text


def _in_chinese(text: str) -> str | None:
    text = _ROUNDED.sub("", text)
    text = _BRACKETED.sub(lambda m: m[0][1:-1], text.strip().rstrip("。．.!！").replace("**", ""))
    masked = mask_values(_RUN.sub(r" \1 ", text))
    if masked is None:
        return None
    clauses = [clause for clause in _CLAUSES.split(masked.words) if re.search(PLACE, clause)]
    if len(clauses) > 1 and _ABOUT.match(clauses[-1]):
        clauses.pop()
    concluding = [n for n, clause in enumerate(clauses) if _CONCLUDES.match(clause)]
    if concluding and len(clauses) > 1 and all(_APART.match(clause) for clause in clauses[concluding[-1] + 1 :]):
        clauses = clauses[: concluding[-1] + 1]  # 所以她一共赚了54美元，剩下的12块送给了邻居
    if not clauses or not _CLAUSES.split(masked.words)[-1].strip():
        return None
    values = re.findall(PLACE, clauses[-1])
    several = _SEVERAL.search(clauses[-1])
    if several is not None and not re.search(PLACE, clauses[-1][several.end() :]):
        return ", ".join(masked.at(value) for value in re.findall(PLACE, several[0]))
    match = _STATED.search(clauses[-1]) or _COUNTED.fullmatch(masked.words.strip())
    if match is None and len(values) == 1 and not _KANA.search(text):
        match = re.search(rf"(?P<value>{PLACE})\s*(?P<unit>[{_CJK}]*)", clauses[-1])
    if match is None:
        return None
    return f"{result_of(masked.at(match['value']))} {_UNITS.get(match['unit'], '')}".strip()

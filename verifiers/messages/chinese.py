"""What a sentence in Chinese or Japanese states."""

import re

__all__ = ["in_chinese", "is_chinese"]

_CJK = "\u3040-\u30ff\u4e00-\u9fff"
_HAS_CJK = re.compile(f"[{_CJK}]")
_DOUBT = re.compile(
    "可能|也许|大约|大概|或|不是|不等|不会|不对|错|假设|假如|如果|若|吗|至少|至多|最多|不超过|大于|小于|超过|例如|比如|かも|または|ではない"
)
_STATED = re.compile(
    r"(?:是|为|等于|有|得到?|需要?|花费?了?|剩下?|付|到|はの?|[=＝])\s*(?:\*\*)?"
    r"(\$[^$]{1,80}\$|\\\([^()]{1,80}\\\)|[-−]?[$￥¥]?[0-9][0-9,]*(?:\.[0-9]+)?(?:/[0-9]+)?[%％]?)(?:\*\*)?"
    rf"\s*([{_CJK}]{{0,6}})[。．.!！]?$"
)
_COUNTED = re.compile(rf"([-−]?[$￥¥]?[0-9][0-9,]*(?:\.[0-9]+)?)\s*([{_CJK}]{{1,6}})[。．.]?")  # 18 美元
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
    if len(text) > 300 or _HAS_CJK.search(text) is None or _DOUBT.search(text):
        return None
    return _in_chinese(text)


def _in_chinese(text: str) -> str | None:
    clause = re.split("[，,；;：:]\\s*(?![0-9])", text.strip())[-1]
    match = _STATED.search(clause) or _COUNTED.fullmatch(text.strip())
    if match is None:
        return None
    value = match[1].strip("$").removeprefix("\\(").removesuffix("\\)").strip()
    return f"{value} {_UNITS.get(match[2], '')}".strip()

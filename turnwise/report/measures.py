"""The table of further figures: maj@k, diversity, calibration, wordings, best of k, verifying."""

from collections.abc import Iterable, Mapping, Sequence

from turnwise.core.metrics import Measure, Scores, overall
from turnwise.report import html
from turnwise.report.tables import interval, markdown_table, percent

__all__ = ["in_order", "measure_words", "measures_markdown", "measures_table"]

Table = tuple[Sequence[str], Sequence[Sequence[str]]]


def measures_table(scores: Mapping[str, Scores]) -> Table | None:
    """A row for each environment that has such figures, and their mean; None if there are none.

    Args:
        scores: By environment.
    """
    rows = {name: part for name, part in scores.items() if _known(part)}
    names = in_order(name for part in rows.values() for name in _known(part))
    if not names:
        return None
    if len(scores) > 1:
        whole = overall(list(scores.values()))
        rows |= {"all (mean)": whole} if _known(whole) else {}
    cells = [
        (html.short_id(env), *(measure_words(part.measures.get(name)) for name in names)) for env, part in rows.items()
    ]
    return ("", *names), cells


def measures_markdown(scores: Mapping[str, Scores]) -> str:
    """The table as Markdown, after a blank line; "" if there is none."""
    found = measures_table(scores)
    return "" if found is None else f"\n\n{markdown_table(*found)}"


def measure_words(measure: Measure | None) -> str:
    """A figure with its interval: "71.2 % (60.1–80.4)"; "" if it is not known."""
    if measure is None or measure.value is None:
        return ""
    if measure.unit == "share":
        return percent(measure.value) + (f" ({interval(measure.ci95)})" if measure.ci95 else "")
    ends = f" ({measure.ci95[0]:.3g}–{measure.ci95[1]:.3g})" if measure.ci95 else ""
    return f"{measure.value:.3g}{ends}"


def in_order(names: Iterable[str]) -> list[str]:
    """The names of figures, each once, as tables have them."""
    place = {name: next((i for i, start in enumerate(_ORDER) if name.startswith(start)), len(_ORDER)) for name in names}
    return sorted(place, key=place.__getitem__)


_ORDER = ("maj@", "best of", "solutions", "differing", "distinct", "stated", "ECE", "Brier", "spread", "worst", "same")


def _known(part: Scores) -> list[str]:
    return [name for name, measure in part.measures.items() if measure.value is not None]

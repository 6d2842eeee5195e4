"""Kitchen: cook with a partner who moves at the same time, and serve all orders before the time is up.

Source: Carroll et al., "On the utility of learning about humans for human-AI coordination", NeurIPS 2019; in text,
LLM-Coordination (arXiv 2310.03903).
"""

from typing import Annotated, Literal

from turnwise.core.draw import Draw
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.envs.tables._seat import Seat
from turnwise.worlds.games.game import Game as Rules
from turnwise.worlds.games.hidden.kitchen import Kitchen as Game


@register("Kitchen-v0")
class Kitchen(Seat):
    """Serve all orders in time with another cook; reward 1 if the last one is served.

    The time is one in which two good cooks are known to do it. In a divided kitchen neither cook can do it alone.
    """

    rows: Annotated[int, Range(2, 9)] = 3
    """Rows of the floor."""
    columns: Annotated[int, Range(3, 15)] = 5
    """Columns of the floor."""
    orders: Annotated[int, Range(1, 20)] = 1
    """Soups to be served."""
    steps: Annotated[int, Range(10, 500)] = 40
    """Steps in which they must be."""
    walls: Literal["open", "divided"] = "divided"
    """One room, or two with counters between them over which things are handed."""
    kinds: Annotated[int, Range(1, 2)] = 2
    """Onions, or tomatoes as well."""
    pots: Annotated[int, Range(1, 3)] = 1
    """Number of pots."""
    boil: Annotated[int, Range(1, 50)] = 5
    """Steps for which a soup boils."""
    max_turns = 60

    tries, easy, same = 2, 1, ("wait",)

    levels = tuple(
        {"rows": r, "columns": c, "orders": n, "steps": t, "walls": w, "kinds": k, "pots": p,
         "others": f"heuristic:{o}", "max_turns": t + 10}
        for r, c, n, t, w, k, p, o in [
            (3, 5, 1, 45, "divided", 1, 1, 3), (3, 5, 1, 34, "divided", 2, 1, 3), (3, 5, 2, 64, "divided", 2, 1, 3),
            (3, 5, 2, 57, "divided", 2, 1, 3), (4, 7, 2, 80, "divided", 2, 1, 3), (4, 7, 2, 74, "divided", 2, 2, 3),
            (4, 7, 3, 108, "open", 2, 2, 3), (4, 7, 3, 106, "divided", 2, 2, 3), (5, 9, 4, 176, "divided", 2, 2, 3),
            (6, 9, 4, 176, "open", 2, 2, 3),
        ]
    )  # fmt: skip

    chance = (0.0,) * 10
    chance_default = 0.0

    def rules(self) -> Game:
        return Game(self.rows, self.columns, self.orders, self.steps, self.walls, self.kinds, self.pots, self.boil)

    def goal(self, game: Rules[object, object], state: object, seat: int, draw: Draw) -> float:
        return float(self.orders)

    def aim(self) -> str:
        soups = "the one soup that is" if self.orders == 1 else f"all {self.orders} soups that are"
        return f"Work with another cook to serve {soups} ordered within {self.steps} steps."

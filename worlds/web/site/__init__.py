"""Sites: what an author of sites imports (`docs/web.md`), and the machinery that serves, plays and judges them."""

from turnwise.core.draw import Draw
from turnwise.worlds.web.site.cast import Cast, Company, Person
from turnwise.worlds.web.site.pages import Pages
from turnwise.worlds.web.site.site import Site, register_site
from turnwise.worlds.web.site.steps import (
    Plan,
    Step,
    answer,
    back,
    check,
    click,
    close_tab,
    done,
    fill,
    goto,
    hover,
    infeasible,
    new_tab,
    press,
    select,
    tab,
    uncheck,
)
from turnwise.worlds.web.site.tasks import (
    ANYTHING,
    Answer,
    Change,
    Draft,
    Goal,
    OneOf,
    Said,
    Tasks,
    TaskSet,
    World,
    delete,
    insert,
    money,
    update,
)
from turnwise.worlds.web.site.visit import Answered, Links, NotFound, Refused, Visit

__all__ = [
    "ANYTHING", "Answer", "Answered", "Cast", "Change", "Company", "Draft", "Draw", "Goal", "Links", "NotFound",
    "OneOf", "Pages", "Person", "Plan", "Refused", "Said", "Site", "Step", "TaskSet", "Tasks", "Visit", "World",
    "answer", "back", "check", "click", "close_tab", "delete", "done", "fill", "goto", "hover", "infeasible", "insert",
    "money", "new_tab", "press", "register_site", "select", "tab", "uncheck", "update",
]  # fmt: skip

"""Two apps that only the harder tasks have: loans of a public library, and workouts."""

from turnwise.worlds.apps.functions.common import book_of
from turnwise.worlds.apps.rows import Table

__all__ = ["LIBRARY", "WORKOUTS"]

LOAN = Table("loans", "loan_id", "loan", ("loan_id", "title", "due"), search=("title", "author"))
HOLD = Table("holds", "hold_id", "hold", search=("title",))
LIBRARY = book_of("library", {"due": "Day by which a book has to be back."})
LIBRARY.lists("list_loans", LOAN, "List loans.", "query:str? due_from:date? due_until:date?")
LIBRARY.shows("show_loan", LOAN, "Show a loan, with whether somebody else waits for the book.")
LIBRARY.updates("extend_loan", LOAN, "Move the day by which a book has to be back.", "due:date")
LIBRARY.sets("return_loan", LOAN, "Give a book back.", returned=True)
LIBRARY.lists("list_holds", HOLD, "List holds.", "query:str?")
LIBRARY.creates("place_hold", HOLD, "Ask for a book that is out.", "title:str")
LIBRARY.deletes("cancel_hold", HOLD, "Cancel a hold.")

WORKOUT = Table("workouts", "workout_id", "workout", ("workout_id", "sport", "done_on"), search=("sport", "notes"))
WORKOUTS = book_of("workouts", {"minutes": "Length."})
WORKOUTS.lists(
    "list_workouts", WORKOUT, "List workouts.", "query:str? sport:str? done_on_from:date? done_on_until:date?"
)
WORKOUTS.shows("show_workout", WORKOUT, "Show a workout with its length and notes.")
WORKOUTS.creates("log_workout", WORKOUT, "Log a workout.", 'sport:str done_on:date minutes:int notes:str=""')
WORKOUTS.updates("update_workout", WORKOUT, "Change a workout.", "sport:str? done_on:date? minutes:int? notes:str?")
WORKOUTS.deletes("delete_workout", WORKOUT, "Delete a workout.")

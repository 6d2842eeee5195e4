"""The functions of to-do lists."""

from turnwise.worlds.apps.functions.common import book_of
from turnwise.worlds.apps.rows import Table

__all__ = ["BOOK"]

PROJECT = Table("projects", "project_id", "project", search=("title",))
TASK = Table(
    "tasks",
    "task_id",
    "task",
    ("task_id", "title", "project_id", "done"),
    {"project_id": "projects"},
    ("title", "notes"),
)
STEP = Table("steps", "step_id", "step", links={"task_id": "tasks"})
BOOK = book_of("todo", {"priority": "low, normal or high.", "due": "Day by which it has to be done."})

BOOK.lists("list_projects", PROJECT, "List projects.", "query:str?")
BOOK.shows("show_project", PROJECT, "Show a project.")
BOOK.creates("create_project", PROJECT, "Create a project.", "title:str")
BOOK.updates("rename_project", PROJECT, "Rename a project.", "title:str")
BOOK.deletes("delete_project", PROJECT, "Delete a project with its tasks.", [TASK])
FILTERS = "query:str? project_id:int? done:bool? priority:str? tags:str? due_from:date? due_until:date?"
BOOK.lists("search_tasks", TASK, "List tasks.", FILTERS)
BOOK.shows("show_task", TASK, "Show a task with its due day, priority, tags and notes.")
LINE = 'project_id:int title:str due:date priority:str="normal" notes:str="" tags:strs=[]'
BOOK.creates("create_task", TASK, "Create a task.", LINE, {"done": False})
BOOK.updates("update_task", TASK, "Change a task.", "project_id:int? title:str? due:date? priority:str? notes:str?")
BOOK.deletes("delete_task", TASK, "Delete a task with its steps.", [STEP])
BOOK.sets("complete_task", TASK, "Mark a task as done.", done=True)
BOOK.sets("reopen_task", TASK, "Mark a task as not done.", done=False)
BOOK.members("add_tag", "remove_tag", TASK, "tag", "tags")
BOOK.lists("list_steps", STEP, "List the steps of tasks.", "task_id:int?")
BOOK.creates("create_step", STEP, "Add a step to a task.", "task_id:int text:str", {"done": False})
BOOK.updates("update_step", STEP, "Change a step.", "text:str")
BOOK.sets("complete_step", STEP, "Mark a step as done.", done=True)
BOOK.sets("reopen_step", STEP, "Mark a step as not done.", done=False)
BOOK.deletes("delete_step", STEP, "Delete a step.")

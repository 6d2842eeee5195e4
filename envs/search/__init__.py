"""Search: questions whose answers must be found. `SearchEnv` is the base for environments of your own."""

from turnwise.envs.search._cheats import CHEATS
from turnwise.envs.search._episode import SEARCH, SearchEnv, Task
from turnwise.envs.search._qa_files import corpus_of, load_questions

__all__ = ["CHEATS", "SEARCH", "SearchEnv", "Task", "corpus_of", "load_questions"]

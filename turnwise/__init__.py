"""turnwise: multi-turn text environments with verifiable rewards, for training and testing language-model agents.

Importing it registers every environment with gymnasium; an environment's own module is imported when it is made.
"""

from turnwise import envs as envs
from turnwise.core.env import Env, Reply, Text
from turnwise.core.registration import make, register

__all__ = ["Env", "Reply", "Text", "make", "register"]
__version__ = "0.1.0"

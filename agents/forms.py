"""Tools of an environment for agents that write tokens: their renderer, and what their turns say."""

from collections.abc import Sequence

from turnwise.core.agent import Play
from turnwise.engine.tokens import Renderer

__all__ = ["renderer_for", "said_to"]


def renderer_for(renderer: Renderer, play: Play) -> Renderer:
    """Return the renderer for an episode's conversation, with the tools of its environment."""
    env = play.env
    tools = tuple(env.get_wrapper_attr("tools")()) if env is not None and env.has_wrapper_attr("tools") else ()
    return renderer.for_tools(tools)


def said_to(renderer: Renderer, ids: Sequence[int], play: Play) -> str:
    """Return what the tokens of a turn say to the environment, calls of tools in its own grammar."""
    env = play.env
    if env is None or not env.has_wrapper_attr("call_text"):
        return renderer.said(ids)
    return renderer.said(ids, env.get_wrapper_attr("call_text"))

"""Environments of other libraries and servers behind our contract.

Each is registered when its module is imported, as ``turnwise.outside.reasoning_gym:ReasoningGym-v0`` does, and imports
the other library when it is made: `reasoning_gym`, `textarena`, `gem`, `text_gym` (Gymnasium), `openenv` and `ors`
(servers). See docs/use_outside.md.
"""

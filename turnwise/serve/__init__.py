"""Serve environments to other frameworks: OpenEnv, the Open Reward Standard and MCP, on one port."""

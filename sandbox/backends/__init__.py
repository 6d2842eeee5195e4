"""Implements `turnwise.sandbox.Sandbox` on this machine, in containers, on other machines, and without isolation."""

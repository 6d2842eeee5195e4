"""Runs programs in jails of this machine: the client's side of wardens and their children. Linux only."""

"""Training at tables of games: who sits where, past selves of the policy, and the rollouts of each seat."""

"""Games in which seats see different things or move at the same time: cards, dice, fleets, bargains."""

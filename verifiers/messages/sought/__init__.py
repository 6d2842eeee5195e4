"""Reading with the question in hand: what is asked for, and which value of a message can be it."""

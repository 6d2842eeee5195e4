"""Pages as text: elements as words and numbers, lines, what an agent reads."""

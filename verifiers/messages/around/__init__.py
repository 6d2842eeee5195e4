"""What stands around an answer: other forms and offers of it, doubts of it, remarks behind it."""

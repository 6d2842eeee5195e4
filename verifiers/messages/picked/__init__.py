"""Which value of a message is its answer, by a model with few weights: the reader where no rule reads one."""

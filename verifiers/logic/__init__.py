"""SAT assignments, UNSAT proofs, and optimization over clauses."""

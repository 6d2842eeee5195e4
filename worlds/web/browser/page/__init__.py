"""Pages as trees: HTML parsed and styled, roles and names of elements, forms and what they do."""

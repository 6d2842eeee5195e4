"""Documents: readers of corpora in the shapes of the field, and how documents are stored."""

"""The time bar: all Events of a run, with a mark for each."""

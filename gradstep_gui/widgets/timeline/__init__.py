"""The timeline widget: all Events of a run, with a mark for each."""

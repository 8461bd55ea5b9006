"""The debugger: a cursor over the History of a Program."""

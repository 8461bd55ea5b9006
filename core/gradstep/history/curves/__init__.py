"""The Series: one row of numbers per iteration, in columns that plots draw."""

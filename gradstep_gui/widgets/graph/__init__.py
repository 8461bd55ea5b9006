"""A graph to look at: laid out in layers, painted, zoomed and panned."""

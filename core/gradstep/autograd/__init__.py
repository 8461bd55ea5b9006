"""Tensors, the graph that they record, and the one backward loop."""

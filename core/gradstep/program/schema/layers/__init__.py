"""The layers that a program may contain: their fields, parameter counts, and output shapes."""

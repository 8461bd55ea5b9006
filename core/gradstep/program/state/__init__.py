"""The whole state of a program: captured, validated, and restored."""

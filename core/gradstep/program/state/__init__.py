"""The state of a program: captured, validated and restored."""

"""The whole state of a Program: taken, checked, put back."""

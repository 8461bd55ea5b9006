"""The text of a program document, for those who write it: its layout, and places in it."""

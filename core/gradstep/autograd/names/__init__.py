"""The functions and classes that `gradstep` offers as torch does, by subject."""

"""Step through an Operation one MicroStep at a time, with the code that runs it."""

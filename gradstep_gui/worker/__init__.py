"""The worker thread, and the Debugger that lives on it and is touched nowhere else."""

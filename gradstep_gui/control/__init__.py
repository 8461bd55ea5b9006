"""The controller's parts: a subject each, and the queue that takes their commands to the worker."""

"""The worker thread: it alone touches the Debugger, and hands frozen records to the window."""

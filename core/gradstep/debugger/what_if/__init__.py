"""What would have been: recorded Operations applied otherwise, and runs that are resumed."""

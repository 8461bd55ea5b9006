"""What is wrong with a training loop, told with evidence."""

"""Rules whose violation is a fact: each follows one contract of a training loop."""

"""Frozen records that cross layers; views see nothing else."""

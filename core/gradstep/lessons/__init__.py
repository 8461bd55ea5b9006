"""Lessons: steps with questions beside a program, and a learner's progress through them."""

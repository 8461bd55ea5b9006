"""Lessons: steps with questions beside a program, and what follows a learner through them."""

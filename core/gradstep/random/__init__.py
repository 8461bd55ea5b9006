"""The seeded random stream, which draws the numbers that torch's CPU generator draws."""

from gradstep.random.generator import (
    Generator,
    default_generator,
    initial_seed,
    manual_seed,
    seed,
    state_words,
)

__all__ = [
    "Generator",
    "default_generator",
    "initial_seed",
    "manual_seed",
    "seed",
    "state_words",
]

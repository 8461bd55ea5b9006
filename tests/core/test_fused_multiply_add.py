"""Products and sums that are rounded once."""

from fractions import Fraction

import numpy as np

from gradstep.fused_multiply_add import fused_multiply_add


def test_a_product_and_a_sum_are_rounded_once():
    generator = np.random.default_rng(0)
    for dtype in (np.float32, np.float64):
        array, addend = generator.normal(size=(2, 200)).astype(dtype)
        factor = dtype(generator.normal())
        found = fused_multiply_add(array, float(factor), addend).astype(dtype)
        for one, other, value in zip(array, addend, found, strict=True):
            exact = Fraction(float(one)) * Fraction(float(factor)) + Fraction(float(other))
            assert (
                abs(Fraction(float(value)) - exact) <= Fraction(float(np.spacing(abs(value)))) / 2
            )


def test_infinities_and_nan_are_what_they_are_without():
    array, addend = np.array([np.inf, np.nan, 1.0]), np.array([1.0, 1.0, -np.inf])
    found = fused_multiply_add(array, 2.0, addend)
    assert (found[0], np.isnan(found[1]), found[2]) == (np.inf, True, -np.inf)

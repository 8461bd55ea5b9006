"""Data sets that a formula makes; the random ones from a generator that is handed in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.program.datasets.dataset import Table

if TYPE_CHECKING:
    from numpy.random import RandomState
    from numpy.typing import NDArray

    from gradstep.program.schema import data_sets

__all__ = [
    "blobs",
    "circles",
    "gaussian",
    "line",
    "moons",
    "polynomial",
    "sine",
    "spirals",
    "xor",
]


def line(spec: data_sets.StraightLine, draw: RandomState) -> Table:
    """Return a straight line.

    Example:
        >>> from gradstep.program.schema.data_sets import StraightLine
        >>> line(StraightLine(samples=3, slope=2, intercept=1), np.random.RandomState(0)).targets
        array([[-1.], [ 1.], [ 3.]])
    """
    x = _evenly(spec.low, spec.high, spec.samples)
    return Table(x, _noisy(spec.slope * x + spec.intercept, spec.noise, draw), ("x",))


def polynomial(spec: data_sets.Polynomial, draw: RandomState) -> Table:
    """Return a polynomial over the powers of x, so that it is linear in its inputs."""
    x = _evenly(spec.low, spec.high, spec.samples)
    powers = x ** np.arange(1, len(spec.coefficients))
    y = spec.coefficients[0] + powers @ np.array(spec.coefficients[1:])[:, None]
    names = tuple(f"x^{power}" for power in range(1, len(spec.coefficients)))
    return Table(powers, _noisy(y, spec.noise, draw), names)


def sine(spec: data_sets.Sine, draw: RandomState) -> Table:
    """Return a sine wave."""
    x = _evenly(spec.low, spec.high, spec.samples)
    y = spec.amplitude * np.sin(spec.frequency * x + spec.phase)
    return Table(x, _noisy(y, spec.noise, draw), ("x",))


def moons(spec: data_sets.Moons, draw: RandomState) -> Table:
    """Return two half circles that interlock, in turn one point of each."""
    label = np.arange(spec.samples) % 2
    angle = _angles(spec.samples, 2) * np.pi
    upper = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    points = np.where(label[:, None] == 0, upper, [1.0, 0.5] - upper)
    return Table(_noisy(points, spec.noise, draw), label)


def circles(spec: data_sets.Circles, draw: RandomState) -> Table:
    """Return a circle around a smaller one, in turn one point of each."""
    label = np.arange(spec.samples) % 2
    angle = np.arange(spec.samples) // 2 * (2 * np.pi / max(1, (spec.samples + 1) // 2))
    radius = np.where(label == 0, 1.0, spec.factor)
    points = radius[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return Table(_noisy(points, spec.noise, draw), label)


def spirals(spec: data_sets.Spirals, draw: RandomState) -> Table:
    """Return arms that wind around the origin, in turn one point of each."""
    label = np.arange(spec.samples) % spec.classes
    along = _angles(spec.samples, spec.classes)
    angle = 2 * np.pi * (spec.turns * along + label / spec.classes)
    points = along[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return Table(_noisy(points, spec.noise, draw), label)


def blobs(spec: data_sets.Blobs, draw: RandomState) -> Table:
    """Return round clouds about centers drawn evenly from -10 to 10."""
    centers = draw.uniform(-10, 10, (spec.centers, spec.features))
    label = np.arange(spec.samples) % spec.centers
    points = centers[label] + spec.spread * draw.standard_normal((spec.samples, spec.features))
    return Table(points, label)


def xor(spec: data_sets.Xor, draw: RandomState) -> Table:
    """Return the four corners in turn.

    Example:
        >>> from gradstep.program.schema.data_sets import Xor
        >>> xor(Xor(), np.random.RandomState(0)).targets
        array([0, 1, 1, 0])
    """
    turn = np.arange(spec.samples) % 4
    corners = np.stack([turn // 2, turn % 2], axis=1)
    return Table(_noisy(corners.astype(float), spec.noise, draw), corners[:, 0] ^ corners[:, 1])


def gaussian(spec: data_sets.Gaussian, draw: RandomState) -> Table:
    """Return normal random inputs and targets."""
    inputs = draw.standard_normal((spec.samples, spec.inputs))
    return Table(inputs, draw.standard_normal((spec.samples, spec.targets)))


def _evenly(low: float, high: float, samples: int) -> NDArray[Any]:
    return np.linspace(low, high, samples)[:, None]


def _angles(samples: int, arms: int) -> NDArray[Any]:
    """Return how far along its arm each point is, from 0 to 1."""
    per_arm = -(-samples // arms)
    return np.arange(samples) // arms / max(1, per_arm - 1)


def _noisy(values: NDArray[Any], noise: float, draw: RandomState) -> NDArray[Any]:
    return values + noise * draw.standard_normal(values.shape) if noise else values

"""The base class of location-scale distributions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep_torch.distributions.constraint import POSITIVE, REAL
from gradstep_torch.distributions.distribution import Distribution, broadcast

if TYPE_CHECKING:
    from gradstep.autograd.tensor import Tensor
    from gradstep_torch.distributions.constraint import Constraint

__all__ = ["LocationScale"]


class LocationScale(Distribution):
    """A symmetric distribution over the real numbers, with a location and a scale.

    Args:
        loc: The mean.
        scale: The spread, above 0.
        validate_args: Check parameters and values (None: yes).
    """

    has_rsample = True

    def __init__(
        self, loc: Tensor | float, scale: Tensor | float, validate_args: bool | None = None
    ) -> None:
        self.loc, self.scale = broadcast(loc, scale)
        parameters = {"loc": (self.loc, REAL), "scale": (self.scale, POSITIVE)}
        super().__init__(parameters, self.loc.shape, validate_args=validate_args)

    @property
    def support(self) -> Constraint:
        """All real numbers."""
        return REAL

    @property
    def mean(self) -> Tensor:
        """The mean."""
        return self.loc

    @property
    def mode(self) -> Tensor:
        """The most likely value."""
        return self.loc

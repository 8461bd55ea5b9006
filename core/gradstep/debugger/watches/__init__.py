"""Expressions, with their values at any moment."""

from gradstep.debugger.watches.watches import Watches

__all__ = ["Watches"]

"""The installed version of GradStep."""

from __future__ import annotations

from importlib import metadata

__all__ = ["version"]


def version() -> str:
    """Return the version; "uninstalled" when it runs from a source tree that is not installed."""
    try:
        return metadata.version("gradstep")
    except metadata.PackageNotFoundError:
        return "uninstalled"

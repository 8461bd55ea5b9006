"""The installed version of GradStep."""

from __future__ import annotations

__all__ = ["version"]


def version() -> str:
    """Return the version; "uninstalled" when it runs from a source tree that is not installed."""
    from importlib import metadata  # noqa: PLC0415 - it takes longer than the first picture may

    try:
        return metadata.version("gradstep")
    except metadata.PackageNotFoundError:
        return "uninstalled"

"""Remedies, applied to a Debugger as the window applies them."""

from __future__ import annotations


def applied(debugger, remedy):
    """Apply a remedy; return the Debugger that shows the result."""
    if remedy.document is not None:
        return debugger.with_document(remedy.document[1])
    debugger.checkout(debugger.what_if(**remedy.edits.arguments()))
    return debugger

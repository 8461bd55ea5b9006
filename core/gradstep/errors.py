"""Errors that users can cause and fix.

Every one is a `GradStepError`. Where torch raises a built-in type, the class also derives from that
type, so that `except RuntimeError` in a script written for torch catches it. Any other exception is
a bug in GradStep.
"""

from __future__ import annotations

__all__ = [
    "TENSOR_REMEDY",
    "ArgumentError",
    "ArgumentTypeError",
    "DeviceError",
    "DivergedError",
    "ExpressionError",
    "GradStepError",
    "MissingNameError",
    "NamingError",
    "NotTextError",
    "OperationError",
    "ProgramError",
    "RecordingError",
    "RejectedArgumentError",
    "ReplayError",
    "SerializationError",
    "SessionError",
    "TensorError",
    "TensorIndexError",
    "UnsupportedError",
]

TENSOR_REMEDY = "convert it first, with gradstep.tensor(...) or gradstep.from_numpy(...)"
"""The remedy when a list, an array or a number is passed instead of a tensor."""


class GradStepError(Exception):
    """Base class of all errors that a user can cause and fix.

    Args:
        message: What is wrong, naming the object and its value.
        remedy: How to fix it, as one short sentence. Empty when the message already says it.

    Example:
        >>> str(GradStepError("the file is empty", "save the session again"))
        'the file is empty; save the session again'
    """

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.message}; {self.remedy}" if self.remedy else self.message


class TensorError(GradStepError, RuntimeError):
    """An invalid tensor operation or backward pass (torch raises `RuntimeError`)."""


class DeviceError(TensorError, AssertionError):
    """A device that is not available (torch raises `AssertionError` for CUDA)."""


class SerializationError(GradStepError, RuntimeError):
    """An object that cannot be saved, or a file that cannot be loaded."""


class ArgumentError(GradStepError, ValueError):
    """An argument whose value is out of range (torch raises `ValueError`)."""


class RejectedArgumentError(ArgumentError, AssertionError):
    """An argument that torch rejects with an assertion (torch raises `AssertionError`)."""


class NamingError(ArgumentError, KeyError):
    """A name that is invalid or already taken (torch raises `KeyError`)."""


class ArgumentTypeError(GradStepError, TypeError):
    """An argument of the wrong type (torch raises `TypeError`)."""


class TensorIndexError(GradStepError, IndexError):
    """A dimension or an index out of range (torch raises `IndexError`)."""


class MissingNameError(GradStepError, AttributeError):
    """A name in torch that GradStep does not have, or a missing attribute."""


class UnsupportedError(GradStepError, NotImplementedError):
    """A feature that torch or GradStep does not support (torch raises `NotImplementedError`)."""


class ProgramError(GradStepError):
    """A program document that cannot be built.

    Args:
        place: The path in the document, such as `$.optimizers.optimizer.lr`; `$` for the whole
            document, which the message then does not mention.
        message: What is wrong there.
        remedy: What to write instead.
    """

    def __init__(self, place: str, message: str, remedy: str = "") -> None:
        super().__init__(message if place in {"", "$"} else f"{place}: {message}", remedy)
        self.place = place


class NotTextError(ProgramError):
    """A program document that is not text, so it cannot be fixed in an editor."""


class ExpressionError(GradStepError):
    """An expression that cannot be parsed or evaluated; the message says where and why.

    Args:
        message: What is wrong.
        remedy: What to write instead.
        column: The column of the error, from 1; None when there is no single column.
    """

    def __init__(self, message: str, remedy: str = "", column: int | None = None) -> None:
        super().__init__(f"column {column}: {message}" if column else message, remedy)
        self.column = column


class OperationError(GradStepError):
    """An Operation that cannot be applied; the Event records it as its outcome."""


class ReplayError(GradStepError):
    """A replay whose checksum differs from the recorded one."""


class DivergedError(ReplayError):
    """A replayed Event wrote other values than when it was recorded.

    Args:
        event: The Event's index.
        reason: What was different.
    """

    def __init__(self, event: int, reason: str) -> None:
        super().__init__(
            f"the replay of Event {event:,} diverged: {reason}",
            "replay on the same machine, with the libraries and thread count of the recording",
        )
        self.event = event
        self.reason = reason


class ScriptError(GradStepError):
    """A script that cannot be run or recorded, or whose process broke the protocol."""


class SessionError(GradStepError):
    """A session file that cannot be read or written."""


class RecordingError(SessionError):
    """A recording that failed; applied Operations stay, and later ones can still be applied."""

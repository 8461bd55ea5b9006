"""The one family of errors that reaches users.

Every error that a user can cause is a `GradStepError`. Those that torch raises under a built-in
type are that type too, so that `except RuntimeError` in a script written for torch catches them.
Anything else that escapes is a bug of ours.
"""

from __future__ import annotations

__all__ = [
    "TENSOR_REMEDY",
    "ArgumentError",
    "ArgumentTypeError",
    "DeviceError",
    "ExpressionError",
    "GradStepError",
    "MissingNameError",
    "NamingError",
    "NotTextError",
    "OperationError",
    "ProgramError",
    "RecordingError",
    "RefusedArgumentError",
    "ReplayError",
    "SerializationError",
    "SessionError",
    "TensorError",
    "TensorIndexError",
    "UnsupportedError",
]

TENSOR_REMEDY = "convert it first, with gradstep.tensor(...) or gradstep.from_numpy(...)"
"""The remedy where a list, an array or a number is given in place of a tensor."""


class GradStepError(Exception):
    """Something the user can understand and put right.

    Args:
        message: What is wrong; it names the thing, with its value.
        remedy: What to do about it, as one short sentence. Empty when the message already says it.

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
    """A tensor operation or a backward pass that cannot be done (torch raises `RuntimeError`)."""


class DeviceError(TensorError, AssertionError):
    """A device that is not there (torch raises `AssertionError` for CUDA)."""


class SerializationError(GradStepError, RuntimeError):
    """Something that cannot be saved, or a file that cannot be loaded."""


class ArgumentError(GradStepError, ValueError):
    """An argument whose value is out of range (torch raises `ValueError`)."""


class RefusedArgumentError(ArgumentError, AssertionError):
    """An argument that torch refuses with an assertion."""


class NamingError(ArgumentError, KeyError):
    """A name that nothing can have, or that something has already (torch raises `KeyError`)."""


class ArgumentTypeError(GradStepError, TypeError):
    """An argument of the wrong type (torch raises `TypeError`)."""


class TensorIndexError(GradStepError, IndexError):
    """A dimension or an index that is not there (torch raises `IndexError`)."""


class MissingNameError(GradStepError, AttributeError):
    """A name of torch's that GradStep does not have, or an attribute that is not there."""


class UnsupportedError(GradStepError, NotImplementedError):
    """Something that torch, or GradStep, does not do (torch raises `NotImplementedError`)."""


class ProgramError(GradStepError):
    """A program document that cannot be built.

    Args:
        place: Where in the document, as a path such as `$.optimizers.optimizer.lr`; `$` for the
            document as a whole, which the message need not name.
        message: What is wrong there.
        remedy: What to write instead.
    """

    def __init__(self, place: str, message: str, remedy: str = "") -> None:
        super().__init__(message if place in {"", "$"} else f"{place}: {message}", remedy)
        self.place = place


class NotTextError(ProgramError):
    """A program document whose bytes are no text: nobody can mend it by writing."""


class ExpressionError(GradStepError):
    """An expression that cannot be read or evaluated; the message says where and why.

    Args:
        message: What is wrong.
        remedy: What to write instead.
        column: Where in the text it is wrong, from 1; None when that is no one place.
    """

    def __init__(self, message: str, remedy: str = "", column: int | None = None) -> None:
        super().__init__(f"column {column}: {message}" if column else message, remedy)
        self.column = column


class OperationError(GradStepError):
    """An Operation that cannot be applied; recorded as the outcome of its Event."""


class ReplayError(GradStepError):
    """A replay whose checksum differs from what was recorded."""


class SessionError(GradStepError):
    """A session file that cannot be read or written; says what is wrong and what can be done."""


class RecordingError(SessionError):
    """A recording that cannot go on; what was applied stands, and so do the next Operations."""

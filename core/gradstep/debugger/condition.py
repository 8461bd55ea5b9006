"""Conditions: expressions over the live state, such as `norm(grad("model.0.weight")) > 1e3`.

They are compiled by the same whitelist as the losses of programs: safe on a stranger's session,
bounded in length and depth, and an expression that is wrong says where and why.

    loss, loss_a, ...       the last value of the loss computed last, or of a loss by its name
    iteration, event        whole passes of the loop; Events so far
    data("x") grad("x")     a tensor's values and gradient; an element is grad("x")[0, 1]
    state("optimizer", "x", "exp_avg")      a state buffer
    option("optimizer", "lr")               a hyper-parameter of the first group
    norm sum mean min max abs any all isnan isinf isfinite is_none

What is not there (a loss not computed yet, a gradient that is None) makes every comparison false
and `is_none` true.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.errors import ExpressionError
from gradstep.history.footprint import Address
from gradstep.history.reading import read
from gradstep.program.expression import (
    ARITHMETIC,
    COMPARISONS,
    Expression,
    Function,
    Language,
    compile_expression,
)
from gradstep.program.names import nearest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gradstep.history.source import Source

__all__ = ["Condition", "Moment"]


class _Missing:
    """What stands for a value that is not there."""

    def __repr__(self) -> str:
        return "None"

    def __bool__(self) -> bool:
        return False

    def _never(self, *_: object) -> bool:
        return False

    def _itself(self, *_: object) -> _Missing:
        return self

    def __eq__(self, other: object) -> bool:
        return False

    def __hash__(self) -> int:
        return id(self)

    __lt__ = __le__ = __gt__ = __ge__ = __ne__ = _never
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _itself
    __truediv__ = __rtruediv__ = __pow__ = __rpow__ = __matmul__ = __rmatmul__ = _itself
    __neg__ = __pos__ = __getitem__ = _itself
    __array_ufunc__ = None


MISSING = _Missing()


@dataclass(slots=True)
class Moment(Mapping[str, Any]):
    """The values of the names in a condition, looked up in the live state when they are used.

    Attributes:
        source: The program.
        event: How many Events there are up to now.
        last_loss: The loss that was computed last; empty when there is none.
    """

    source: Source
    event: int = 0
    last_loss: str = ""

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401 - a number or what stands for none
        if name in self.source.losses:
            return self._loss(name)
        match name:
            case "loss":
                return self._loss(self.last_loss)
            case "iteration":
                return self.source.iteration
            case "event":
                return self.event
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        yield from {"loss": None, "iteration": None, "event": None, **self.source.losses}

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _loss(self, name: str) -> Any:  # noqa: ANN401 - as above
        return _or_missing(read(self.source, Address("loss", name)))


class Condition:
    """A compiled condition.

    Args:
        text: The expression.
        moment: Where its names get their values.

    Raises:
        ExpressionError: It says something that conditions cannot say; tells the column and why.

    Example:
        >>> from types import SimpleNamespace
        >>> import numpy as np
        >>> x = SimpleNamespace(_array=np.array([3.0, 4.0]), grad=None)
        >>> source = SimpleNamespace(tensors={"x": x}, losses={}, optimizers={}, iteration=2)
        >>> Condition('norm(data("x")) >= 5 and is_none(grad("x"))', Moment(source))()
        True
        >>> Condition("loss < 0.1", Moment(source))()
        False
    """

    __slots__ = ("_expression", "_moment")

    def __init__(self, text: str, moment: Moment) -> None:
        self._moment = moment
        language = Language(
            functions=_functions(moment.source),
            names=tuple(moment),
            operators={**ARITHMETIC, **COMPARISONS},
            constants={"inf": np.inf, "nan": np.nan, "pi": np.pi},
        )
        self._expression: Expression = compile_expression(text, language)
        _check_names(self._expression, moment.source)

    @property
    def text(self) -> str:
        """As it was written."""
        return self._expression.text

    def __call__(self) -> bool:
        """Whether it holds now.

        Raises:
            ExpressionError: It cannot be computed, or is a whole tensor and not one truth value.
        """
        value = self._expression(self._moment)
        if isinstance(value, np.ndarray) and value.size != 1:
            raise ExpressionError(
                f"{self.text!r} gives {value.size} values", "put any(...) or all(...) around it"
            )
        return bool(value)


def _check_names(expression: Expression, source: Source) -> None:
    known = (*source.tensors, *source.optimizers)
    for text in expression.texts:
        # The last argument of state() and option() names what an optimizer may not have made yet.
        if "." in text and text not in known:
            raise ExpressionError(f"there is no tensor {text!r}", nearest(text, known))


def _functions(source: Source) -> dict[str, Function]:
    def tensor(kind: Any, name: object) -> Any:  # noqa: ANN401 - an array or what stands for none
        if not isinstance(name, str) or name not in source.tensors:
            known = nearest(str(name), source.tensors)
            raise ExpressionError(f"there is no tensor {name!r}", known)
        return _or_missing(read(source, Address(kind, name)))

    def optimizer(kind: Any, name: object, tensor: str, key: object) -> Any:  # noqa: ANN401
        if name not in source.optimizers:
            raise ExpressionError(
                f"there is no optimizer {name!r}", nearest(str(name), source.optimizers)
            )
        return _or_missing(read(source, Address(kind, tensor, str(name), str(key))))

    return {
        "data": Function(lambda name: tensor("data", name), texts=True),
        "grad": Function(lambda name: tensor("grad", name), texts=True),
        "state": Function(
            lambda owner, name, key: optimizer("state", owner, name, key), 3, 3, texts=True
        ),
        "option": Function(
            lambda owner, key: optimizer("hyperparameter", owner, "", key), 2, 2, texts=True
        ),
        "is_none": Function(lambda value: value is MISSING),
        **{name: Function(_unless_missing(call)) for name, call in _NUMERIC.items()},
    }


def _norm(value: Any) -> float:  # noqa: ANN401 - an array or a number
    return float(np.linalg.norm(np.asarray(value, np.float64).reshape(-1)))


_NUMERIC: Mapping[str, Callable[[Any], Any]] = {
    "norm": _norm,
    "sum": np.sum,
    "mean": np.mean,
    "min": np.min,
    "max": np.max,
    "abs": np.abs,
    "any": np.any,
    "all": np.all,
    "isnan": lambda value: bool(np.isnan(value).any()),
    "isinf": lambda value: bool(np.isinf(value).any()),
    "isfinite": lambda value: bool(np.isfinite(value).all()),
}


def _unless_missing(call: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: MISSING if value is MISSING else call(value)


def _or_missing(value: Any) -> Any:  # noqa: ANN401 - passed through
    return MISSING if value is None else value

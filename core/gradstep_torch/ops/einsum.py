"""Einstein summation."""

from __future__ import annotations

from string import ascii_letters
from typing import TYPE_CHECKING

import numpy as np

from gradstep.autograd import dtypes, grad_mode
from gradstep.autograd.graph import Node, Value, record
from gradstep.autograd.ops import generic
from gradstep.autograd.ops.assignment import scatter_to_zeros
from gradstep.autograd.ops.convert import to_dtype
from gradstep.autograd.tensor import Tensor, edge, wrap
from gradstep.errors import ArgumentTypeError, TensorError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["einsum"]


class EinsumBackward0(Node):
    """A sum of products; `context` holds the subscripts of operands and result, and the shapes."""

    __slots__ = ()
    rule = "operands: einsum of grad with the other operands"

    @property
    def sources(self) -> tuple[int, ...]:  # type: ignore[override]
        """Every operand is saved, in order."""
        return tuple(range(len(self.edges)))

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """Contract grad with the other operands, to the operand's subscripts."""
        terms, result, shapes = self.context
        return tuple(
            None if target is None else _by_operand(place, grad, saved, terms, result, shapes)
            for place, target in enumerate(self.edges)
        )


def _by_operand(
    place: int,
    grad: Value,
    saved: Sequence[Value],
    terms: Sequence[str],
    result: str,
    shapes: Sequence[tuple[int, ...]],
) -> Value:
    """Return the gradient of one operand."""
    mine, shape = terms[place], shapes[place]
    others = [n for n in range(len(terms)) if n != place]
    reached = set(result).union(*(terms[n] for n in others))
    letters = list(dict.fromkeys(mine))
    known = [letter for letter in letters if letter in reached]
    found = _contract(
        [result, *(terms[n] for n in others)], "".join(known), [grad, *(saved[n] for n in others)]
    )
    sizes = dict(zip(mine, shape, strict=True))
    # a letter of this operand alone was summed over: its elements share one derivative
    missing = [place for place, letter in enumerate(letters) if letter not in reached]
    for gap in missing:
        found = found.reshape((*found.shape[:gap], 1, *found.shape[gap:]))
    spans = tuple(sizes[letter] for letter in letters)
    found = generic.unbroadcast(found, tuple(1 if n in missing else s for n, s in enumerate(spans)))
    if found.shape != spans:
        found = generic.expand(found, spans)
    if len(letters) == len(mine):
        return found
    grid = np.ogrid[tuple(slice(size) for size in spans)]
    return scatter_to_zeros(found, shape, tuple(grid[letters.index(letter)] for letter in mine))


def _contract(terms: Sequence[str], result: str, values: Sequence[Value]) -> Value:
    """Return the einsum of arrays or tensors."""
    equation = f"{','.join(terms)}->{result}"
    if any(isinstance(value, Tensor) for value in values):
        return einsum(equation, *(v if isinstance(v, Tensor) else wrap(v) for v in values))
    return np.asarray(np.einsum(equation, *values, optimize=len(values) > 2))  # noqa: PLR2004


def _parsed(equation: str, operands: Sequence[Tensor]) -> tuple[list[str], str]:
    """Return the subscripts of each operand and of the result, with letters for the ellipsis."""
    text = equation.replace(" ", "")
    left, arrow, right = text.partition("->")
    terms = left.split(",")
    if len(terms) != len(operands):
        raise TensorError(
            f"einsum(): the number of subscripts in {equation!r} is {len(terms)}, but the number "
            f"of operands is {len(operands)}"
        )
    for name in set(left + right) - set(ascii_letters) - set(",."):
        raise TensorError(
            f"einsum(): invalid subscript given at {name!r} in {equation!r}, subscripts must be "
            "in [a-zA-Z]"
        )
    free = [letter for letter in ascii_letters if letter not in text]
    lengths = [
        operand._array.ndim - len(term.replace("...", ""))
        for term, operand in zip(terms, operands, strict=True)
    ]
    for term, operand, length in zip(terms, operands, lengths, strict=True):
        if length < 0 or (length and "..." not in term):
            raise TensorError(
                f"einsum(): the subscript {term!r} does not match an operand of "
                f"{operand._array.ndim} dimensions"
            )
    longest = max((n for n, term in zip(lengths, terms, strict=True) if "..." in term), default=0)
    hidden = "".join(free[:longest])
    terms = [
        term.replace("...", hidden[longest - length :])
        for term, length in zip(terms, lengths, strict=True)
    ]
    if not arrow:
        seen = "".join(terms)
        once = sorted(x for x in set(seen) if seen.count(x) == 1 and x not in hidden)
        return terms, hidden + "".join(once)
    right = right.replace("...", hidden)
    for letter in right:
        if letter not in "".join(terms):
            raise TensorError(
                f"einsum(): output subscript {letter} does not appear in the equation "
                f"{equation!r} for any input operand"
            )
    return terms, right


def einsum(equation: str, *operands: Tensor | Sequence[Tensor]) -> Tensor:
    """Return the Einstein summation of tensors.

    Args:
        equation: One letter for each dimension of each operand, operands separated by commas, then
            "->" and the letters of the result. Letters missing there are summed over; "..." stands
            for further dimensions, which broadcast.
        *operands: The tensors.

    Raises:
        TensorError: The equation does not match the operands.

    Example:
        >>> import gradstep_torch as torch
        >>> einsum("ij,jk->ik", torch.ones(2, 3), torch.ones(3, 2))
        tensor([[3., 3.],
                [3., 3.]])
    """
    if not isinstance(equation, str):
        raise ArgumentTypeError(
            "the first argument of einsum() is an equation", 'such as "ij,jk->ik"'
        )
    given = operands[0] if len(operands) == 1 and not isinstance(operands[0], Tensor) else operands
    tensors: list[Tensor] = list(given)  # type: ignore[arg-type]
    terms, result = _parsed(equation, tensors)
    kind = dtypes.result_dtype(*(tensor._array for tensor in tensors))
    tensors = [to_dtype(tensor, kind) for tensor in tensors]
    arrays = [tensor._array for tensor in tensors]
    try:
        out = wrap(_contract(terms, result, arrays))
    except ValueError:
        raise TensorError(
            f"einsum(): operands do not broadcast with {equation!r}: their shapes are "
            f"{', '.join(str(list(array.shape)) for array in arrays)}"
        ) from None
    if grad_mode.current.enabled and any(tensor._requires_grad for tensor in tensors):
        record(
            EinsumBackward0,
            out,
            tuple(map(edge, tensors)),
            tuple(arrays),
            tuple(tensor._version_counter for tensor in tensors),
            (terms, result, [array.shape for array in arrays]),
        )
    return out

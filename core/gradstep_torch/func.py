"""Modules and gradients as functions."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from gradstep import autograd
from gradstep.autograd.tensor import Tensor
from gradstep.errors import ArgumentTypeError, TensorError
from gradstep_torch.missing_names import missing_from

if TYPE_CHECKING:
    from collections.abc import Callable

    from gradstep.nn import Module

__all__ = ["functional_call", "grad", "grad_and_value"]

Named = Mapping[str, Tensor]


def functional_call(
    module: Module,
    parameter_and_buffer_dicts: Named | Sequence[Named],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """Call a module with the given tensors in place of its parameters and buffers.

    The module is afterwards as it was. Gradients go to the tensors given, so that a step of
    gradient descent can be a part of the graph (Finn et al. 2017, MAML, arXiv 1703.03400).

    Args:
        module: What to call.
        parameter_and_buffer_dicts: Tensors by dotted name; of several dicts the first that has it.
        args: The argument, or a tuple of them.
        kwargs: Arguments by name.
        tie_weights: Whether a parameter that several names share is replaced under all of them.
        strict: Whether all names must be those of the module, each of them.

    Raises:
        TensorError: `strict`, and names are missing or unknown.

    Example:
        >>> import gradstep_torch as torch
        >>> layer = torch.nn.Linear(1, 1, bias=False)
        >>> functional_call(layer, {"weight": torch.tensor([[3.0]])}, torch.tensor([2.0]))
        tensor([6.])
    """
    given = parameter_and_buffer_dicts
    named: Named = given if isinstance(given, Mapping) else ChainMap(*map(dict, given))
    if args is None:
        args = ()
    elif not isinstance(args, tuple):
        args = (args,)
    with _replaced(module, named, tie_weights=tie_weights, strict=strict):
        return module(*args, **(kwargs or {}))


@contextmanager
def _replaced(module: Module, named: Named, *, tie_weights: bool, strict: bool) -> Iterator[None]:
    places = dict(_places(module, ""))
    if strict:
        _check(set(named), set(places), type(module).__name__)
    kept = [(table, name, table[name]) for table, name in places.values()]
    try:
        for path, tensor in named.items():
            if path not in places:
                continue
            table, name = places[path]
            old = table[name]
            table[name] = tensor
            if tie_weights and old is not None:
                for other, its_name, before in kept:
                    if before is old and other[its_name] is old:
                        other[its_name] = tensor
        yield
    finally:
        for table, name, before in kept:
            table[name] = before


def _places(module: Module, prefix: str) -> Iterator[tuple[str, tuple[dict[str, Any], str]]]:
    """Return the table and local name of each parameter and buffer, by dotted name."""
    tables: tuple[dict[str, Any], ...] = (vars(module)["_parameters"], vars(module)["_buffers"])
    for table in tables:
        for name in table:
            yield prefix + name, (table, name)
    for name, child in module.named_children():
        yield from _places(child, f"{prefix}{name}.")


def _check(given: set[str], known: set[str], kind: str) -> None:
    problems = [
        f"{what} key(s): " + ", ".join(map(repr, sorted(names)))
        for what, names in (("Unexpected", given - known), ("Missing", known - given))
        if names
    ]
    if problems:
        raise TensorError(f"functional_call of {kind}: " + "; ".join(problems))


def grad_and_value(
    func: Callable[..., Any], argnums: int | tuple[int, ...] = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """Return a function that returns the gradients of `func` and its value.

    Args:
        func: Returns a tensor with one element; with `has_aux` also something else.
        argnums: Which arguments to differentiate by: tensors, or dicts, lists or tuples of them.
        has_aux: Whether `func` returns a pair, whose second part is passed on.

    Example:
        >>> import gradstep_torch as torch
        >>> grad_and_value(lambda x: (x**2).sum())(torch.tensor([1.0, 2.0]))
        (tensor([2., 4.]), tensor(5.))
    """

    def run(*args: Any, **kwargs: Any) -> Any:
        numbers = (argnums,) if isinstance(argnums, int) else argnums
        leaves: list[Tensor] = []
        inputs = list(args)
        with autograd.enable_grad():
            for number in numbers:
                inputs[number] = _mapped(args[number], leaves, _fresh)
            result = func(*inputs, **kwargs)
            value, aux = result if has_aux else (result, None)
            if not isinstance(value, Tensor) or value.numel() != 1:
                raise TensorError(
                    "Expected f(*args) to return a scalar tensor, got "
                    f"{list(value.shape) if isinstance(value, Tensor) else type(value).__name__}",
                    "reduce it with .sum() or .mean()",
                )
            found = autograd.grad(
                value, leaves, create_graph=_recorded(args), allow_unused=True,
                materialize_grads=True,
            )  # fmt: skip
        order = iter(found)
        gradients = tuple(_mapped(args[n], [], lambda *_: next(order)) for n in numbers)
        grads = gradients[0] if isinstance(argnums, int) else gradients
        value = value if _recorded(args) else value.detach()
        return (grads, (value, aux)) if has_aux else (grads, value)

    return run


def grad(
    func: Callable[..., Any], argnums: int | tuple[int, ...] = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """Return a function that returns the gradients of `func`; arguments as for `grad_and_value`.

    It can be applied to its own result for higher derivatives.

    Example:
        >>> import gradstep_torch as torch
        >>> grad(grad(lambda x: x**3))(torch.tensor(2.0))
        tensor(12.)
    """
    both = grad_and_value(func, argnums, has_aux)

    def run(*args: Any, **kwargs: Any) -> Any:
        grads, value = both(*args, **kwargs)
        return (grads, value[1]) if has_aux else grads

    return run


def _recorded(values: Any) -> bool:
    """Return whether a tensor among the arguments requires grad, so gradients must be recorded."""
    if isinstance(values, Tensor):
        return values.requires_grad
    if isinstance(values, Mapping):
        values = values.values()
    elif not isinstance(values, (list, tuple)):
        return False
    return any(map(_recorded, values))


def _fresh(tensor: Tensor, leaves: list[Tensor]) -> Tensor:
    """Return a tensor to differentiate by, connected to the given one if that is recorded."""
    made = tensor.view_as(tensor) if tensor.requires_grad else tensor.detach().requires_grad_()
    leaves.append(made)
    return made


def _mapped(value: Any, leaves: list[Tensor], each: Callable[..., Any]) -> Any:
    if isinstance(value, Tensor):
        return each(value, leaves)
    if isinstance(value, Mapping):
        return {key: _mapped(one, leaves, each) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_mapped(one, leaves, each) for one in value)
    raise ArgumentTypeError(
        f"cannot differentiate by an argument of type {type(value).__name__}",
        "give a Tensor, or a dict, list or tuple of them; argnums says which argument",
    )


if not TYPE_CHECKING:  # type checkers must see only the real names
    __getattr__ = missing_from(__name__)

"""Python source of values, layers and formulas for a PyTorch script."""

from __future__ import annotations

import ast
import base64
import keyword
import textwrap
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from numpy.typing import NDArray

    from gradstep.program.schema.criteria import Criterion
    from gradstep.program.schema.layers.basic import Layer

__all__ = [
    "SEQUENCE_HELPERS",
    "FormulaNames",
    "Identifiers",
    "abbreviated_array_source",
    "array_source",
    "call_source",
    "formula_source",
    "module_source",
    "schedule_source",
]

_MAX_LITERAL_SIZE = 64
"""Maximum size of an array that is written as numbers; larger ones are encoded as base64."""

_MAX_SKETCH_SIZE = 8
"""Maximum size of an array that a listing shows in full; larger ones are abbreviated."""

_MAX_LINE = 76


class Identifiers:
    """Assigns unique Python identifiers to the objects of a program.

    Args:
        taken: Identifiers that the script itself uses.

    Example:
        >>> names = Identifiers({"torch"})
        >>> names.of("tensors", "x"), names.of("modules", "torch"), names.of("losses", "lambda")
        ('x', 'torch_', 'lambda_')
        >>> names.of("tensors", "x"), names.of("data", "x")
        ('x', 'x_')
    """

    def __init__(self, taken: set[str]) -> None:
        self._taken = set(taken)
        self._given: dict[tuple[str, str], str] = {}

    def of(self, kind: str, name: str) -> str:
        """Return the identifier of an object; the same one on every call."""
        given = self._given.get((kind, name))
        if given is None:
            given = name
            while given in self._taken or keyword.iskeyword(given) or keyword.issoftkeyword(given):
                given += "_"
            self._taken.add(given)
            self._given[kind, name] = given
        return given


def call_source(name: str, *first: str, **options: object) -> str:
    """Return a call with keyword arguments.

    Example:
        >>> call_source("SGD", "params", lr=0.1, betas=[0.9, 0.99], eps=float("inf"))
        "SGD(params, lr=0.1, betas=(0.9, 0.99), eps=float('inf'))"
    """
    words = [f"{key}={value_source(value)}" for key, value in options.items()]
    return f"{name}({', '.join([*first, *words])})"


def value_source(value: object) -> str:
    """Return a plain value as Python source; lists become tuples, as constructors expect."""
    if isinstance(value, (list, tuple)):
        inner = ", ".join(value_source(item) for item in value)
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if isinstance(value, float) and not np.isfinite(value):
        return f"float('{value}')"
    return repr(value)


def module_source(layers: Sequence[Layer]) -> str:
    """Return a module of layers as a call of nn.Sequential.

    Example:
        >>> from gradstep.program.schema.layers.basic import Linear, ReLU
        >>> module_source([Linear(2, 1), ReLU()])
        'nn.Sequential(nn.Linear(2, 1), nn.ReLU())'
    """
    inner = [_layer_source(layer) for layer in layers]
    whole = f"nn.Sequential({', '.join(inner)})"
    if len(whole) <= _MAX_LINE:
        return whole
    return "nn.Sequential(\n" + "".join(f"    {call},\n" for call in inner) + ")"


def _layer_source(layer: Layer) -> str:
    options: dict[str, Any] = msgspec.to_builtins(layer)
    kind = options.pop("kind")
    needed = [field.encode_name for field in msgspec.structs.fields(layer) if field.required]
    first = [value_source(options.pop(name)) for name in needed]
    if kind in SEQUENCE_HELPERS:
        options["batch_first"] = True  # not torch's default
        return call_source(SEQUENCE_HELPERS[kind], *first, **options)
    return call_source(f"nn.{kind}", *first, **options)


SEQUENCE_HELPERS = MappingProxyType(
    {
        "RNN": "RNNOutput",
        "LSTM": "LSTMOutput",
        "GRU": "GRUOutput",
        "MultiheadAttention": "SelfAttention",
    }
)
"""The script's own classes of layers whose forward in torch returns more than a chain passes on."""


def criterion_source(criterion: Criterion) -> str:
    """Return a criterion; its class weights become tensors."""
    options: dict[str, Any] = msgspec.to_builtins(criterion)
    kind = options.pop("kind")
    weights = [
        f"{key}=torch.tensor({options.pop(key)!r})"
        for key in ("weight", "pos_weight")
        if options.get(key) is not None
    ]
    return call_source(f"nn.{kind}", *weights, **options)


def array_source(array: NDArray[Any]) -> str:
    """Return an array as a call of torch.tensor, or of the script's helper `decode_tensor`.

    Example:
        >>> array_source(np.array([[0.1, 2.0]], "f4"))
        'torch.tensor([[0.1, 2.0]])'
        >>> array_source(np.array([0, 1]))
        'torch.tensor([0, 1])'
    """
    if array.size <= _MAX_LITERAL_SIZE and (array.dtype.kind != "f" or np.isfinite(array).all()):
        whole = f"torch.tensor({_numbers(array)})"
        if len(whole) <= _MAX_LINE or not array.ndim:
            return whole
        parts = [f"{_numbers(part)}," for part in array]
        whole_rows = [" ".join(parts)] if array.ndim == 1 else parts
        rows = "".join(f"    {row}\n" for line in whole_rows for row in _wrapped(line))
        return f"torch.tensor([\n{rows}])"
    text = base64.b64encode(array.astype(array.dtype.newbyteorder("<")).tobytes()).decode()
    lines = "\n".join(f'    "{line}"' for line in textwrap.wrap(text, _MAX_LINE))
    return f"decode_tensor(\n    torch.{array.dtype.name}, {tuple(array.shape)},\n{lines},\n)"


def abbreviated_array_source(array: NDArray[Any]) -> str:
    """Return an array for a listing: a small one in full, a large one as its shape and dtype.

    Example:
        >>> abbreviated_array_source(np.zeros((150, 4), "f4"))
        '...  # 150 x 4 float32'
    """
    if array.size <= _MAX_SKETCH_SIZE:
        return array_source(array)
    shape = " x ".join(str(size) for size in array.shape)
    return f"...  # {shape} {array.dtype.name}"


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, _MAX_LINE, break_long_words=False)


def _numbers(array: NDArray[Any]) -> str:
    if array.ndim:
        return f"[{', '.join(_numbers(part) for part in array)}]"
    # The shortest decimal that converts back to the same float32.
    return repr(float(str(array[()]))) if array.dtype.kind == "f" else repr(array.item())


@dataclass(frozen=True, slots=True)
class FormulaNames:
    """The script's names for what a formula names.

    Attributes:
        values: For the names of values: free tensors, losses, `input`, `target`, `output`.
        tensors: For the tensors in `tensor("...")`.
        modules: For the modules that it calls.
        embedded: The modules that take whole numbers.
    """

    values: Mapping[str, str]
    tensors: Mapping[str, str] = field(default_factory=dict)
    modules: Mapping[str, str] = field(default_factory=dict)
    embedded: Collection[str] = ()


def formula_source(text: str, names: FormulaNames) -> str:
    """Return the formula of a loss as a torch expression.

    Args:
        text: A valid formula.
        names: The script's names.

    Example:
        >>> names = FormulaNames({"x": "x"}, modules={"net": "net"})
        >>> formula_source("sum(100 * net(x)) + maximum(x[0], 0)", names)
        'torch.sum(100 * net(x)) + torch.maximum(x[0], torch.tensor(0.0))'
        >>> formula_source("mean(x > 0)", names)
        'torch.mean((x > 0).to(torch.get_default_dtype()))'
    """
    tree = _Formula(names).visit(ast.parse(text.strip(), mode="eval"))
    return ast.unparse(ast.fix_missing_locations(tree))


_TAKES_DIMENSION = frozenset({"sum", "mean", "std", "log_softmax", "argmax", "clamp"})
"""Functions whose other arguments are plain numbers."""


class _Formula(ast.NodeTransformer):
    def __init__(self, names: FormulaNames) -> None:
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return _expression("math.pi" if node.id == "pi" else self._names.values[node.id])

    def visit_Call(self, node: ast.Call) -> ast.expr:
        function = node.func.id if isinstance(node.func, ast.Name) else ""
        if function == "tensor" and isinstance(node.args[0], ast.Constant):
            return _expression(self._names.tensors[str(node.args[0].value)])
        if function in self._names.modules:
            value = self.visit(node.args[0])
            if function in self._names.embedded:
                value = _method(value, "long")
            return ast.Call(_expression(self._names.modules[function]), [value], [])
        arguments = [
            self.visit(argument)
            if function in _TAKES_DIMENSION and place
            else self._tensor(argument)
            for place, argument in enumerate(node.args)
        ]
        if function in {"sum", "mean", "std"} and isinstance(node.args[0], ast.Compare):
            arguments[0] = _method(arguments[0], "to", "torch.get_default_dtype()")
        torch_name = "torch.linalg.vector_norm" if function == "norm" else f"torch.{function}"
        return ast.Call(_expression(torch_name), arguments, [])

    def _tensor(self, node: ast.expr) -> ast.expr:
        """Return an argument as a tensor, since torch's functions do not accept plain numbers."""
        source: ast.expr = self.visit(node)
        if any(isinstance(part, (ast.Call, ast.Name)) for part in ast.walk(node)):
            return source
        return ast.Call(_expression("torch.tensor"), [_as_float(source)], [])


def _method(value: ast.expr, name: str, *arguments: str) -> ast.expr:
    """Return the call of a method of a value."""
    return ast.Call(ast.Attribute(value, name), [_expression(text) for text in arguments], [])


def schedule_source(text: str) -> str:
    """Return the factor of a scheduler as a Python expression of `epoch`.

    Example:
        >>> schedule_source("where(epoch < 5, 0.1, exp(-epoch))")
        '0.1 if epoch < 5 else math.exp(-epoch)'
    """
    tree = _Schedule().visit(ast.parse(text.strip(), mode="eval"))
    return ast.unparse(ast.fix_missing_locations(tree))


class _Schedule(ast.NodeTransformer):
    def visit_Name(self, node: ast.Name) -> ast.expr:
        return _expression("math.pi") if node.id == "pi" else node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        function = node.func.id if isinstance(node.func, ast.Name) else ""
        arguments = [self.visit(argument) for argument in node.args]
        if function == "where":
            condition, then, other = arguments
            return ast.IfExp(condition, then, other)
        builtin = function in {"abs", "min", "max"}
        return ast.Call(_expression(function if builtin else f"math.{function}"), arguments, [])


def _as_float(node: ast.expr) -> ast.expr:
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return ast.Constant(float(node.value))
    return ast.Call(_expression("float"), [node], [])


def _expression(source: str) -> ast.expr:
    return ast.parse(source, mode="eval").body

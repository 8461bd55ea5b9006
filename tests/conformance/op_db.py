"""How our operations agree with torch's own database of operations, sample by sample.

    python tests/conformance/op_db.py [name ...]

torch ships `op_db`: for each of its operations, the inputs it tests itself with. Every sample of
every operation that we have is run here and there; values, types, shapes and gradients must agree.
"""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import reduce
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

import gradstep_torch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

TOLERANCE = {"float16": 1e-2, "float32": 2e-5, "float64": 1e-9}
MOST_SAMPLES = 80
SEED = 42  # that with which the database seeds its own random calls
LOOSER = {
    "linalg.eigh": 1e-4,
    "nn.functional.conv_transpose3d": 1e-4,
    "nn.functional.scaled_dot_product_attention": 1e-4,
    "nn.functional.ctc_loss": 1e-4,
}
"""How close float32 gradients of some operations come: as torch's own tests of them have it."""
UNWRITTEN = {"empty", "empty_like", "new_empty"}
"""Operations whose elements have no set values: only their shapes and types can agree."""


class Outside(Exception):  # noqa: N818 - it is no error
    """A sample that needs what GradStep does not have on purpose."""


class Differs(Exception):  # noqa: N818 - it is a result
    """What disagrees."""


@dataclass
class Tally:
    """How many samples of an operation agree, how many are none of ours, and what differs."""

    agree: int = 0
    outside: int = 0
    differ: list[str] = field(default_factory=list)

    @property
    def share(self) -> float:
        """Return the agreeing part of the samples that concern us."""
        total = self.agree + len(self.differ)
        return self.agree / total if total else 1.0


def full_name(op: Any) -> str:
    return f"{op.name}.{op.variant_test_name}" if op.variant_test_name else op.name


OTHERWISE: dict[str, Callable[..., Any]] = {
    "where": lambda x, condition, other: gradstep_torch.where(condition, x, other),
    "T": lambda x: x.T,
    "mT": lambda x: x.mT,
    "mH": lambda x: x.mH,
    "einsum": lambda tensors, equation: gradstep_torch.einsum(equation, tensors),
    "nn.functional.embedding": lambda weight, numbers, **options: (
        gradstep_torch.nn.functional.embedding(numbers, weight, **options)
    ),
    "nn.functional.embedding_bag": lambda weight, numbers, **options: (
        gradstep_torch.nn.functional.embedding_bag(numbers, weight, **options)
    ),
    "rand_like": gradstep_torch.randn_like,  # as the database has it
    "normal.number_mean": lambda std, mean, *args, **options: normal(mean, std, *args, **options),
}
"""Operations that the database calls in a way of its own."""


def normal(mean: Any, std: Any, *args: Any, layout: Any = None, **options: Any) -> Any:
    """Call normal(), to whose mean the database gives the deviation, and the other way round."""
    return gradstep_torch.normal(mean, std, *args, **options)


def ours(op: Any) -> Callable[..., Any] | None:
    """Return our own operation of the name, or None when there is none."""
    for key in (full_name(op), op.name):
        if key in OTHERWISE:
            return OTHERWISE[key]
    name = op.name + "_" if op.variant_test_name == "in_place" else op.name
    for home in (gradstep_torch, gradstep_torch.Tensor):
        try:
            found = reduce(getattr, name.split("."), home)
        except AttributeError:
            continue
        if not isinstance(found, gradstep_torch.dtype):  # torch.float is none of its operations
            return found
    return None


def supported() -> Iterator[Any]:
    """Give the entries of torch's database that we have an operation for."""
    from torch.testing._internal.common_methods_invocations import op_db

    seen = set()
    for op in op_db:
        key = full_name(op)
        other = any(word in key for word in ("triton", "complex", "cudnn"))
        if key not in seen and not other and ours(op) is not None:
            seen.add(key)
            yield op


def convert(value: Any) -> Any:
    """Return what stands for a torch argument here."""
    import torch

    if isinstance(value, complex) or value is torch.channels_last or sparse(value):
        raise Outside(str(value))
    ways = {
        torch.Tensor: convert_tensor,
        torch.dtype: convert_dtype,
        torch.Size: gradstep_torch.Size,
        torch.nn.PairwiseDistance: lambda d: gradstep_torch.nn.PairwiseDistance(
            d.norm, d.eps, d.keepdim
        ),
        torch.Generator: lambda g: gradstep_torch.Generator().manual_seed(g.initial_seed()),
        list: lambda items: [convert(item) for item in items],
        tuple: lambda items: tuple(convert(item) for item in items),
        dict: lambda named: {key: convert(item) for key, item in named.items()},
    }
    for kind, way in ways.items():
        if isinstance(value, kind):
            return way(value)
    return value


def sparse(value: Any) -> bool:
    import torch

    return isinstance(value, torch.layout) and value is not torch.strided


def convert_tensor(value: Any) -> gradstep_torch.Tensor:
    import torch

    if value.layout != torch.strided or value.dtype.is_complex:
        raise Outside(str(value.dtype))
    try:
        made = gradstep_torch.from_numpy(laid_out(value, value.detach().numpy()))
    except TypeError:
        raise Outside(str(value.dtype)) from None
    return made.requires_grad_() if value.requires_grad else made


def convert_dtype(value: Any) -> gradstep_torch.dtype:
    found = str(value).removeprefix("torch.")
    if not hasattr(gradstep_torch, found):
        raise Outside(found)
    return getattr(gradstep_torch, found)


def laid_out(value: Any, array: Any) -> Any:
    """Return a copy of an array with the same strides."""
    if value.numel() == 0 or 0 in value.stride():
        return array.copy() if value.is_contiguous() else array
    return array.copy(order="K")


def flat(value: Any) -> list[Any]:
    if isinstance(value, (list, tuple)):
        return [part for item in value for part in flat(item)]
    return [value]


def tensors(value: Any, kind: type) -> list[Any]:
    if isinstance(value, Mapping):
        return [part for item in value.values() for part in tensors(item, kind)]
    if isinstance(value, (list, tuple)):
        return [part for item in value for part in tensors(item, kind)]
    return [value] if isinstance(value, kind) else []


def type_name(tensor: Any) -> str:
    return str(tensor.dtype).split(".")[1]


def compare(
    found: Any, expected: Any, what: str, *, values: bool = True, close: float | None = None
) -> None:
    """Raise Differs unless both are equal tensors, or equal numbers."""
    import torch

    if not isinstance(expected, torch.Tensor):
        if found != expected and not (found != found and expected != expected):  # noqa: PLR0124
            raise Differs(f"{what} is {found!r}, not {expected!r}")
        return
    if expected.dtype.is_complex:
        raise Outside("a complex result")
    if not isinstance(found, gradstep_torch.Tensor):
        raise Differs(f"{what} is a {type(found).__name__}")
    if type_name(found) != type_name(expected):
        raise Differs(f"{what} has type {type_name(found)}, not {type_name(expected)}")
    if tuple(found.shape) != tuple(expected.shape):
        raise Differs(f"{what} has shape {tuple(found.shape)}, not {tuple(expected.shape)}")
    if close is None or type_name(found) != "float32":
        close = TOLERANCE.get(type_name(found), 0.0)
    ours_, theirs = found.detach().numpy(), expected.detach().resolve_neg().numpy()
    if values and not np.allclose(ours_, theirs, close, close, equal_nan=True):
        raise Differs(f"{what} has other values: {ours_.ravel()[:4]!s} {theirs.ravel()[:4]}")


def flowing(torch: Any, output: Any) -> Any:
    array = np.linspace(0.5, 1.5, output.numel()).reshape(tuple(output.shape))
    return torch.from_numpy(array).to(output.dtype)


def gradients(torch: Any, outputs: list[Any], inputs: list[Any]) -> tuple[Any, ...]:
    outputs = [output for output in outputs if getattr(output, "requires_grad", False)]
    if not outputs or not inputs:
        return ()
    flows = [flowing(torch, output) for output in outputs]
    return torch.autograd.grad(outputs, inputs, flows, allow_unused=True)


def run(op: Any, sample: Any, call: Callable[..., Any]) -> None:
    """Run one sample on both sides; raises Outside or Differs."""
    import torch

    theirs = (sample.input, sample.args, sample.kwargs)
    arguments = convert(theirs)
    if op.variant_test_name == "in_place" or op.name.endswith("_"):
        sample.input.requires_grad_(False)
        arguments[0].requires_grad_(False)
    torch.manual_seed(SEED)
    try:
        expected = op.op(sample.input, *sample.args, **sample.kwargs)
    except (RuntimeError, IndexError, TypeError, ValueError, NotImplementedError):
        raise Outside("torch rejects it") from None
    gradstep_torch.manual_seed(SEED)
    try:
        found = call(arguments[0], *arguments[1], **arguments[2])
        outs, wanted = (flat(invariant(sample, value)) for value in (found, expected))
        require(len(outs) == len(wanted), f"{len(outs)} results, not {len(wanted)}")
        for place, pair in enumerate(zip(outs, wanted, strict=True)):
            compare(*pair, f"result {place}", values=op.name not in UNWRITTEN)
        compare_gradients((theirs, wanted), (arguments, outs), LOOSER.get(op.name))
    except (Outside, Differs):
        raise
    except Exception as problem:  # noqa: BLE001 - whatever an operation raises is a disagreement
        raise Differs(f"{type(problem).__name__}: {problem}") from None


def invariant(sample: Any, value: Any) -> Any:
    """Return what of a result is the same on every machine: singular vectors have any sign.

    The database says it for each sample, and torch's own tests compare no more than that.
    """
    return sample.output_process_fn_grad(value)


def compare_gradients(
    expected: tuple[Any, Any], found: tuple[Any, Any], close: float | None
) -> None:
    """Compare the gradients of outputs by inputs; each side is (inputs, outputs)."""
    import torch

    inputs = [x for x in tensors(expected[0], torch.Tensor) if x.requires_grad]
    mine = [x for x in tensors(found[0], gradstep_torch.Tensor) if x.requires_grad]
    grads = gradients(torch, expected[1], inputs)
    own = gradients(gradstep_torch, found[1], mine)
    require(len(own) == len(grads), f"{len(own)} gradients, not {len(grads)}")
    for place, (grad, other) in enumerate(zip(own, grads, strict=True)):
        require((grad is None) == (other is None), f"gradient {place} is {grad}, not {other}")
        if grad is not None:
            compare(grad, other, f"gradient {place}", close=close)


def require(condition: bool, message: str) -> None:
    if not condition:
        raise Differs(message)


def shown(sample: Any) -> str:
    """Return a sample in a line: shapes for tensors."""
    import torch

    def brief(value: Any) -> str:
        if isinstance(value, torch.Tensor):
            return f"{str(value.dtype)[6:]}{list(value.shape)}"
        if isinstance(value, (list, tuple)):
            return f"[{', '.join(map(brief, value))}]"
        return repr(value)

    named = [f"{key}={brief(value)}" for key, value in sample.kwargs.items()]
    return ", ".join([brief(sample.input), *map(brief, sample.args), *named])


def tally(op: Any) -> Tally:
    """Run every sample of an operation, in float32 and float64 where it has them."""
    import torch

    call, found = ours(op), Tally()
    kinds = [kind for kind in (torch.float32, torch.float64) if op.supports_dtype(kind, "cpu")]
    whole = [kind for kind in (torch.int64, torch.bool) if op.supports_dtype(kind, "cpu")]
    for kind in kinds or whole:
        torch.manual_seed(0)
        grad = bool(kinds) and op.supports_autograd
        for sample in islice(op.sample_inputs("cpu", kind, requires_grad=grad), MOST_SAMPLES):
            try:
                run(op, sample, call)
            except Outside:
                found.outside += 1
            except Differs as problem:
                found.differ.append(f"({shown(sample)}) {problem}"[:300])
            else:
                found.agree += 1
    return found


def main() -> None:
    """Print the agreement of every operation, those that differ with what differs."""
    total: Counter[str] = Counter()
    for op in supported():
        if len(sys.argv) > 1 and not any(word in full_name(op) for word in sys.argv[1:]):
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = tally(op)
        total.update(agree=found.agree, differ=len(found.differ), outside=found.outside, ops=1)
        if found.differ:
            print(f"{found.share:6.1%} of {found.agree + len(found.differ)} {full_name(op)}")  # noqa: T201
            for line in found.differ[:: max(1, len(found.differ) // 5)]:
                print(f"          {line}")  # noqa: T201
    print(dict(total))  # noqa: T201


if __name__ == "__main__":
    main()

"""How our modules agree with torch's own database of modules, sample by sample.

    python tests/conformance/module_db.py [name ...]

torch ships `module_db`: for each of its modules, the arguments and inputs it tests itself with.
Every sample of every module that we have is made and called here and there, in training and in
evaluation. Its first values, names, repr, outputs, buffers and gradients must agree.
"""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import gradstep_torch
from tests.conformance import op_db
from tests.conformance.op_db import Differs, Outside, Tally, compare, flat, require

if TYPE_CHECKING:
    from collections.abc import Iterator

SEED = 5
LOOSE = {"float32": 1e-4, "float64": 1e-8}
"""How close results of a module of many operations come; some have constants of float32."""


def name_of(info: Any) -> str:
    return str(info.module_cls.__name__)


def supported() -> dict[str, Any]:
    """Return the entries of torch's database that we have a module for."""
    from torch.testing._internal.common_modules import module_db

    named = {name_of(info): info for info in module_db}
    return {name: info for name, info in named.items() if hasattr(gradstep_torch.nn, name)}


def convert(value: Any, made: dict[int, Any]) -> Any:
    """Return what stands for a torch argument here; modules are made again, functions renamed.

    Args:
        value: Of torch.
        made: Tensors converted before: one that is given twice stays one.
    """
    import torch

    if isinstance(value, torch.Tensor):
        if id(value) not in made:
            made[id(value)] = op_db.convert(value)
        return made[id(value)]
    if isinstance(value, torch.nn.Module):
        return converted_module(value)
    if callable(value) and getattr(torch.nn.functional, getattr(value, "__name__", ""), 0) is value:
        return getattr(gradstep_torch.nn.functional, value.__name__)
    if isinstance(value, (list, tuple)):
        return type(value)(convert(item, made) for item in value)
    if isinstance(value, dict):
        return {key: convert(item, made) for key, item in value.items()}
    return op_db.convert(value)


def converted_module(module: Any) -> Any:
    """Return our TransformerEncoderLayer with the settings and values of a given one."""
    attention = module.self_attn
    made = gradstep_torch.nn.TransformerEncoderLayer(
        attention.embed_dim,
        attention.num_heads,
        module.linear1.out_features,
        module.dropout.p,
        convert(module.activation, {}),
        module.norm1.eps,
        attention.batch_first,
        module.norm_first,
        bias=module.linear1.bias is not None,
    )
    made.load_state_dict({key: value.numpy() for key, value in module.state_dict().items()})
    return made


@contextmanager
def default_type(library: Any, kind: str) -> Iterator[None]:
    kept = library.get_default_dtype()
    library.set_default_dtype(getattr(library, kind))
    try:
        yield
    finally:
        library.set_default_dtype(kept)


def run(info: Any, sample: Any, kind: str, *, training: bool) -> None:
    """Run one sample on both sides; raises Outside or Differs."""
    import torch

    made, called = sample.constructor_input, sample.forward_input
    with default_type(torch, kind), default_type(gradstep_torch, kind):
        arguments = convert((made.args, made.kwargs), {})
        theirs, inputs = (called.args, called.kwargs), convert((called.args, called.kwargs), {})
        modules = []
        for library, (args, kwargs), cls in (
            (torch, (made.args, made.kwargs), info.module_cls),
            (gradstep_torch, arguments, getattr(gradstep_torch.nn, name_of(info))),
        ):
            library.manual_seed(SEED)
            modules.append(cls(*args, **kwargs).train(training))
        results = []
        for library, module, (args, kwargs) in zip(
            (torch, gradstep_torch), modules, (theirs, inputs), strict=True
        ):
            library.manual_seed(SEED)
            results.append(outputs(library, module, args, kwargs))
    expected, found = results
    require(repr(modules[1]) == repr(modules[0]), f"repr is {modules[1]!r}, not {modules[0]!r}")
    require(len(found) == len(expected), f"{len(found)} results, not {len(expected)}")
    for place, pair in enumerate(zip(found, expected, strict=True)):
        compare_closely(*pair, f"result {place}")
    compare_states(*modules)
    op_db.compare_gradients(
        ((theirs, list(modules[0].parameters())), expected),
        ((inputs, list(modules[1].parameters())), found),
        LOOSE["float32"],
    )


def outputs(library: Any, module: Any, args: Any, kwargs: Any) -> list[Any]:
    """Return what a module gives; raise Outside where torch rejects a sample."""
    import torch

    try:
        return flat(module(*args, **kwargs))
    except (RuntimeError, ValueError, TypeError, NotImplementedError) as problem:
        if library is torch:
            raise Outside("torch rejects it") from None
        raise Differs(f"{type(problem).__name__}: {problem}") from None


def compare_closely(found: Any, expected: Any, what: str) -> None:
    compare(found, expected, what, close=LOOSE["float32"])


def compare_states(theirs: Any, ours: Any) -> None:
    """Compare names, order and values of parameters and buffers."""
    wanted, got = theirs.state_dict(), ours.state_dict()
    require(list(got) == list(wanted), f"state has {list(got)}, not {list(wanted)}")
    for key, value in wanted.items():
        compare_closely(got[key], value, key)
    for (key, parameter), (_, other) in zip(
        ours.named_parameters(), theirs.named_parameters(), strict=True
    ):
        same = (parameter.detach().numpy() == other.detach().numpy()).all()
        require(bool(same), f"{key} begins with other values")


def tally(info: Any) -> Tally:
    """Run every sample of a module, in training and evaluation, in float32 and float64."""
    import torch

    found = Tally()
    for kind in ("float32", "float64"):
        for training in (True, False):
            torch.manual_seed(0)
            samples = info.module_inputs_func(
                info,
                device="cpu",
                dtype=getattr(torch, kind),
                requires_grad=True,
                training=training,
            )
            for sample in samples:
                try:
                    run(info, sample, kind, training=training)
                except Outside:
                    found.outside += 1
                except Differs as problem:
                    found.differ.append(f"({described(sample)}) {problem}"[:400])
                except Exception as problem:  # noqa: BLE001 - whatever is raised is a disagreement
                    found.differ.append(
                        f"({described(sample)}) {type(problem).__name__}: {problem}"[:400]
                    )
                else:
                    found.agree += 1
    return found


def described(sample: Any) -> str:
    made = sample.constructor_input
    return f"{sample.desc} {made.args} {made.kwargs}"[:160]


def main() -> None:
    """Print the agreement of every module, those that differ with what differs."""
    total: Counter[str] = Counter()
    for name, info in supported().items():
        if len(sys.argv) > 1 and name not in sys.argv[1:]:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = tally(info)
        total.update(agree=found.agree, differ=len(found.differ), outside=found.outside, modules=1)
        if found.differ:
            print(f"{found.share:6.1%} of {found.agree + len(found.differ)} {name}")  # noqa: T201
            for line in found.differ[:: max(1, len(found.differ) // 4)]:
                print(f"          {line}")  # noqa: T201
    print(dict(total))  # noqa: T201


if __name__ == "__main__":
    main()

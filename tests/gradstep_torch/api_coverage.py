"""Which of the names that short scripts use are here.

    python tests/gradstep_torch/api_coverage.py

tests/data/torch_names.txt counts the names of torch's that short public scripts use.
"""

from __future__ import annotations

from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING

import gradstep_torch

if TYPE_CHECKING:
    from collections.abc import Iterator

NAMES = Path(__file__).parents[1] / "data" / "torch_names.txt"

ELSEWHERE = {
    "Tensor.index": "a method of lists",
    "Tensor.indices": "a field of what sort() and max(dim) return, or of sparse tensors",
    "Tensor.name": "an attribute of graph nodes and of devices",
    "Tensor.values": "a method of dicts, and a field of what max(dim) returns",
    "torch.functional": "misspelt: torch.nn.functional",
    "torch.functional.log_softmax": "misspelt: torch.nn.functional",
    "torch.functional.max_pool2d": "misspelt: torch.nn.functional",
    "torch.functional.relu": "misspelt: torch.nn.functional",
    "torch.nn.Dense": "not in torch",
    "torch.optim.step": "not in torch",
    "torch.sq": "not in torch",
}
"""Names counted that are not names of torch."""

LEFT_OUT = {
    "Module.register_backward_hook": "deprecated in torch; register_full_backward_hook is there",
    "Tensor.bfloat16": "NumPy has no such type, and its rounding cannot be had from another",
    "Tensor.layout": "there is one layout",
    "Tensor.resize_": "deprecated in torch; reshape() makes sizes explicit",
    "torch.__future__.set_swap_module_params_on_conversion": "a switch of torch's inner workings",
    "torch._C.DisableTorchFunctionSubclass": "torch's inner workings",
    "torch.autograd.profiler.profile": "profiles torch's kernels",
    "torch.nn.DataParallel": "there is one device",
    "torch.ops.aten": "torch's inner workings",
    "torch.utils.swap_tensors": "torch's inner workings",
    "torch.utils.tensorboard.SummaryWriter": "another program",
}
"""Names that are not here on purpose."""


def counted() -> Iterator[tuple[int, str]]:
    """Give how often each name is used, and the name."""
    for line in NAMES.read_text().splitlines():
        count, name = line.split()
        if not name.startswith("kw:"):
            yield int(count), name


def homes(head: str) -> list[object]:
    """Return what a name may be an attribute of."""
    module = gradstep_torch.nn.Linear(1, 1)
    optimizer = gradstep_torch.optim.SGD(module.parameters(), lr=0.1)
    found: dict[str, list[object]] = {
        "torch": [gradstep_torch],
        "Tensor": [gradstep_torch.ones(1)],
        "Module": [module],
        "<opt|module>": [module, optimizer],
    }
    return found[head]


def resolves(name: str) -> bool:
    """Tell whether a name is here."""
    head, *rest = name.split(".")
    for home in homes(head):
        try:
            reduce(getattr, rest, home)
        except AttributeError:
            continue
        return True
    return False


def missing() -> list[str]:
    """Return the names that are neither here nor omitted on purpose."""
    return [
        name
        for _, name in counted()
        if name not in ELSEWHERE and name not in LEFT_OUT and not resolves(name)
    ]


def main() -> None:
    """Print how many names and uses are covered, and what is missing."""
    wanted = [(count, name) for count, name in counted() if name not in ELSEWHERE]
    here = [(count, name) for count, name in wanted if resolves(name)]
    uses = sum(count for count, _ in here), sum(count for count, _ in wanted)
    print(f"{len(here)} of {len(wanted)} names, {uses[0]} of {uses[1]} uses")  # noqa: T201
    for name, why in LEFT_OUT.items():
        print(f"left out  {name}: {why}")  # noqa: T201
    for name in missing():
        print(f"missing   {name}")  # noqa: T201


if __name__ == "__main__":
    main()

"""The beginning of a PyTorch script: its imports, and the helper functions that it uses."""

from __future__ import annotations

from textwrap import dedent

from gradstep.program.torch_export.data_source import READERS
from gradstep.program.torch_export.python_source import SEQUENCE_HELPERS

__all__ = ["header_source"]

_OUTPUT_ALONE = dedent('''
    class {name}(nn.{kind}):
        """Returns the output alone, without the state, as a layer of nn.Sequential."""

        def forward(self, input):
            return super().forward(input)[0]
''')

_HELPERS = {
    **{
        name: _OUTPUT_ALONE.format(name=name, kind=kind)
        for kind, name in SEQUENCE_HELPERS.items()
        if kind != "MultiheadAttention"
    },
    "SelfAttention": dedent('''
        class SelfAttention(nn.MultiheadAttention):
            """Attends from each step to all steps, as a layer of nn.Sequential."""

            def forward(self, input):
                return super().forward(input, input, input, need_weights=False)[0]
    '''),
    "batches": dedent('''
        def batches(rows, size, shuffle, drop_last):
            """Yield the rows of each batch, epoch after epoch."""
            while True:
                order = torch.randperm(rows) if shuffle else torch.arange(rows)
                for batch in order.split(size):
                    if len(batch) == size or not drop_last:
                        yield batch
    '''),
    "Epochs": dedent('''
        class Epochs:
            """Yields the rows of each batch of an epoch; each loop over it is another epoch."""

            def __init__(self, rows, size, shuffle, drop_last):
                self.rows, self.size, self.shuffle, self.drop_last = rows, size, shuffle, drop_last

            def __len__(self):
                return self.rows // self.size if self.drop_last else -(-self.rows // self.size)

            def __iter__(self):
                order = torch.randperm(self.rows) if self.shuffle else torch.arange(self.rows)
                return iter(order.split(self.size)[: len(self)])
    '''),
    "Batches": dedent('''
        class Batches:
            """Yields the rows of each batch, epoch after epoch; size and position can be set."""

            def __init__(self, rows, size, shuffle, drop_last):
                self.rows, self.size, self.shuffle, self.drop_last = rows, size, shuffle, drop_last
                self.position = None, 0

            def __next__(self):
                order, start = self.position
                if order is None or len(order) - start < (self.size if self.drop_last else 1):
                    order = torch.randperm(self.rows) if self.shuffle else torch.arange(self.rows)
                    start = 0
                batch = order[start : start + self.size]
                self.position = order, start + len(batch)
                return batch

            def __len__(self):
                return self.rows // self.size if self.drop_last else -(-self.rows // self.size)

            def __iter__(self):
                """Yield the batches that are left of the epoch, or those of the next one."""
                yield next(self)
                while not self.epoch_is_complete():
                    yield next(self)

            def number(self):
                """Return the number of batches used of the epoch."""
                return -(-self.position[1] // self.size)

            def epoch_is_complete(self):
                """Return whether the epoch has no batch left."""
                order, start = self.position
                left = 0 if order is None else len(order) - start
                return left < (self.size if self.drop_last else 1)
    '''),
    "replace_optimizer": dedent('''
        def replace_optimizer(optimizer, kind, tensors=None, **options):
            """Return an optimizer of another kind with the same groups and changed options.

            It holds the same tensors, or those given for each group.
            """
            usual = inspect.signature(type(optimizer)).parameters
            known = inspect.signature(kind).parameters
            groups = []
            for number, group in enumerate(optimizer.param_groups):
                kept = {"params": group["params"] if tensors is None else tensors[number]}
                for key in group.keys() & known.keys() & usual.keys() - {"params"}:
                    value = group[key]
                    alike = isinstance(known[key].default, tuple) == isinstance(value, tuple)
                    if alike and (key == "lr" or value != usual[key].default):
                        kept[key] = value
                groups.append({**kept, **options})
            replacement = kind(groups)
            for before, group in zip(optimizer.param_groups, replacement.param_groups):
                for key in before.keys() - optimizer.defaults.keys() - group.keys():
                    group[key] = before[key]
            return replacement
    '''),
    "total_norm": dedent('''
        def total_norm(tensors):
            """Return the norm of all elements of some tensors; None counts as absent."""
            present = [tensor.detach().to_dense() for tensor in tensors if tensor is not None]
            return sum(float(tensor.double().square().sum()) for tensor in present) ** 0.5
    '''),
    "parameters_of": dedent('''
        def parameters_of(optimizer):
            """Return the parameters that an optimizer holds."""
            return [tensor for group in optimizer.param_groups for tensor in group["params"]]
    '''),
    "decode_tensor": dedent('''
        def decode_tensor(dtype, shape, text):
            """Return the tensor whose bytes are encoded as base64."""
            raw = bytearray(base64.b64decode(text))
            return torch.frombuffer(raw, dtype=dtype).reshape(shape)
    '''),
}


def header_source(body: str) -> str:
    """Return the imports and the helper functions that the body of a script uses."""
    known = {**_HELPERS, **READERS}
    helpers = [text.rstrip("\n") for name, text in known.items() if f"{name}(" in body]
    used = body + "".join(helpers)
    modules = ("base64", "copy", "csv", "inspect", "itertools", "math", "pathlib")
    own = [f"import {name}" for name in modules if f"{name}." in used]
    theirs = ["import numpy"] if "numpy." in used else []
    theirs.append("import torch")
    if "nn." in used:
        theirs.append("from torch import nn")
    blocks = ["\n".join(own), "\n".join(theirs)]
    imports = "\n\n".join(filter(None, blocks))
    end = ["", "\n"] if helpers else ["", ""]
    return "\n".join([imports, *(f"\n{text}" for text in helpers), *end])

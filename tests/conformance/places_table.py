"""Cases of the table of operations: places of elements, and writing into them."""

# ruff: noqa: ARG005 - every call takes the library, whether it needs it or not

from __future__ import annotations

from tests.conformance.case import Case

CUBE = ((2, 3, 4),)
FLAT = ((3, 4), (2, 4))


def _arrangements() -> list[Case]:
    calls = {
        "cumprod": lambda t, x: x.cumprod(1),
        "median": lambda t, x: x.median(),
        "median_dim": lambda t, x: x.median(1, keepdim=True).values,
        "norm_0": lambda t, x: x.norm(0) + 0 * x.sum(),
        "flip": lambda t, x: x.flip(0, 2),
        "roll": lambda t, x: t.roll(x, 2, 1),
        "tile": lambda t, x: t.tile(x, (2, 1)),
        "repeat": lambda t, x: x.repeat(2, 1, 1, 2),
        "repeat_interleave": lambda t, x: x.repeat_interleave(2, dim=1),
        "repeat_interleave_tensor": lambda t, x: t.repeat_interleave(x, t.tensor([2, 0, 1]), 1),
        "tril": lambda t, x: x.tril(),
        "triu": lambda t, x: t.triu(x, 1),
        "diag": lambda t, x: t.diag(x[0], 1),
        "diag_of_vector": lambda t, x: t.diag(x[0, 0]),
        "meshgrid": lambda t, x: t.meshgrid(x[0, 0], x[0, 1], indexing="xy")[1],
        "narrow": lambda t, x: x.narrow(1, 1, 2),
        "select": lambda t, x: x.select(2, 1),
        "take": lambda t, x: x.take(t.tensor([0, 5, 5, -1])),
        "unflatten": lambda t, x: x.unflatten(2, (2, -1)),
        "ravel": lambda t, x: x.ravel(),
        "swapaxes": lambda t, x: x.swapaxes(0, 1),
        "broadcast_to": lambda t, x: t.broadcast_to(x[:, :1], (2, 3, 4)),
        "reshape_as": lambda t, x: x.reshape_as(t.zeros(4, 6)),
        "hstack": lambda t, x: t.hstack([x, 2 * x]),
        "vstack": lambda t, x: t.vstack([x[0], x[1]]),
        "nan_to_num": lambda t, x: t.nan_to_num(x.log(), 0.5),
        "scatter": lambda t, x: x.scatter(1, t.tensor([[[0, 1, 2, 0]], [[2, 2, 1, 0]]]), 5.0),
        "index_fill": lambda t, x: x.index_fill(1, t.tensor([0, 2]), 3.0),
    }
    return [Case(name, call, CUBE) for name, call in calls.items()]


def _writes() -> list[Case]:
    places = lambda t: t.tensor([2, 0])  # noqa: E731 - short in each of the calls
    calls = {
        "index_add": lambda t, x, y: x.index_add(0, places(t), y, alpha=2),
        "index_copy": lambda t, x, y: x.index_copy(0, places(t), y),
        "index_put": lambda t, x, y: x.index_put((places(t),), y),
        "index_put_added": lambda t, x, y: x.index_put((t.tensor([1, 1]),), y, accumulate=True),
        "put": lambda t, x, y: x.put(t.tensor([[0, 1, 2, 3], [8, 9, 10, 11]]), y),
        "scatter_tensor": lambda t, x, y: x.scatter(0, t.tensor([[0, 1, 2, 0]]), y[:1]),
        "scatter_add": lambda t, x, y: t.scatter_add(x, 0, t.tensor([[0, 1, 2, 0]] * 2), y),
        "write_row": lambda t, x, y: _written(x, lambda z: z.__setitem__(1, y[0])),
        "write_slice": lambda t, x, y: _written(x, lambda z: z[:2].mul_(y)),
        "write_number": lambda t, x, y: _written(x, lambda z: z.__setitem__((0, 1), 3.0)),
        "write_masked": lambda t, x, y: _written(x, lambda z: z.masked_fill_(z > 0, 2.0)),
        "copy_in": lambda t, x, y: _written(x, lambda z: z[1:].copy_(y)),
        "add_in_place": lambda t, x, y: _written(x, lambda z: z[1:].add_(y, alpha=3)),
        "fill_view": lambda t, x, y: _written(x, lambda z: z.t()[1].fill_(4.0)),
    }
    return [Case(name, call, FLAT) for name, call in calls.items()]


def _written(x, write):
    """Return a copy of a tensor that was written into."""
    copy = 1 * x
    write(copy)
    return copy


PLACES = [*_arrangements(), *_writes()]

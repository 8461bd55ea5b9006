"""The problem on which algorithms are compared: gradients that depend on the parameters."""

import numpy as np

SHAPES = ((3, 4), (5,), (), (70, 70))


def beginnings(count, kind):
    """Return the first values, one array a shape."""
    generator = np.random.default_rng(11)
    return [generator.normal(size=shape).astype(kind) for shape in SHAPES[:count]]


def gradient(values, step):
    """Return a wavy bowl's gradient at `values`, or None where that step has none."""
    if step % 7 == 3 and values.ndim == 1:
        return None
    return (0.3 * values + 0.2 * np.sin(values + 0.1 * step)).astype(values.dtype)


def run(library, algorithm, options, steps, count=4, kind="float64"):
    """Run an algorithm of torch or of gradstep; returns the values and the state by name."""
    parameters = [library.tensor(array, requires_grad=True) for array in beginnings(count, kind)]
    optimizer = getattr(library.optim, algorithm)(parameters, **options)
    for step in range(steps):
        for parameter in parameters:
            grad = gradient(parameter.detach().numpy(), step)
            parameter.grad = None if grad is None else library.tensor(np.asarray(grad))
        optimizer.step()
    return values_and_state(optimizer, parameters)


def fit(library, algorithm, options, steps):
    """Fit two matrices through a closure; returns values, state and losses by name."""
    generator = np.random.default_rng(3)
    starts = [generator.normal(size=shape) for shape in ((4, 3), (3, 5))]
    inputs, target = (library.tensor(generator.normal(size=size)) for size in ((7, 4), (7, 5)))
    parameters = [library.tensor(start, requires_grad=True) for start in starts]
    optimizer = getattr(library.optim, algorithm)(parameters, **options)

    def closure():
        optimizer.zero_grad()
        loss = ((inputs @ parameters[0] @ parameters[1] - target) ** 2).mean()
        loss.backward()
        return loss

    losses = [optimizer.step(closure).item() for _ in range(steps)]
    return {"losses": np.array(losses), **values_and_state(optimizer, parameters)}


def look_up(library, options, steps):
    """Train the rows of a table with SparseAdam; returns values and state by name."""
    start = np.random.default_rng(5).normal(size=(6, 3))
    table = library.nn.Embedding(6, 3, sparse=True, dtype=library.float64)
    table.weight.data.copy_(library.tensor(start))
    optimizer = library.optim.SparseAdam(table.parameters(), **options)
    for step in range(steps):
        optimizer.zero_grad()
        rows = table(library.tensor([step % 4, (3 * step) % 5, step % 4]))
        ((rows - step / 10) ** 2).sum().backward()
        optimizer.step()
    return values_and_state(optimizer, [table.weight])


def values_and_state(optimizer, parameters):
    """Return the values and the state of parameters as arrays by name."""
    found = {f"{i}": p.detach().numpy() for i, p in enumerate(parameters)}
    for i, parameter in enumerate(parameters):
        for name, value in optimizer.state[parameter].items():
            if name != "al":  # torch's scratch list
                found[f"{i}.{name}"] = as_array(value)
    return found


def as_array(value):
    """Return a state entry, a tensor, a number or a list of tensors, as an array."""
    if isinstance(value, list):
        return np.array([item.numpy() for item in value])
    return np.array(value.numpy() if hasattr(value, "numpy") else value)

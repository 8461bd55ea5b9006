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
    found = {f"{i}": p.detach().numpy() for i, p in enumerate(parameters)}
    for i, parameter in enumerate(parameters):
        for name, value in optimizer.state[parameter].items():
            found[f"{i}.{name}"] = value.numpy()
    return found

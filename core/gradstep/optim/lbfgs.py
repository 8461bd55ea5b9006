"""L-BFGS: a quasi-Newton method that evaluates the loss several times in one step."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.autograd.tensor import Tensor, wrap
from gradstep.errors import ArgumentError, ArgumentTypeError, TensorError
from gradstep.optim.closure import as_number, walk_closure
from gradstep.optim.line_search import Trial, strong_wolfe
from gradstep.optim.optimizer import Optimizer
from gradstep.optim.option_checks import check_not_negative, check_number
from gradstep.optim.terms import Formula, named_terms

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Mapping

    from numpy.typing import NDArray

    from gradstep.optim.line_search import Tried
    from gradstep.optim.optimizer import Params
    from gradstep.optim.terms import UpdateVisit

__all__ = ["LBFGS", "Vectors"]

_COUNTS = MappingProxyType({"max_iter": 0, "max_eval": 0, "history_size": 1})

_VECTORS = ("d", "prev_flat_grad", "old_dirs", "old_stps")

_COUNTERS = ("func_evals", "n_iter")

_LEAST_CURVATURE = 1e-10

_MEMORY = ("old_dirs", "old_stps", "ro")
"""State entries: changes of the gradient, the steps that caused them, 1 over their products."""


class Vectors:
    """Prepares the vectors of an iteration; here they stay as they are.

    An attribution overrides this, and returns traced arrays.
    """

    def gradient(self, array: NDArray[Any]) -> NDArray[Any]:
        """Return the gradient of all parameters, just computed."""
        return array

    def memory(self, array: NDArray[Any]) -> NDArray[Any]:
        """Return a kept step, or a kept change of the gradient."""
        return array

    def values(self, array: NDArray[Any]) -> NDArray[Any]:
        """Return the values of all parameters before they are updated."""
        return array


_PLAIN = Vectors()


class LBFGS(Optimizer):
    r"""Limited-memory BFGS: Newton's direction, from the last few steps and gradients.

    .. math::
        d_k = -H_k g_k, \qquad \theta_{k+1} = \theta_k + t_k d_k

    where :math:`H_k` is built from pairs :math:`s_i = t_i d_i, y_i = g_{i+1} - g_i`. One `step` is
    up to `max_iter` such iterations. All parameters are one vector: a walk yields each vector
    parameter by parameter, and each number with the first parameter. State arrays are never
    written to, so that snapshots can share them.

    Args:
        params: Tensors or `(name, tensor)` pairs; one group.
        lr: Step length; with a line search, the first length that is tried.
        max_iter: Maximum number of iterations in one step.
        max_eval: Maximum number of closure calls in one step; 5/4 of `max_iter` if None.
        tolerance_grad: Stop if no element of the gradient is larger.
        tolerance_change: Stop if loss or parameters change less.
        history_size: Number of pairs that are kept.
        line_search_fn: None or "strong_wolfe".

    Example:
        >>> import gradstep
        >>> x = gradstep.tensor([3.0, -2.0], requires_grad=True)
        >>> optimizer = LBFGS([x], line_search_fn="strong_wolfe")
        >>> def closure():
        ...     optimizer.zero_grad()
        ...     loss = ((x - 1) ** 2).sum()
        ...     loss.backward()
        ...     return loss
        >>> optimizer.step(closure).item()
        13.0
        >>> x
        tensor([1.0000, 1.0000], requires_grad=True)

    References:
        Liu & Nocedal, On the limited memory BFGS method for large scale optimization, 1989.
    """

    TERMS = named_terms(
        {
            "iteration": Formula("the number of the iteration", "k"),
            "loss": Formula("closure()", r"\ell_k = f(\theta_k)"),
            "loss.found": Formula(
                "the loss at step_length", r"\ell_{k+1} = f(\theta_k + \alpha_k\,p_k)"
            ),
            "grad": Formula("the gradient of the loss", r"g_k = \nabla f(\theta_k)"),
            "grad.found": Formula(
                "the gradient at step_length", r"g_{k+1} = \nabla f(\theta_k + \alpha_k\,p_k)"
            ),
            "curvature": Formula(
                "dot(grad - prev_grad, step_length * direction)",
                r"c_k = y_k \cdot s_k,\quad y_k = g_k - g_{k-1},\quad s_k = \alpha_{k-1} p_{k-1}",
            ),
            "hessian_scale": Formula(
                "curvature / norm(grad - prev_grad) ** 2",
                r"h_k = \frac{c_k}{\left\lVert g_k - g_{k-1} \right\rVert^2}",
            ),
            "hessian_scale.kept": Formula("as in the iteration before", r"h_k = h_{k-1}"),
            "alpha": Formula(
                "dot(kept_step, projected) / dot(kept_change, kept_step)",
                r"a_i = \frac{s_i \cdot u}{y_i \cdot s_i}",
            ),
            "projected.pair": Formula(
                "projected - alpha * kept_change", r"u \leftarrow u - a_i\,y_i"
            ),
            "projected": Formula(
                "-grad, less its part along the kept changes",
                r"u_k = -g_k - \sum_i a_i\,y_i,\quad a_i = \frac{s_i \cdot u}{y_i \cdot s_i}",
            ),
            "scaled": Formula("hessian_scale * projected", r"v_k = h_k \cdot u_k"),
            "beta": Formula(
                "dot(kept_change, direction) / dot(kept_change, kept_step)",
                r"b_i = \frac{y_i \cdot p}{y_i \cdot s_i}",
            ),
            "direction.pair": Formula(
                "direction + (alpha - beta) * kept_step", r"p \leftarrow p + (a_i - b_i)\,s_i"
            ),
            "direction": Formula(
                "scaled, and its part along the kept steps",
                r"p_k = -H_k\,g_k = v_k + \sum_i (a_i - b_i)\,s_i,\quad "
                r"b_i = \frac{y_i \cdot p}{y_i \cdot s_i}",
            ),
            "direction.first": Formula("-grad", r"p_1 = -g_1"),
            "slope": Formula("dot(grad, direction)", r"q_k = g_k \cdot p_k"),
            "trial_length": Formula("a step length that is tried", r"\alpha"),
            "trial_loss": Formula(
                "the loss at trial_length", r"\ell_\alpha = f(\theta_k + \alpha\,p_k)"
            ),
            "step_length": Formula("lr", r"\alpha_k = \gamma"),
            "step_length.first": Formula("min(1, 1 / sum(abs(grad))) * lr"),
            "step_length.searched": Formula("what the line search found", r"\alpha_k"),
            "param": Formula(
                "param + step_length * direction",
                r"\theta_{k+1} = \theta_k + \alpha_k \cdot p_k",
            ),
        }
    )

    needs_closure = True

    def __init__(
        self,
        params: Params,
        lr: float = 1,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:
        super().__init__(
            params,
            {
                "lr": lr,
                "max_iter": max_iter,
                "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
                "tolerance_grad": tolerance_grad,
                "tolerance_change": tolerance_change,
                "history_size": history_size,
                "line_search_fn": line_search_fn,
            },
        )

    @classmethod
    def check_options(cls, options: Mapping[str, Any]) -> None:
        """Check hyperparameters: no negative lr, whole counts, and a known line search."""
        check_not_negative(options, lr="learning rate")
        for name in ("tolerance_grad", "tolerance_change"):
            check_number(name, options.get(name, 0))
        for name, least in _COUNTS.items():
            count = check_number(name, options.get(name, least))
            if not count >= least or count % 1:
                raise ArgumentError(
                    f"Invalid {name}: {options[name]!r}", f"use a whole number of at least {least}"
                )
        if options.get("line_search_fn") not in (None, "strong_wolfe"):
            raise TensorError(
                f"only 'strong_wolfe' is supported, but line_search_fn is "
                f"{options['line_search_fn']!r}",
                "set it to None for no line search",
            )

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add the group of parameters; there is only one.

        Raises:
            ArgumentError: There is a group already.
        """
        if self.param_groups:
            super().add_param_group(param_group)
            raise ArgumentError(
                "LBFGS doesn't support per-parameter options (parameter groups)",
                "give all parameters in one list",
            )
        super().add_param_group(param_group)

    def step(self, closure: Callable[[], Any] | None = None) -> Any:  # noqa: ANN401 - the closure's
        """Carry out up to `max_iter` iterations.

        Args:
            closure: Clears the gradients, computes the loss, calls backward, returns the loss.

        Returns:
            What the closure returned the first time.
        """
        walk = self.iterations(_needed(closure))
        while True:
            try:
                next(walk)
            except StopIteration as end:
                return end.value

    def _visits(self, closure: Callable[[], Any] | None) -> Iterator[UpdateVisit]:
        walk = self.iterations(_needed(closure))
        self.has_stepped = True
        self._step_hooks.before(self, (self, closure), {})
        for key, value in walk:
            if not isinstance(value, np.ndarray):
                yield self._visit(0, 0, key, value)
                continue
            for index, part in enumerate(self.split(value)):
                yield self._visit(0, index, key, part)
        self._step_hooks.after(self, (self, closure), {})

    def state_shape(self, entry: str, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Return the shape of a state array: of all parameters as one vector, or of a number."""
        members = self.param_groups[0]["params"]
        size = sum(parameter._array.size for parameter in members)
        return (size,) if entry in _VECTORS else super().state_shape(entry, shape)

    def is_state(self, entries: Mapping[str, Any]) -> bool:
        """Whether the entries are complete, and of the types that the next iteration needs."""
        if not entries:
            return True
        fits = all(_is_count(entries.get(name)) for name in _COUNTERS)
        if not fits or not entries["n_iter"]:
            return fits and set(entries) == set(_COUNTERS)
        lists = [_items(entries.get(name)) for name in _MEMORY]
        if any(kept is None or len(kept) != len(lists[0]) for kept in lists):
            return False
        numbers = [entries.get(name) for name in ("H_diag", "prev_loss", "t")]
        return (
            set(entries) == {*_COUNTERS, *_MEMORY, *_VECTORS[:2], "H_diag", "prev_loss", "t"}
            and not any(number is None or np.ndim(number) for number in numbers)
            and all(_has_dimensions(entries[name], 1) for name in _VECTORS[:2])
            and all(
                _has_dimensions(item, dimensions)
                for kept, dimensions in zip(lists, (1, 1, 0), strict=True)
                for item in kept
            )
        )

    # -- all parameters as one vector ----------------------------------------------------------

    def split(self, vector: NDArray[Any]) -> list[NDArray[Any]]:
        """Return the part of a vector that belongs to each parameter, in its shape."""
        parts, start = [], 0
        for parameter in self.param_groups[0]["params"]:
            array = parameter._array
            parts.append(vector[start : start + array.size].reshape(array.shape))
            start += array.size
        return parts

    def values(self) -> NDArray[Any]:
        """Return the values of all parameters as one vector, a copy."""
        members = self.param_groups[0]["params"]
        return np.concatenate([parameter._array.reshape(-1) for parameter in members])

    def gradient(self) -> NDArray[Any]:
        """Return the gradient of all parameters as one vector, a copy; zeros where it is None."""
        return np.concatenate(
            [
                np.zeros(p._array.size, p._array.dtype)
                if p._grad is None
                else p._grad._array.reshape(-1)
                for p in self.param_groups[0]["params"]
            ]
        )

    def _put(self, vector: NDArray[Any]) -> None:
        for parameter, part in zip(self.param_groups[0]["params"], self.split(vector), strict=True):
            parameter._array[...] = part
            parameter._version_counter[0] += 1

    # -- the iterations ------------------------------------------------------------------------

    def iterations(
        self, closure: Callable[[], Any], vectors: Vectors = _PLAIN
    ) -> Generator[tuple[str, Any], None, Any]:
        """Carry out one step, and yield each term as it is computed.

        Args:
            closure: As in `step`; one that is a generator is walked through.
            vectors: Prepares the vectors of each iteration.

        Yields:
            A key of `TERMS`, and a number or a vector of all parameters; or `EVALUATING`, and what
            a closure that is a generator yields.

        Returns:
            What the closure returned the first time.
        """
        group = self.param_groups[0]
        lr, least_change = float(group["lr"]), group["tolerance_change"]
        state = self.state[group["params"][0]]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        first_loss = yield from walk_closure(closure)
        loss, grad, evaluations = as_number(first_loss), vectors.gradient(self.gradient()), 1
        state["func_evals"] += 1
        yield "loss", loss
        yield "grad", grad
        if _largest(grad) <= group["tolerance_grad"]:
            return first_loss
        for count in range(1, int(group["max_iter"]) + 1):
            yield "iteration", count
            state["n_iter"] += 1
            direction = yield from _direction_of(state, grad, group["history_size"], vectors)
            begins = state["n_iter"] == 1
            yield "direction.first" if begins else "direction", direction
            state["d"], state["prev_flat_grad"] = _kept_vector(direction), _kept_vector(grad)
            state["prev_loss"] = before = loss
            length = _first_length(grad) * lr if begins else lr
            state["t"] = length
            slope = float(np.dot(grad, direction))
            yield "slope", slope
            if slope > -least_change:
                break
            used, way = 0, "step_length.first" if begins else "step_length"
            if group["line_search_fn"] is not None:
                best, used = yield from strong_wolfe(
                    self._evaluator(closure, direction, vectors),
                    Trial(0.0, loss, grad, slope),
                    length,
                    _largest(direction),
                    group["max_eval"] - evaluations,
                )
                loss, grad, length = best.loss, best.grad, best.length
                state["t"], way = length, "step_length.searched"
            yield way, length
            values = vectors.values(self.values())
            values += values.dtype.type(length) * direction
            self._put(values)
            yield "param", values
            if group["line_search_fn"] is None and count < group["max_iter"]:
                loss, used = as_number((yield from walk_closure(closure))), 1
                grad = vectors.gradient(self.gradient())
            if used:
                found = "" if group["line_search_fn"] is None else ".found"
                yield f"loss{found}", loss
                yield f"grad{found}", grad
            evaluations += used
            state["func_evals"] += used
            if (
                evaluations >= group["max_eval"]
                or _largest(grad) <= group["tolerance_grad"]
                or length * _largest(direction) <= least_change
                or abs(loss - before) < least_change
            ):
                break
        return first_loss

    def _evaluator(
        self, closure: Callable[[], Any], direction: NDArray[Any], vectors: Vectors
    ) -> Callable[[float], Tried]:
        """Return a function that evaluates a step length and restores the parameters."""
        origin = self.values()

        def evaluate(length: float) -> Tried:
            self._put(origin + origin.dtype.type(length) * direction)
            loss = as_number((yield from walk_closure(closure)))
            grad = vectors.gradient(self.gradient())
            self._put(origin)
            return Trial(length, loss, grad, float(np.dot(grad, direction)))

        return evaluate


def _direction_of(
    state: dict[str, Any], grad: NDArray[Any], history_size: int, vectors: Vectors
) -> Generator[tuple[str, NDArray[Any] | float], None, NDArray[Any]]:
    """Add the last step to the memory, and return minus the inverse Hessian times the gradient.

    Products of two vectors use `dot`, which drops the parts of traced arrays: they are factors.
    """
    if state["n_iter"] == 1:
        state.update({name: [] for name in _MEMORY}, H_diag=1)
        return -grad
    change = grad - state["prev_flat_grad"]._array
    move = state["d"]._array * grad.dtype.type(float(state["t"]))
    curvature = float(np.dot(change, move))
    yield "curvature", curvature
    way = "hessian_scale.kept"
    if curvature > _LEAST_CURVATURE:
        way = "hessian_scale"
        first = 1 if len(state["ro"]) == history_size else 0
        inverse = np.array(1.0 / curvature, grad.dtype)
        for name, value in zip(_MEMORY, (change, move, inverse), strict=True):
            state[name] = [*state[name][first:], _kept_vector(value)]
        square = float(np.dot(change, change))
        state["H_diag"] = wrap(np.array(curvature / square, grad.dtype))
    scale = state["H_diag"]
    yield way, float(scale)
    pairs = [
        (vectors.memory(change._array), vectors.memory(move._array), inverse._array)
        for change, move, inverse in zip(*(state[name] for name in _MEMORY), strict=True)
    ]
    direction, alphas = -grad, []
    for change, move, inverse in reversed(pairs):
        alpha = np.dot(move, direction) * inverse
        yield "alpha", float(alpha)
        direction -= alpha * change
        alphas.append(alpha)
        yield "projected.pair", direction
    yield "projected", direction
    direction *= scale._array if isinstance(scale, Tensor) else scale
    yield "scaled", direction
    for (change, move, inverse), alpha in zip(pairs, reversed(alphas), strict=True):
        beta = np.dot(change, direction) * inverse
        yield "beta", float(beta)
        direction += move * (alpha - beta)
        yield "direction.pair", direction
    return direction


def _kept_vector(vector: NDArray[Any]) -> Tensor:
    """Return a read-only copy for the state."""
    copy = np.array(vector)
    copy.flags.writeable = False
    return wrap(copy)


def _needed(closure: Callable[[], Any] | None) -> Callable[[], Any]:
    if closure is None:
        raise ArgumentTypeError(
            "LBFGS evaluates the loss several times in one step, so step() is missing 1 required "
            "argument: 'closure'",
            "pass a function that clears the gradients, calls backward and returns the loss",
        )
    return closure


def _is_count(value: object) -> bool:
    return type(value) is int and value >= 0


def _items(kept: Any) -> Any:  # noqa: ANN401 - what was captured of a list, or something else
    items = kept.get("items") if isinstance(kept, dict) else None
    return items if isinstance(items, list) else None


def _has_dimensions(value: object, dimensions: int) -> bool:
    return isinstance(value, np.ndarray) and value.ndim == dimensions


def _first_length(grad: NDArray[Any]) -> float:
    total = float(np.abs(grad).sum())
    return min(1.0, 1.0 / total) if total else 1.0


def _largest(vector: NDArray[Any]) -> float:
    return float(np.abs(vector).max(initial=0.0))

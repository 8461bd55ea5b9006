"""EffectCache: an entry is used as long as the tensors stay the same."""

from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np

from gradstep.history.log.checksum import COVERED, covered
from gradstep.history.log.effect_cache import CachedEffect, EffectCache
from gradstep.history.log.vocabulary import Vocabulary
from gradstep.history.reads_writes import reads_writes_of
from gradstep.program.operation import Backward, Step
from gradstep.program.operation_effect import OperationEffect


@dataclass(eq=False)
class Tensor:
    """An array with a gradient, hashed by identity as tensors are."""

    _array: np.ndarray
    _grad: object


def tensor(*values, gradient=None):
    held = None if gradient is None else SimpleNamespace(_array=np.array(gradient))
    return Tensor(np.array(values), held)


def test_a_replaced_tensor_is_looked_up_again():
    source = SimpleNamespace(tensors={"x": tensor(1.0)}, optimizers={})
    effects, step, effect = EffectCache(source, Vocabulary(())), Step(), OperationEffect((), ("x",))
    assert effects.of(step, effect).written(1) == np.array(1.0).tobytes()
    source.tensors = {"x": tensor(2.0)}
    assert effects.of(step, effect).written(2) == np.array(2.0).tobytes()


def test_which_of_two_gradients_is_none_changes_the_bytes():
    reads_writes = reads_writes_of(1, (), ("x.grad", "y.grad"), ())
    written = [
        CachedEffect(
            SimpleNamespace(
                tensors={"x": tensor(1.0, gradient=x), "y": tensor(1.0, gradient=y)}, optimizers={}
            ),
            Backward(),
            0,
            reads_writes,
        ).written(1)
        for x, y in ((3.0, None), (None, 3.0))
    ]
    assert written[0] != written[1]


def test_the_bytes_are_the_covered_elements_of_data_gradients_and_one_parameters_state():
    size = 2 * COVERED + 100
    x = tensor(*np.arange(size, dtype=np.float64), gradient=np.arange(size) * 2.0)
    y = tensor(1.0, gradient=5.0)
    state = {x: {"exp_avg": np.arange(size) * 3.0, "past": [np.full(2, 7.0)]}, y: {"step": 4.0}}
    source = SimpleNamespace(
        tensors={"x": x, "y": y}, optimizers={"sgd": SimpleNamespace(state=state, param_groups=[])}
    )
    writes = ("x", "x.grad", "y.grad", "sgd/x/exp_avg", "sgd/y/step")
    cached = CachedEffect(source, Step("sgd"), 0, reads_writes_of(1, (), writes, ()))
    owners = set()
    for turn in range(1, 12):
        parts = [covered(x._array, turn), covered(x._grad._array, turn), np.array(5.0)]
        of_x = b"".join(map(bytes, [*parts, covered(state[x]["exp_avg"], turn), np.full(2, 7.0)]))
        of_y = b"".join(map(bytes, [*parts, np.array(4.0)]))
        found = cached.written(turn)
        assert found in {of_x, of_y}
        owners.add(found == of_x)
    assert owners == {True, False}

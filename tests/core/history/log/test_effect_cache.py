"""EffectCache: an entry is used as long as the tensors stay the same."""

from types import SimpleNamespace

import numpy as np

from gradstep.history.log.effect_cache import CachedEffect, EffectCache
from gradstep.history.log.vocabulary import Vocabulary
from gradstep.history.reads_writes import reads_writes_of
from gradstep.program.operation import Backward, Step
from gradstep.program.operation_effect import OperationEffect


def tensor(*values, gradient=None):
    held = None if gradient is None else SimpleNamespace(_array=np.array(gradient))
    return SimpleNamespace(_array=np.array(values), _grad=held)


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

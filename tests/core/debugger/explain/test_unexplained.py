"""What a script's Step wrote beyond its optimizer's update is not called rounding."""

from __future__ import annotations

import numpy as np
import pytest

from gradstep.debugger import Debugger
from gradstep.script.mirror import Mirror
from tests.core.script.sent_frames import Sent, take


def explained(before, gradient, after, kind="SGD"):
    """Return the explanation of a Step at a learning rate of 0.1."""
    sent = Sent()
    sent.tensor("w", before)
    options = {"lr": 0.1} if kind == "SGD" else {"lr": 0.1, "weight_decay": 0.0}
    sent.optimizer("optimizer", kind, ["w"], **options)
    sent.event("backward", "loss", 3, {"w.grad": gradient}, loss=1.0)
    sent.event("step", "optimizer", 4, {"w": after})
    debugger = Debugger(Mirror(take(sent.stream)))
    debugger.follow()
    return debugger.explain("w")


def test_what_something_else_has_changed_is_not_explained():
    why = explained([1.0, 2.0], [1.0, 1.0], [0.9, 0.5])
    left = next(term for term in why.terms if term.name == "not explained")
    np.testing.assert_allclose(left.value, [0.0, -1.4], atol=1e-7)
    assert "cannot explain: 1.4 of it (norm) is not what SGD does" in why.sentence
    np.testing.assert_allclose(sum(term.value for term in why.terms), why.total, atol=1e-12)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([1.0, 2.0], [0.9, 1.9]),
        ([1.0, 2.0], [0.9, np.nextafter(np.float32(1.9), np.float32(2))]),
        ([1000.0, 2.0], [999.9, 1.90001]),  # float32 cannot hold more of the first
        ([256.0, 2.0], [256.0, 1.8984375]),  # bfloat16 cannot hold more
    ],
)
def test_what_the_type_of_the_values_cannot_hold_is_rounding(before, after):
    why = explained(before, [1.0, 1.0], after)
    assert {term.name for term in why.terms} <= {"gradient", "rounding"}
    assert "cannot explain" not in why.sentence

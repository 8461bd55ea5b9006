"""What is advised where a value of a script became NaN or infinite."""

from __future__ import annotations

import pytest

from tests.core.diagnostics.facts.sent_loops import Loop, debug
from tests.core.script.sent_frames import NAN, frame

DATA = "Look for NaN and infinity in the data"
IN_GENERAL = "log and sqrt need an argument above 0"
SMALLER = "smaller learning rate"


def remedy(*losses, origin="", loss="loss"):
    """Return the advice for a loss that is NaN after it had these values."""
    loop = Loop()
    for iteration, value in enumerate((*losses, NAN)):
        loop.then(iteration).zero().call()
        if origin and value is NAN:
            header = {"type": "noticed", "what": "origin", "name": loss, "target": origin}
            loop.stream += frame(header)
        loop.backward(loss=value).step()
    (finding,) = [item for item in debug(loop).findings if item.id == "non-finite"]
    return finding.remedy


@pytest.mark.parametrize("losses", [(2.0, 1.0, 300.0), (1.0, 1e20), (5.0, 1.0, 2.0, -500.0)])
def test_a_loss_that_has_run_away_had_steps_that_were_too_long(losses):
    text = remedy(*losses)
    assert f"loss had grown from 1 to {abs(losses[-1]):.3g} over the" in text
    assert SMALLER in text
    assert IN_GENERAL not in text


def test_a_node_says_what_to_change_in_it():
    text = remedy(1.0, 1.0, origin="node DivBackward0: a division by 0")
    assert "Add a small number to the divisor" in text
    assert SMALLER not in text
    text = remedy(1.0, 1e6, origin="node LogBackward0: a logarithm of 0 or less")
    assert text.index("the steps are too long") < text.index("log_softmax")


def test_an_input_that_is_not_finite_is_looked_for_in_the_data():
    text = remedy(1.0, 0.5, origin="node AddmmBackward0 of model: NaN or infinity in its input")
    assert DATA in text
    assert SMALLER not in text


def test_a_loss_of_which_nothing_else_is_known_may_have_each_of_the_causes():
    text = remedy(1.0, 0.5)
    assert DATA in text
    assert IN_GENERAL in text
    assert "A smaller learning rate or clipping often helps." in text
    assert SMALLER not in remedy()

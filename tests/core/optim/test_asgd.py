"""ASGD: options that leave no finite step size are rejected."""

import pytest

import gradstep
from gradstep import optim
from gradstep.errors import ArgumentError


def leaves():
    """Two parameters with gradients, in groups of their own."""
    made = [gradstep.tensor([1.0], requires_grad=True) for _ in range(2)]
    for one in made:
        one.grad = gradstep.ones(1)
    return made


@pytest.mark.parametrize(
    ("options", "phrase"),
    [
        ({"lambd": -10}, "after step 1 ASGD has no step size.*lambd=-10.*set lambd to 0 or more"),
        ({"lambd": -100}, "lambd=-100.*set lambd to 0 or more"),
        ({"lambd": 1.0, "alpha": 1e9}, r"alpha=1e\+09; set alpha nearer to 0"),
    ],
)
@pytest.mark.parametrize("walked", [False, True])
def test_a_step_that_leaves_no_step_size_is_rejected_before_anything_moves(options, phrase, walked):
    x, y = leaves()
    optimizer = optim.ASGD([{"params": [x]}, {"params": [y], **options}], lr=0.1)
    with pytest.raises(ArgumentError, match=phrase):
        list(optimizer.visits()) if walked else optimizer.step()
    assert (x.item(), y.item(), x._version, y._version) == (1.0, 1.0, 0, 0)
    assert not optimizer.state


def test_a_small_negative_decay_works_as_long_as_there_is_a_step_size():
    x, _ = leaves()
    optimizer = optim.ASGD([x], lr=0.1, lambd=-4.0)
    optimizer.step()
    optimizer.step()
    before = x.item()
    with pytest.raises(ArgumentError, match="after step 3"):
        optimizer.step()
    assert x.item() == before
    assert optimizer.state[x]["step"].item() == 2.0

"""Facts about recorded graphs: saved values that were changed, and graphs kept for nothing."""

import pytest

from gradstep.program.operation import Backward, LoadState, RebuildModule, SetValue


def test_a_step_between_forward_and_backward(dbg, found):
    dbg.iterate(1)
    dbg.forward()
    dbg.backward(retain_graph=True)
    dbg.step()
    dbg.backward()
    assert found(dbg)["inplace-after-save"] == (5, 7, 8)
    (fact,) = (one for one in dbg.findings if one.id == "inplace-after-save")
    assert fact.subjects == ("model.2.weight",)  # the only one that the graph had saved
    assert "; Step #7 wrote to model.2.weight in place" in fact.detail
    assert "Forward again" in fact.remedy


def test_a_step_after_backward_is_as_it_should_be(dbg, found):
    dbg.iterate(1)
    dbg.zero_grad()
    dbg.forward()
    dbg.backward(retain_graph=True)
    dbg.backward()
    dbg.step()
    assert found(dbg) == {}


def test_a_state_that_is_loaded_over_saved_values(dbg, found):
    dbg.forward()
    dbg.apply(LoadState(0))
    dbg.backward()
    assert found(dbg) == {"inplace-after-save": (1, 2, 3)}


def test_a_rebuilt_module_changes_no_saved_value(dbg, found):
    dbg.forward()
    dbg.apply(RebuildModule("model"))
    assert dbg.backward().outcome.ok
    assert found(dbg) == {}


def test_a_step_of_replaced_tensors_that_the_graph_has_saved(dbg, found):
    dbg.zero_grad()
    dbg.forward()
    dbg.backward(retain_graph=True)
    dbg.apply(RebuildModule("model"))
    dbg.step()
    dbg.backward()
    assert found(dbg)["inplace-after-save"] == (2, 5, 6)


def test_two_losses_share_a_trunk_and_the_first_steps_too_early(make, found):
    layer = {"kind": "Linear", "in_features": 2, "out_features": 2}
    loss = {"data": "a", "criterion": {"kind": "BCEWithLogitsLoss"}}
    head = [{"kind": "Linear", "in_features": 2, "out_features": 1}]
    parts = {
        "modules": {"trunk": [layer, layer], "p": head, "q": head},
        "losses": {
            "one": {**loss, "chain": ["trunk", "p"]},
            "two": {**loss, "chain": ["trunk", "q"]},
        },
        "optimizers": {"optimizer": {"kind": "SGD", "params": ["*"], "lr": 0.1}},
    }
    wrong = make(**parts)
    wrong.forward("one")
    wrong.forward("two")
    wrong.backward("one")
    wrong.step()
    wrong.backward("two")
    assert found(wrong) == {"inplace-after-save": (2, 4, 5)}
    right = make(**parts)
    right.forward("one")
    right.forward("two")
    right.backward("one")
    right.backward("two")
    right.step()
    assert found(right) == {}


@pytest.mark.parametrize(
    ("kept", "expected"), [(True, {"graph-retained": (2, 3, 6, 7, 10)}), (False, {})]
)
def test_a_graph_that_is_kept_in_every_iteration(make, found, kept, expected):
    dbg = make(
        loop=[
            {"op": "zero_grad"},
            {"op": "forward"},
            {"op": "backward", "retain_graph": kept},
            {"op": "step"},
        ]
    )
    dbg.iterate(2)
    dbg.zero_grad()
    dbg.forward()
    assert found(dbg) == expected


def test_a_graph_that_is_kept_over_iterations(make, found):
    loss = {"data": "a", "chain": ["model"], "criterion": {"kind": "BCEWithLogitsLoss"}}
    lines = [{"op": name} for name in ("zero_grad", "forward", "backward", "step")]
    dbg = make(losses={"loss": loss, "now_and_then": loss}, loop=lines)
    dbg.forward("now_and_then")
    dbg.backward("now_and_then", retain_graph=True)
    dbg.iterate(1)
    assert "graph-retained" not in found(dbg)
    dbg.iterate(1)
    assert found(dbg)["graph-retained"] == (1, 2, len(dbg.events))


def test_a_kept_graph_that_is_used_again_was_kept_for_something(dbg, found):
    dbg.zero_grad()
    dbg.forward()
    dbg.apply(Backward(retain_graph=True))
    dbg.apply(Backward())
    dbg.step()
    dbg.iterate(3)
    assert found(dbg) == {}


WEIGHT = "model.2.weight"


def test_a_write_to_data_after_it_was_saved(dbg, found):
    dbg.zero_grad()
    dbg.forward()
    dbg.apply(SetValue(WEIGHT, 5.0, through_data=True))
    assert found(dbg) == {}
    assert dbg.backward().outcome.ok
    assert found(dbg) == {"data-bypass": (2, 3, 4)}
    assert dbg.findings[0].subjects == (WEIGHT,)


def test_a_write_under_no_grad_after_it_was_saved_is_rejected(dbg, found):
    dbg.forward()
    dbg.apply(SetValue(WEIGHT, 5.0))
    assert not dbg.backward().outcome.ok
    assert found(dbg) == {"inplace-after-save": (1, 2, 3)}


@pytest.mark.parametrize("tensor", ["model.2.bias", "model.0.weight"])
def test_a_write_to_what_no_graph_has_saved_does_no_harm(dbg, found, tensor):
    dbg.forward()
    dbg.apply(SetValue(tensor, 5.0, through_data=True))
    assert dbg.backward().outcome.ok
    assert found(dbg) == {}


def test_a_write_to_data_before_forward_or_after_backward_does_no_harm(dbg, found):
    dbg.apply(SetValue(WEIGHT, 5.0, through_data=True))
    dbg.forward()
    dbg.backward()
    dbg.apply(SetValue(WEIGHT, 1.0, through_data=True))
    dbg.step()
    dbg.iterate(2)
    assert "data-bypass" not in found(dbg)


def test_a_write_by_hand_is_not_reported_as_a_move_of_the_optimizer(make, found):
    dbg = make(loop=[{"op": "zero_grad", "set_to_none": False}, {"op": "step"}])
    dbg.iterate(1)
    dbg.forward()
    dbg.backward()
    dbg.zero_grad(set_to_none=False)
    dbg.apply(SetValue(WEIGHT, 1.0))
    dbg.step()
    assert "moved-without-gradient" not in found(dbg)


def test_a_write_that_backward_does_not_mind_is_not_blamed(dbg, found):
    dbg.forward()
    dbg.apply(SetValue("model.2.bias", 5.0))
    dbg.apply(SetValue(WEIGHT, 5.0))
    dbg.backward()
    assert found(dbg) == {"inplace-after-save": (1, 3, 4)}
    assert dbg.findings[0].subjects == (WEIGHT,)


def test_a_write_to_data_that_changes_nothing_or_is_taken_back_does_no_harm(dbg, found):
    value = dbg.snapshot.parameters[WEIGHT].data.tolist()
    dbg.forward()
    dbg.apply(SetValue(WEIGHT, value, through_data=True))
    dbg.apply(SetValue(WEIGHT, 5.0, through_data=True))
    dbg.apply(SetValue(WEIGHT, value, through_data=True))
    dbg.backward()
    assert found(dbg) == {}

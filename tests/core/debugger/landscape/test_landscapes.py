"""Landscapes: right values, an untouched program, slices, and what a session keeps."""

from pathlib import Path

import numpy as np
import pytest

from gradstep.debugger import Debugger
from gradstep.debugger.landscape import MOST_STORED
from gradstep.errors import OperationError, UnsupportedError
from gradstep.history.records.landscape import LandscapeRequest
from gradstep.program.document.codec import decode
from gradstep.program.gallery import scenarios
from gradstep.program.operation import SetMode, SetValue, Step
from gradstep.random import default_generator
from tests.core.debugger.conftest import NETWORK, changed, frozen, open_program

RECORDING = Path(__file__).parents[4] / "resources" / "scripts" / "sine.gradstep"
QUADRATIC = {
    "gradstep": 1,
    "dtype": "float64",
    "tensors": {"x": {"value": [3, 1], "requires_grad": True}},
    "losses": {"loss": {"expression": "x[0] ** 2 + 10 * x[1] ** 2 + x[0] * x[1]"}},
    "optimizers": {"sgd": {"kind": "SGD", "params": ["x"], "lr": 0.04}},
}
NORMALIZED = changed(
    NETWORK,
    modules={
        "model": [
            {"kind": "Linear", "in_features": 2, "out_features": 4},
            {"kind": "BatchNorm1d", "num_features": 4},
            {"kind": "Dropout", "p": 0.25},
            {"kind": "Linear", "in_features": 4, "out_features": 1},
        ]
    },
)


def value(x, y):
    return x**2 + 10 * y**2 + x * y


@pytest.fixture
def quadratic():
    return open_program(QUADRATIC)


def scenario(name):
    return Debugger.open(next(item.path for item in scenarios() if name in item.path.name))


def test_the_landscape_of_a_quadratic_has_its_values(quadratic):
    found = quadratic.landscapes.compute(size=21)
    expected = value(found.x[None, :], found.y[:, None])
    np.testing.assert_allclose(found.values, expected, rtol=1e-12, atol=1e-12)
    assert (found.axes, found.loss, found.is_whole, found.is_complete) == (
        ("x[0]", "x[1]"),
        "loss",
        True,
        True,
    )
    assert (found.x[0] < -3, found.x[-1] > 3, found.y[0] < -1, found.y[-1] > 1) == (True,) * 4


def test_the_axes_and_their_bounds_can_be_chosen(quadratic):
    found = quadratic.landscapes.compute(elements=("x[1]",), size=5, bounds=(-2, 2))
    assert (found.axes, found.x.tolist(), len(found.y)) == (("x[1]",), [-2, -1, 0, 1, 2], 0)
    assert found.values.tolist() == [43, 16, 9, 22, 55]
    assert found.notes == ("The other parameter is as after event 0.",)
    turned = quadratic.landscapes.compute(elements=("x[1]", "x[0]"), size=5, bounds=(0, 1, 0, 2))
    assert turned.values[4, 0] == value(2, 0)
    assert turned.values[0, 4] == value(0, 1)


def test_nothing_else_of_the_debugger_changes():
    plain, watched = open_program(NORMALIZED), open_program(NORMALIZED)
    drawn = None
    for debugger in (plain, watched):
        for round_ in range(4):
            debugger.iterate(2)
            if debugger is watched:
                drawn = default_generator.get_state()
                state, place = frozen(debugger.program.capture()), debugger.position
                for kind in ("elements", "random", "principal"):
                    debugger.landscapes.compute(kind=kind, size=5)
                    debugger.landscapes.moment()
                    debugger.landscapes.arrows()
                    debugger.landscapes.plan(LandscapeRequest(kind=kind))
                assert frozen(debugger.program.capture()) == state
                assert debugger.position == place
                assert default_generator.get_state().tobytes() == drawn.tobytes()
            if round_ == 2:
                debugger.seek(11)
    assert list(watched.events) == list(plain.events)
    assert frozen(watched.program.capture()) == frozen(plain.program.capture())
    assert [branch.name for branch in watched.branches] == [b.name for b in plain.branches]


def test_the_present_loss_is_a_value_of_the_landscape_with_its_masks_and_statistics():
    debugger = open_program(NORMALIZED)
    debugger.iterate(3)
    debugger.forward()
    name = "model.0.weight"
    at = float(debugger.program.tensors[name].detach().numpy()[0, 0])
    found = debugger.landscapes.compute(elements=(f"{name}[0,0]",), size=3, bounds=(at - 1, at + 1))
    assert found.values[1] == pytest.approx(debugger.snapshot.loss, rel=1e-6)
    assert found.notes[1:] == (
        "Every point is computed on batch 1 of 3 of epoch 2: 8 rows.",
        "Dropout drops the same elements at every point.",
        "BatchNorm1d normalizes by statistics, those of these rows.",
    )
    debugger.apply(SetMode(False))
    evaluated = debugger.landscapes.compute(
        elements=(f"{name}[0,0]",), size=3, bounds=(at - 1, at + 1), rows="all"
    )
    assert evaluated.notes[1:] == (
        "Every point is computed on all 24 rows.",
        "Dropout drops nothing: it is in evaluation mode.",
        "BatchNorm1d normalizes by statistics, its running ones.",
    )
    assert evaluated.values[1] != found.values[1]


def test_it_is_computed_in_slices_the_coarse_picture_first(quadratic):
    landscapes = quadratic.landscapes
    landscapes.begin(LandscapeRequest(size=21))
    sizes, ready = [], False
    while not ready:
        ready = landscapes.advance(0.0)
        found = landscapes.current
        sizes.append(len(found.x))
        if not sizes[-1]:
            continue
        expected = value(found.x[None, :], found.y[:, None])
        np.testing.assert_allclose(found.values, expected, rtol=1e-12, atol=1e-12)
    assert sorted(set(sizes)) == [0, 6, 11, 21]
    assert sizes == sorted(sizes)
    assert landscapes.advance(1.0)


def test_the_program_goes_on_between_two_slices(quadratic):
    landscapes = quadratic.landscapes
    landscapes.begin(LandscapeRequest(size=9, bounds=(-1, 1, -1, 1)))
    while not landscapes.advance(0.0):
        quadratic.iterate(1)
        quadratic.seek(1)
        landscapes.arrows()
    found = landscapes.current
    np.testing.assert_allclose(found.values, value(found.x[None, :], found.y[:, None]), atol=1e-12)


def test_a_stopped_computation_goes_on(quadratic):
    landscapes = quadratic.landscapes
    found = landscapes.compute(size=41, should_stop=lambda: True)
    assert not found.is_complete
    assert landscapes.stored == ()
    assert landscapes.advance(60.0)
    assert landscapes.current.is_complete


def test_a_landscape_is_not_computed_twice(quadratic, monkeypatch):
    first = quadratic.landscapes.compute()
    quadratic.iterate(3)
    monkeypatch.setattr(
        "gradstep.debugger.landscape.computation.Computation._evaluate",
        lambda *_: pytest.fail("it was computed again"),
    )
    again = quadratic.landscapes.compute()
    np.testing.assert_allclose(again.values, first.values, rtol=1e-6)
    assert (again.event, again.x.tolist()) == (0, first.x.tolist())


def test_a_session_keeps_the_latest_landscapes(quadratic, tmp_path):
    for size in range(5, 12):
        quadratic.landscapes.compute(size=size)
    quadratic.save(tmp_path / "a.gradstep")
    kept = Debugger.open(tmp_path / "a.gradstep").landscapes
    assert [item.request.size for item in kept.stored] == [8, 9, 10, 11]
    assert kept.stored == quadratic.landscapes.stored
    assert len(kept.stored) == MOST_STORED
    kept.begin(LandscapeRequest(size=11))
    assert kept.advance(60.0)
    expected = quadratic.landscapes.current.values
    np.testing.assert_allclose(kept.current.values, expected, rtol=1e-6)


def test_the_paths_of_all_branches_are_those_of_their_curves(quadratic):
    quadratic.iterate(6)
    quadratic.what_if(at=13, set={"sgd.lr": 0.01}, name="slow")
    quadratic.landscapes.compute(size=5)
    main, slow = quadratic.landscapes.moment().paths
    assert (main.name, slow.name) == ("main", "slow")
    assert main.iterations.tolist() == [0, 1, 2, 3, 4, 5, 6]
    assert main.x.tolist() == quadratic.history.series.column("element/x[0]")[1].tolist()
    assert slow.iterations.tolist() == [3, 4, 5, 6]
    assert (slow.x[0], slow.y[0]) == (main.x[3], main.y[3])
    quadratic.seek(8)
    moment = quadratic.landscapes.moment()
    assert moment.point == (main.x[2], main.y[2])
    assert (moment.event, moment.iteration) == (8, 2)


def test_paths_in_a_plane_of_directions_are_projections_of_replayed_states(quadratic):
    quadratic.iterate(4)
    found = quadratic.landscapes.compute(kind="principal", size=5)
    (path,) = found.paths
    states = np.array([quadratic.history.series.column(f"element/x[{at}]")[1] for at in (0, 1)]).T
    distances = np.linalg.norm(states - states[-1], axis=1)
    np.testing.assert_allclose(np.hypot(path.x, path.y), distances, atol=1e-12)
    assert found.axes[0].startswith("principal direction 1 (")
    assert quadratic.landscapes.moment().point == pytest.approx((0, 0))


def test_a_what_if_begins_at_a_point(quadratic):
    quadratic.iterate(3)
    quadratic.landscapes.compute(size=5)
    edits = quadratic.landscapes.edits((-1.0, 2.0))
    branch = quadratic.what_if(**edits.arguments())
    assert branch.name == "began at x[0] = -1, x[1] = 2"
    assert [event.operation for event in branch.history.events[:2]] == [
        SetValue("x", -1.0, (0,), out_of_loop=True),
        SetValue("x", 2.0, (1,), out_of_loop=True),
    ]
    began = quadratic.landscapes.moment().paths[1]
    assert (began.x[0], began.y[0], np.isnan(began.x[1])) == (3, 1, True)
    assert (began.x[2], began.y[2], len(began.x)) == (-1, 2, 6)
    assert began.x[3] == pytest.approx(-1 - 0.04 * (2 * -1 + 2))
    quadratic.seek(8)
    moved = quadratic.landscapes.edits((0.0, 0.0), now=True)
    assert ([at for at, _ in moved.insert], moved.name) == ([9, 9], "moved to x[0] = 0, x[1] = 0")


def test_two_numbers_are_the_default_axes_and_one_is_enough():
    line = scenario("02_linear")
    found = line.landscapes.compute()
    assert (found.axes, found.is_whole, found.values.ndim) == (("model.0.weight",), True, 1)
    best = float(found.x[found.values.argmin()])
    assert best == pytest.approx(2, abs=0.05)


def test_every_program_that_ships_has_landscapes_or_says_why_not():
    for item in scenarios():
        debugger = Debugger.open(item.path)
        debugger.iterate(3)
        debugger.landscapes.compute(size=2)
        moved = any(isinstance(event.operation, Step) and event.writes for event in debugger.events)
        for kind in ("random", "principal") if moved else ("random",):
            if item.id == "28_first_nan":
                with pytest.raises(OperationError, match="x is NaN or infinite"):
                    debugger.landscapes.compute(kind=kind, size=2)
                continue
            found = debugger.landscapes.compute(kind=kind, size=2)
            assert np.isfinite(found.values).any(), (item.path.name, kind)


def test_a_plan_says_what_it_would_take(quadratic):
    plan = quadratic.landscapes.plan(LandscapeRequest())
    assert (plan.axes, plan.obstacle) == (("x[0]", "x[1]"), "")
    assert 17 <= plan.size <= 121
    assert plan.seconds > 0
    assert quadratic.landscapes.plan(LandscapeRequest(kind="random", size=9)).size == 9


@pytest.mark.parametrize(
    ("wanted", "why"),
    [
        ({"loss": "other"}, "no loss"),
        ({"elements": ("x[2]",)}, "no element"),
        ({"elements": ("x[0]", "x[0]")}, "same element"),
        ({"kind": "principal"}, "have not moved"),
    ],
)
def test_what_cannot_be_computed_is_rejected(quadratic, wanted, why):
    with pytest.raises(OperationError, match=why):
        quadratic.landscapes.compute(**wanted)


def test_before_there_is_a_landscape_nothing_is_known_of_it(quadratic):
    landscapes = quadratic.landscapes
    assert (landscapes.moment(), landscapes.arrows()) == (None, None)
    with pytest.raises(OperationError, match="no landscape"):
        landscapes.edits((0.0, 0.0))
    with pytest.raises(OperationError, match="no landscape"):
        _ = landscapes.current


def test_a_script_has_none():
    recorded = Debugger.open(RECORDING)
    with pytest.raises(UnsupportedError, match="own code computes its loss"):
        recorded.landscapes.compute()
    with pytest.raises(UnsupportedError, match="own code computes its loss"):
        recorded.landscapes.plan(LandscapeRequest())


def test_values_that_are_not_numbers_are_shown_as_such():
    debugger = open_program(
        changed(QUADRATIC, losses={"loss": {"expression": "log(x[0]) + x[1] ** 2"}})
    )
    found = debugger.landscapes.compute(size=3, bounds=(-1, 1, 0, 1))
    assert np.isnan(found.values[0, 0])
    assert found.values[0].tolist()[1:] == [-np.inf, 0.0]
    assert frozen(debugger.program.capture()) == frozen(
        open_program(
            changed(QUADRATIC, losses={"loss": {"expression": "log(x[0]) + x[1] ** 2"}})
        ).program.capture()
    )


def test_a_run_that_diverges_does_not_decide_what_is_seen():
    debugger = open_program(
        changed(QUADRATIC, optimizers={"sgd": {"kind": "SGD", "params": ["x"], "lr": 0.5}})
    )
    debugger.iterate(40)
    debugger.seek(0)
    found = debugger.landscapes.compute(size=5)
    assert np.abs(found.x).max() < 1e5


# -- arrows ----------------------------------------------------------------------------------


def test_the_arrows_are_the_gradient_and_the_step_at_the_place_of_the_backward(quadratic):
    quadratic.iterate(1)
    quadratic.landscapes.compute(size=5)
    arrows = quadratic.landscapes.arrows()
    gradient = np.array([2 * 3 + 1, 20 * 1 + 3])
    assert arrows.gradient.start == arrows.step.start == (3, 1)
    assert arrows.gradient.change == pytest.approx(tuple(-gradient))
    assert arrows.step.change == pytest.approx(tuple(-0.04 * gradient))
    assert arrows.gradient.norm == pytest.approx(np.linalg.norm(gradient))
    assert arrows.step.norm == pytest.approx(0.04 * np.linalg.norm(gradient))


def test_a_new_gradient_begins_at_the_present_point_beside_the_last_step(quadratic):
    quadratic.landscapes.compute(size=5)
    assert quadratic.landscapes.arrows().gradient is None
    quadratic.iterate(1)
    quadratic.zero_grad()
    kept = quadratic.landscapes.arrows()
    assert kept.gradient.start == (3, 1)
    quadratic.forward()
    quadratic.backward()
    arrows = quadratic.landscapes.arrows()
    here = quadratic.landscapes.moment().point
    assert arrows.gradient.start == here
    assert arrows.step.start == (3, 1)
    quadratic.apply(SetValue("x", 0.0))
    assert quadratic.landscapes.arrows().step is None
    assert isinstance(quadratic.apply(Step("sgd")).operation, Step)
    assert quadratic.landscapes.arrows().step.start == (0, 0)


def test_a_landscape_is_stale_where_what_it_holds_has_changed():
    debugger = open_program(NETWORK)
    debugger.iterate(2)
    debugger.landscapes.compute(size=3)
    assert not debugger.landscapes.arrows().is_stale
    debugger.iterate(1)
    assert debugger.landscapes.arrows().is_stale
    debugger.seek(8)
    assert not debugger.landscapes.arrows().is_stale


def test_a_request_is_decoded_strictly():
    document = decode(b'{"gradstep": 1}')
    debugger = Debugger(document)
    with pytest.raises(OperationError, match="no loss"):
        debugger.landscapes.compute()

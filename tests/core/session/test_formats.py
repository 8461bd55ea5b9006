"""Sessions that earlier versions of GradStep have written still open, with all they hold.

Each file in tests/data/sessions was saved by the version that its test names. Only stored
values are compared: a replay gives the same bits only on a machine like the one that recorded.
"""

import gzip
from pathlib import Path

import numpy as np
import pytest

from gradstep.program.operation import Backward, Forward, Step, ZeroGrad
from gradstep.session.archive import restored
from gradstep.session.opening import format_version
from gradstep.session.store import read

SESSIONS = Path(__file__).parents[2] / "data" / "sessions"


@pytest.fixture
def unpacked(tmp_path):
    def unpack(name):
        path = tmp_path / name
        path.write_bytes(gzip.decompress((SESSIONS / f"{name}.gz").read_bytes()))
        return path

    return unpack


def test_a_session_of_format_1_has_all_that_version_0_1_0_saved(unpacked):
    path = unpacked("format_1.gradstep")
    assert format_version(path) == 1
    session = read(path)

    assert session.spec.name == "of format 1"
    assert session.files == {"points.csv": b"u,v,y\n1,0,1\n0,1,2\n1,1,3\n2,1,4\n"}
    main, fork = session.branches
    assert (main.id, main.parent, len(main.events)) == (0, None, 35)
    assert (fork.id, fork.parent, fork.forked_at, len(fork.events)) == (1, 0, 10, 11)
    assert (session.branch, session.position) == (1, 20)
    assert session.watches == ("norm(grad('x'))", "loss")
    (found,) = session.findings
    assert (found.branch, found.up_to, found.records) == (1, 0, ())
    assert [finding.id for finding in found.known] == ["grad-accumulated", "grad-reused"]
    assert '"loss < 0.001"' in session.breakpoints[0]
    assert [event.operation for event in main.events[:4]] == [
        ZeroGrad("adam"),
        Forward("loss"),
        Backward("loss"),
        Step("adam"),
    ]
    assert main.events[1].rows is not None
    assert len(main.events[1].rows) == 2
    assert "element/model.0.weight.grad[0,1]" in main.series.names
    assert len(main.series.moments) == 6


def test_a_program_of_format_1_is_restored_at_its_saved_event(unpacked):
    program, histories = restored(read(unpacked("format_1.gradstep")))
    x, weight = program.tensors["x"], program.tensors["model.0.weight"]
    np.testing.assert_array_equal(
        x.detach().numpy(), np.float32([0.60999995470047, 1.6099998950958252])
    )
    np.testing.assert_array_equal(x.grad.numpy(), np.float32([300.0, 300.0]))
    np.testing.assert_array_equal(
        weight.detach().numpy(), np.float32([[-0.6750097274780273, -0.5306834578514099]])
    )
    adam, sgd = program.optimizers["adam"].state[weight], program.optimizers["sgd"].state[x]
    assert float(adam["step"]) == 3
    np.testing.assert_array_equal(
        adam["exp_avg"].numpy(), np.float32([[-2.99741792678833, -1.7514793872832825]])
    )
    np.testing.assert_array_equal(sgd["momentum_buffer"].numpy(), np.float32([290.0, 290.0]))
    assert [len(history) for history in histories.values()] == [35, 21]


def test_a_sum_of_losses_of_format_1_keeps_the_loop_that_computed_its_parts_too(unpacked):
    program, histories = restored(read(unpacked("format_1_parts.gradstep")))
    assert program.loop_operations() == (Step("optimizer"),)
    x = program.tensors["x"]
    np.testing.assert_array_equal(
        x.grad.numpy(), np.float32([-6.761999607086182, -18.482799530029297])
    )
    program.run(Step("optimizer"))
    np.testing.assert_array_equal(
        x.detach().numpy(), np.float32([1.3068701028823853, -1.161221981048584])
    )
    assert program.iteration == 3
    assert [operation.loss for operation in program.loop_operations()[1:5]] == [
        *("fit", "loss"),
        *("fit", "loss"),
    ]
    assert len(histories[0]) == 17


def test_a_session_of_format_2_has_all_that_version_0_2_0_saved(unpacked):
    path = unpacked("format_2.gradstep")
    assert format_version(path) == 2
    session = read(path)

    assert (session.spec.name, session.altered) == ("of format 2", ())
    main, other = session.branches
    assert (main.name, len(main.events), set(main.checkpoints)) == ("main", 12, {0})
    assert (other.parent, other.forked_at, len(other.events)) == (0, 4, 8)
    assert (session.branch, session.position) == (1, 12)
    assert session.watches == ("norm(grad('x'))",)
    assert session.breakpoints == ('{"expression":"loss < 0.001"}',)
    x = restored(session)[0].tensors["x"]
    np.testing.assert_array_equal(
        x.detach().numpy(), np.float32([0.4389999508857727, 1.438999891281128])
    )

"""Explain on scripts: GradStep's own formulas, beside what torch wrote."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from gradstep.debugger import Debugger
from gradstep.errors import UnsupportedError
from gradstep.program.operation import Step
from gradstep.script.frame_reader import FrameReader
from gradstep.script.mirror import Mirror
from gradstep.script.tape import ScriptRun, Tape
from gradstep.script.tape_writer import TapeWriter

pytestmark = [pytest.mark.torch, pytest.mark.slow]

FOLDER = Path(__file__).parent
SCRIPT = FOLDER / "scripts" / "explained" / "optimizers.py"
KINDS = (
    *("sgd", "momentum", "adam", "amsgrad", "adamw", "adamax", "nadam", "radam", "adagrad"),
    *("adadelta", "adafactor", "rmsprop", "centered", "asgd", "rprop", "muon"),
)
STEPS = 20


@pytest.fixture(scope="module")
def debugger(tmp_path_factory):
    """Record the script, and return a debugger at its end."""
    folder = tmp_path_factory.mktemp("frames")
    command = [sys.executable, str(FOLDER / "record_scripts.py"), "full", str(folder), str(SCRIPT)]
    subprocess.run(command, check=True)
    tape = Tape(ScriptRun(SCRIPT.name))
    writer = TapeWriter(tape)
    for frame, body in FrameReader().feed((folder / f"{SCRIPT.stem}.frames").read_bytes()):
        writer.take(frame, body)
    writer.finish()
    found = Debugger(Mirror(tape))
    found.follow()
    return found


def steps_of(debugger, optimizer):
    found = [
        event.index
        for event in debugger.events
        if isinstance(event.operation, Step) and event.operation.optimizer == optimizer
    ]
    assert len(found) == STEPS
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_the_parts_of_a_move_add_up_and_differ_little_from_what_torch_wrote(debugger, kind):
    limit = 1e-2 if kind == "muon" else 1e-4  # Muon's matrices are bfloat16 in torch
    for event in steps_of(debugger, f"opt_{kind}"):
        debugger.seek(event)
        held = [
            item.address
            for item in debugger.program.optimizer_tensors
            if item.optimizer == f"opt_{kind}"
        ]
        assert held
        for name in held:
            why = debugger.explain(name)
            terms = {term.name: term.value for term in why.terms}
            assert "not explained" not in terms
            np.testing.assert_allclose(sum(terms.values()), why.total, rtol=0, atol=1e-12)
            # What float32 cannot hold of the new value is no difference of the formulas.
            spacing = np.spacing(np.abs(debugger.snapshot.parameters[name].data).max())
            allowed = limit * np.linalg.norm(why.total) + spacing * np.sqrt(why.total.size)
            assert np.linalg.norm(terms.get("rounding", 0.0)) <= allowed


def test_the_update_of_a_class_of_the_script_is_not_explained(debugger):
    debugger.seek(steps_of(debugger, "opt_own")[-1])
    with pytest.raises(UnsupportedError, match="Own is a class of the script"):
        debugger.explain("model_own.0.weight")

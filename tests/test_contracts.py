"""Each contract between the layers holds on the sources, and breaks when it is violated."""

from __future__ import annotations

import ast
from copy import deepcopy
from pathlib import Path

import grimp
import pytest
from importlinter.application.app_config import settings
from importlinter.application.use_cases import create_report, read_user_options
from importlinter.configuration import configure
from importlinter.contracts.forbidden import ForbiddenContract
from importlinter.contracts.independence import IndependenceContract
from importlinter.contracts.layers import LayersContract
from importlinter.domain.contract import registry

ROOT = Path(__file__).parents[1]

VIOLATIONS = {
    "lesson-layers, upwards": (
        "lesson-layers",
        "core/gradstep/lessons/schema.py",
        "import gradstep.lessons.lesson_run",
    ),
    "lesson-layers, unlisted": ("lesson-layers", "core/gradstep/lessons/stray.py", ""),
    "core-layers, upwards": (
        "core-layers",
        "core/gradstep/autograd/stray.py",
        "import gradstep.nn",
    ),
    "core-layers, sideways": ("core-layers", "core/gradstep/nn/stray.py", "import gradstep.optim"),
    "core-layers, unlisted": ("core-layers", "core/gradstep/stray.py", ""),
    "stand-in-layers, upwards": (
        "stand-in-layers",
        "core/gradstep_torch/nn/stray.py",
        "import gradstep_torch.utils",
    ),
    "stand-in-layers, unlisted": ("stand-in-layers", "core/gradstep_torch/stray.py", ""),
    "stand-in-apart, core": (
        "stand-in-apart",
        "core/gradstep/nn/stray.py",
        "import gradstep_torch.linalg",
    ),
    "stand-in-apart, window": (
        "stand-in-apart",
        "gradstep_gui/widgets/stray.py",
        "import gradstep_torch",
    ),
    "agent-layers, upwards": (
        "agent-layers",
        "core/gradstep_agent/registry.py",
        "import gradstep_agent.agent",
    ),
    "agent-layers, unlisted": ("agent-layers", "core/gradstep_agent/stray.py", ""),
    "agent-apart, core": ("agent-apart", "core/gradstep_agent/wire.py", "import gradstep.errors"),
    "agent-apart, NumPy": ("agent-apart", "core/gradstep_agent/wire.py", "import numpy"),
    "agent-not-imported": (
        "agent-not-imported",
        "gradstep_gui/widgets/stray.py",
        "import gradstep_agent.wire",
    ),
    "autograd-layers": (
        "autograd-layers",
        "core/gradstep/autograd/traversal.py",
        "import gradstep.autograd.ops",
    ),
    "autograd-layers, unlisted": ("autograd-layers", "core/gradstep/autograd/stray.py", ""),
    "history-layers, upwards": (
        "history-layers",
        "core/gradstep/history/records/stray.py",
        "from gradstep.history.log.event_log import EventLog",
    ),
    "history-layers, sideways": (
        "history-layers",
        "core/gradstep/history/curves/stray.py",
        "from gradstep.history.log.vocabulary import Vocabulary",
    ),
    "history-layers, unlisted": ("history-layers", "core/gradstep/history/stray.py", ""),
    "core-layers, history and script": (
        "core-layers",
        "core/gradstep/script/stray.py",
        "import gradstep.history",
    ),
    "script-layers, upwards": (
        "script-layers",
        "core/gradstep/script/frames.py",
        "from gradstep.script.tape import Tape",
    ),
    "script-layers, sideways": (
        "script-layers",
        "core/gradstep/script/process.py",
        "from gradstep.script.mirror import Mirror",
    ),
    "script-layers, unlisted": ("script-layers", "core/gradstep/script/stray.py", ""),
    "session-layers, upwards": (
        "session-layers",
        "core/gradstep/session/schema.py",
        "from gradstep.session.store import read",
    ),
    "session-layers, sideways": (
        "session-layers",
        "core/gradstep/session/reading.py",
        "from gradstep.session.writing import SessionWriter",
    ),
    "session-layers, unlisted": ("session-layers", "core/gradstep/session/stray.py", ""),
    "optim-layers, upwards": (
        "optim-layers",
        "core/gradstep/optim/batching.py",
        "from gradstep.optim.optimizer import Optimizer",
    ),
    "optim-layers, sideways": (
        "optim-layers",
        "core/gradstep/optim/sgd.py",
        "from gradstep.optim.adam import Adam",
    ),
    "optim-layers, unlisted": ("optim-layers", "core/gradstep/optim/stray.py", ""),
    "program-layers, schema": (
        "program-layers",
        "core/gradstep/program/schema/stray.py",
        "import gradstep.program.builder",
    ),
    "program-layers, document": (
        "program-layers",
        "core/gradstep/program/document/stray.py",
        "import gradstep.program.datasets",
    ),
    "program-layers, runtime": (
        "program-layers",
        "core/gradstep/program/runtime/stray.py",
        "import gradstep.program.builder",
    ),
    "program-layers, builder": (
        "program-layers",
        "core/gradstep/program/builder/stray.py",
        "import gradstep.program.operations",
    ),
    "program-layers, state": (
        "program-layers",
        "core/gradstep/program/state/stray.py",
        "import gradstep.program.operations",
    ),
    "program-layers, operations": (
        "program-layers",
        "core/gradstep/program/operations/stray.py",
        "import gradstep.program.walk",
    ),
    "program-layers, walk": (
        "program-layers",
        "core/gradstep/program/walk/stray.py",
        "import gradstep.program.torch_export",
    ),
    "program-layers, sideways": (
        "program-layers",
        "core/gradstep/program/expressions/stray.py",
        "import gradstep.program.datasets",
    ),
    "program-layers, unlisted": ("program-layers", "core/gradstep/program/stray.py", ""),
    "diagnostics-layers, tables": (
        "diagnostics-layers",
        "core/gradstep/diagnostics/tables/stray.py",
        "import gradstep.diagnostics.observation",
    ),
    "diagnostics-layers, facts": (
        "diagnostics-layers",
        "core/gradstep/diagnostics/facts/stray.py",
        "import gradstep.diagnostics.log_analyzer",
    ),
    "diagnostics-layers, sideways": (
        "diagnostics-layers",
        "core/gradstep/diagnostics/suspicions/stray.py",
        "import gradstep.diagnostics.facts",
    ),
    "diagnostics-layers, unlisted": (
        "diagnostics-layers",
        "core/gradstep/diagnostics/stray.py",
        "",
    ),
    "script-edits-layers, upwards": (
        "script-edits-layers",
        "core/gradstep/diagnostics/script_edits/syntax.py",
        "import gradstep.diagnostics.script_edits.proposed_edit",
    ),
    "script-edits-layers, sideways": (
        "script-edits-layers",
        "core/gradstep/diagnostics/script_edits/clipping.py",
        "import gradstep.diagnostics.script_edits.stepping",
    ),
    "script-edits-layers, unlisted": (
        "script-edits-layers",
        "core/gradstep/diagnostics/script_edits/stray.py",
        "",
    ),
    "facts-apart": (
        "facts-apart",
        "core/gradstep/diagnostics/facts/stray.py",
        "import gradstep.diagnostics.facts.values",
    ),
    "window-layers, upwards": (
        "window-layers",
        "gradstep_gui/widgets/stray.py",
        "import gradstep_gui.views",
    ),
    "window-layers, view and controller": (
        "window-layers",
        "gradstep_gui/views/stray.py",
        "import gradstep_gui.controller",
    ),
    "window-layers, view and documents": (
        "window-layers",
        "gradstep_gui/views/stray.py",
        "import gradstep_gui.documents",
    ),
    "window-layers, view and worker": (
        "window-layers",
        "gradstep_gui/views/stray.py",
        "import gradstep_gui.worker.debugger_host",
    ),
    "window-layers, worker and controller": (
        "window-layers",
        "gradstep_gui/worker/stray.py",
        "import gradstep_gui.controller",
    ),
    "window-layers, unlisted": ("window-layers", "gradstep_gui/stray.py", ""),
    "worker-layers, upwards": (
        "worker-layers",
        "gradstep_gui/worker/updates.py",
        "import gradstep_gui.worker.debugger_host",
    ),
    "worker-layers, unlisted": ("worker-layers", "gradstep_gui/worker/stray.py", ""),
    "control-layers, sideways": (
        "control-layers",
        "gradstep_gui/control/branches.py",
        "import gradstep_gui.control.drafts",
    ),
    "dialog-layers, sideways": (
        "dialog-layers",
        "gradstep_gui/dialog_controllers/export.py",
        "import gradstep_gui.dialog_controllers.what_if",
    ),
    "debugger-behind-worker, action": (
        "debugger-behind-worker",
        "gradstep_gui/actions/stray.py",
        "import gradstep.debugger",
    ),
    "debugger-behind-worker, controller": (
        "debugger-behind-worker",
        "gradstep_gui/controller.py",
        "from gradstep.debugger.debugger import Debugger",
    ),
    "worker-behind-controller, dialog": (
        "worker-behind-controller",
        "gradstep_gui/dialog_controllers/stray.py",
        "import gradstep_gui.worker.updates",
    ),
    "worker-behind-controller, action": (
        "worker-behind-controller",
        "gradstep_gui/actions/stray.py",
        "import gradstep_gui.control.command_queue",
    ),
    "controller-headless": (
        "controller-headless",
        "gradstep_gui/controller.py",
        "import gradstep_gui.widgets.fonts",
    ),
    "debugger-layers, upwards": (
        "debugger-layers",
        "core/gradstep/debugger/conditions/language.py",
        "from gradstep.debugger.breakpoints.breakpoint import Breakpoint",
    ),
    "debugger-layers, sideways": (
        "debugger-layers",
        "core/gradstep/debugger/explain/change.py",
        "from gradstep.debugger.what_if.plan import ReplayPlan",
    ),
    "debugger-layers, the Debugger itself": (
        "debugger-layers",
        "core/gradstep/debugger/what_if/replay.py",
        "from gradstep.debugger.debugger import Debugger",
    ),
    "debugger-layers, unlisted": ("debugger-layers", "core/gradstep/debugger/stray.py", ""),
    "core-below-window, Qt": ("core-below-window", "core/gradstep/nn/stray.py", "import PySide6"),
    "core-below-window, torch": ("core-below-window", "core/gradstep/nn/stray.py", "import torch"),
    "core-below-window, stand-in": (
        "core-below-window",
        "core/gradstep_torch/nn/stray.py",
        "import torch",
    ),
    "core-below-window, window": (
        "core-below-window",
        "core/gradstep/nn/stray.py",
        "import gradstep_gui.widgets",
    ),
    "widgets-layers, upwards": (
        "widgets-layers",
        "gradstep_gui/widgets/fonts.py",
        "import gradstep_gui.widgets.tables.cells",
    ),
    "widgets-layers, sideways": (
        "widgets-layers",
        "gradstep_gui/widgets/tables/cells.py",
        "import gradstep_gui.widgets.graph.items",
    ),
    "widgets-layers, unlisted": ("widgets-layers", "gradstep_gui/widgets/stray.py", ""),
    "plotting-layers": (
        "plotting-layers",
        "gradstep_gui/plotting/curve.py",
        "import gradstep_gui.plotting.canvas",
    ),
    "plotting-layers, unlisted": ("plotting-layers", "gradstep_gui/plotting/stray.py", ""),
    "command-line-layers, sideways": (
        "command-line-layers",
        "gradstep_gui/command_line/commands.py",
        "import gradstep_gui.command_line.explain_command",
    ),
    "command-line-layers, table": (
        "command-line-layers",
        "gradstep_gui/command_line/command_table.py",
        "import gradstep_gui.command_line.commands",
    ),
    "plotting-alone": ("plotting-alone", "gradstep_gui/widgets/stray.py", "import pyqtgraph"),
    "plotting-alone, contours": (
        "plotting-alone",
        "gradstep_gui/views/stray.py",
        "import contourpy",
    ),
    "views-apart": (
        "views-apart",
        "gradstep_gui/views/stray.py",
        "import gradstep_gui.views.other_stray",
    ),
    "records-only, view": (
        "records-only",
        "gradstep_gui/views/stray.py",
        "from gradstep.debugger import Debugger",
    ),
    "records-only, widget and Snapshot": (
        "records-only",
        "gradstep_gui/widgets/stray.py",
        "from gradstep.history.records.snapshot import Snapshot",
    ),
    "records-only, widget": (
        "records-only",
        "gradstep_gui/widgets/stray.py",
        "from gradstep.program import build",
    ),
}


class GivenGraph:
    """Stands in for the linter's builder, so that the sources are read once for all tests."""

    def __init__(self, graph):
        self.graph = graph

    def build(self, **_options):
        return self.graph


@pytest.fixture(scope="module")
def options():
    """What pyproject.toml says of the contracts."""
    configure()
    for kind in (ForbiddenContract, IndependenceContract, LayersContract):
        registry.register(kind, kind.__name__.removesuffix("Contract").lower())
    return read_user_options(str(ROOT / "pyproject.toml"))


@pytest.fixture(scope="module")
def sources(options):
    """The graph of all imports."""
    packages = options.session_options["root_packages"]
    return grimp.build_graph(
        *packages,
        include_external_packages=True,
        exclude_type_checking_imports=(
            str(options.session_options.get("exclude_type_checking_imports")) == "True"
        ),
        cache_dir=None,
    )


def broken(graph, options, *contracts):
    """Return the names of the contracts that a graph breaks, of those named or of all."""
    settings.configure(GRAPH_BUILDER=GivenGraph(graph))
    report = create_report(options, contracts, cache_dir=None)
    return [
        contract.name for contract, check in report.get_contracts_and_checks() if not check.kept
    ]


def with_stray(graph, place, text):
    """Return the graph as it is with one more file, and with the modules that this imports."""
    graph = deepcopy(graph)
    stray = place.removeprefix("core/").removesuffix(".py").replace("/", ".")
    for module in (stray, stray.replace("stray", "other_stray")):
        graph.add_module(module)
    for line in ast.walk(ast.parse(text)):
        names = [name.name for name in line.names] if hasattr(line, "names") else []
        if isinstance(line, ast.ImportFrom):
            inside = [f"{line.module}.{name}" for name in names]
            names = [name for name in inside if name in graph.modules] or [line.module]
        for name in names:
            if name not in graph.modules:
                graph.add_module(name, is_squashed="." not in name)
            graph.add_import(importer=stray, imported=name, line_number=1, line_contents=text)
    return graph


def test_the_sources_keep_every_contract(sources, options):
    assert broken(sources, options) == []


@pytest.mark.parametrize("violation", VIOLATIONS)
def test_a_violation_breaks_its_contract(sources, options, violation):
    contract, place, text = VIOLATIONS[violation]
    assert len(broken(with_stray(sources, place, text), options, contract)) == 1


def test_every_contract_has_a_violation(options):
    ids = {contract["id"] for contract in options.contracts_options}
    assert {contract for contract, _, _ in VIOLATIONS.values()} == ids

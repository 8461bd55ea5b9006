"""A Debugger's stand-in that minimises x squared, with the faults that tests ask for."""

import json
from pathlib import Path
from types import MappingProxyType, SimpleNamespace

import numpy as np
import pytest
from PySide6.QtGui import QFont
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from gradstep.debugger import Debugger, StopReason
from gradstep.errors import GradStepError, ProgramError
from gradstep.history.records.event import Event, Outcome
from gradstep.history.records.explanation import Explanation
from gradstep.history.records.snapshot import Snapshot
from gradstep.history.records.tensor import ParameterRecord, TensorRecord
from gradstep.history.records.variables import HeldVariables
from gradstep.program.gallery import scenarios
from gradstep.program.listing import LineSpan, Listing
from gradstep.program.operation import Backward, Forward, Step, ZeroGrad
from gradstep_gui import cli, theme
from gradstep_gui.action_ids import LayoutId
from gradstep_gui.controller import Controller
from gradstep_gui.main_window import Core, MainWindow
from gradstep_gui.messages import Messages
from gradstep_gui.settings import CHOSEN_LAYOUT, Settings

LOOP = (ZeroGrad(), Forward(), Backward(), Step())


def record(value, *, whole):
    array = np.array([value])
    return TensorRecord(
        shape=(1,),
        dtype="float64",
        norm=abs(value),
        mean=value,
        minimum=value,
        maximum=value,
        nan_count=0,
        inf_count=0,
        array=array if whole else None,
    )


class FakeSeries:
    """One column; `x` is the iteration."""

    names = ("event", "loss/loss")
    layers = ()
    in_progress = MappingProxyType({})

    def __init__(self):
        self.rows = []

    def column(self, name, since=0):
        values = np.array(self.rows[since:], dtype=np.float64)
        return np.arange(since + 1, len(self.rows) + 1, dtype=np.float64), values

    def rows_up_to(self, _event):
        return len(self.rows)

    def choose(self, tensor, index):
        raise GradStepError(f"{tensor} is not recorded by element")

    def choose_output(self, layer):
        raise GradStepError(f"no loss runs a layer {layer!r}")


class FakeHistory:
    """The Events and the series of the one branch."""

    def __init__(self, engine):
        self._engine = engine
        self.series = engine.history.series

    @property
    def events(self):
        return self._engine.events


class FakeBranches(tuple):
    """The one branch."""

    forks = ()
    memory_budget = 256 * 2**20

    def __new__(cls, engine):
        history = FakeHistory(engine)
        branch = SimpleNamespace(id=0, parent=None, forked_at=0, name="main", history=history)
        return super().__new__(cls, (branch,))

    @property
    def current(self):
        return self[0]


class FakeWatches:
    """No watches."""

    texts = ()

    def records(self, *, compare):
        return ()


class FakeDebugger:
    """Applies the four Operations to one number, and keeps every state."""

    loop_lines = ()
    alteration = ""

    def __init__(self, name="a parabola", path=None):
        self.path = path
        self.spec = SimpleNamespace(
            name=name,
            description="Minimise x squared.",
            iterations=10,
            data={},
            losses={"loss": None},
            optimizers={"optimizer": None},
            loop=None,
            metrics={},
        )
        self.history = SimpleNamespace(series=FakeSeries(), storage_problem="")
        self.branches = FakeBranches(self)
        self.breakpoints = SimpleNamespace(records=(), lines=(), texts=())
        self.watches = FakeWatches()
        self.layout = b""
        self.lesson = None
        self.variables = SimpleNamespace(read=lambda *_: HeldVariables(obstacle="None here."))
        self.recording = None
        self.events = []
        self.states = [(5.0, None, None)]
        self.cursor = 0
        self.saved_to = []
        self.crash_on = None
        self.captured = []

    @property
    def program(self):
        following = LOOP[self.cursor % 4]
        return SimpleNamespace(spec=self.spec, next_operation=following, iteration=self.iteration)

    @property
    def next_operation(self):
        return LOOP[self.cursor % 4]

    @property
    def listing(self):
        spans = tuple(LineSpan(operation, at, at) for at, operation in enumerate(LOOP, 2))
        code = "while True:\n    zero()\n    forward()\n    backward()\n    step()\n"
        return Listing(self.spec.name, self.spec.description, code, spans)

    @property
    def event(self):
        return self.events[self.cursor - 1] if self.cursor else None

    @property
    def position(self):
        return self.cursor, None

    @property
    def iteration(self):
        return sum(
            e.outcome.ok and isinstance(e.operation, Step) for e in self.events[: self.cursor]
        )

    def apply(self, operation):
        if self.crash_on is not None and operation == self.crash_on:
            raise ZeroDivisionError("a bug of ours")
        x, grad, loss = self.states[self.cursor]
        outcome = Outcome()
        if isinstance(operation, ZeroGrad):
            grad = None
        elif isinstance(operation, Forward):
            loss = x * x
        elif isinstance(operation, Backward) and loss is None:
            outcome = Outcome(False, "OperationError", "there is no loss", "press Forward first")
        elif isinstance(operation, Backward):
            grad = (grad or 0.0) + 2 * x
        elif isinstance(operation, Step) and grad is not None:
            x -= 0.1 * grad
        event = Event(
            index=self.cursor + 1,
            iteration=self.iteration,
            operation=operation,
            outcome=outcome,
            writes=("x.grad",) if isinstance(operation, Backward) and outcome.ok else (),
            loss=loss if isinstance(operation, Forward) else None,
        )
        self.events = [*self.events[: self.cursor], event]
        self.states = [*self.states[: self.cursor + 1], (x, grad, loss)]
        self.cursor += 1
        if isinstance(operation, Step):
            self.history.series.rows.append(loss or 0.0)
        return event

    def run(self, max_iterations=None, *, should_stop=None, progress=None, adapt=None):
        for done in range(1, max_iterations + 1):
            for operation in LOOP:
                if should_stop is not None and should_stop():
                    return StopReason.paused(self.cursor)
                self.apply(operation if adapt is None else adapt(operation))
            if progress is not None:
                progress(done)
        return StopReason.done(self.cursor, max_iterations)

    def run_until_iteration(self, iteration, **options):
        self.run(iteration - self.iteration, **options)
        return StopReason.reached(self.cursor, iteration)

    def run_back(self, *, should_stop=None):
        self.seek(0)
        return StopReason.start()

    def back(self):
        self.seek(max(self.cursor - 1, 0))

    def seek(self, event_index, should_stop=None):
        self.cursor = event_index

    def process_of(self, branch):
        """Return nothing: this is no script."""
        return ""

    def capture_snapshot(self, wanted, *, compare=True):
        self.captured.append(frozenset(wanted))
        x, grad, loss = self.states[self.cursor]
        return Snapshot(
            event=self.event,
            event_index=self.cursor,
            event_count=len(self.events),
            iteration=self.iteration,
            loss=loss,
            losses={"loss": loss},
            parameters={
                "x": ParameterRecord(
                    name="x",
                    value=record(x, whole="x" in wanted),
                    gradient=None if grad is None else record(grad, whole="x.grad" in wanted),
                    version=self.iteration,
                    requires_grad=True,
                    held_by=("optimizer",),
                )
            },
            changed=frozenset(self.event.writes) if self.event else frozenset(),
            next_operation=LOOP[self.cursor % 4],
            next_line=self.cursor % 4,
        )

    def explain(self, parameter, *, should_stop):
        still = np.zeros(1)
        return Explanation(parameter, None, None, "", still, still, (), (), "x is as it is.")

    def provenance(self, parameter, *, should_stop):
        return ()

    def bindings(self):
        return ()

    def begin_save(self, path):
        return SimpleNamespace(write=lambda _progress, _should_stop: self.save(path))

    def flush_recording(self):
        """Do nothing: there is no recording."""

    def save(self, path):
        self.saved_to.append(path)
        Path(path).write_bytes(b"saved")


@pytest.fixture
def gradstep(capsys):
    """Run the command line and return its status, its output and its error output."""

    def run(*words):
        status = cli.main([str(word) for word in words])
        message = capsys.readouterr()
        return status, message.out, message.err

    return run


@pytest.fixture
def open_fake():
    """Open any path as a parabola, but reject those whose name holds `bad`."""
    opened = []

    def opener(path):
        if "bad" in path.name:
            raise ProgramError("$.optimizers.optimizer.lr", "-1 is negative", "write 0.1")
        opened.append(FakeDebugger(path.stem, path))
        return opened[-1]

    opener.opened = opened
    return opener


@pytest.fixture(autouse=True)
def released_buttons():
    """Let go of the mouse after a test: QTest.mouseDClick() leaves its button down."""
    yield
    if QApplication.instance() and (buttons := QApplication.mouseButtons()):
        elsewhere = QWidget()
        for button in buttons:
            QTest.mouseRelease(elsewhere, button)


@pytest.fixture(scope="session")
def font_at_first(qapp):
    """The font of the application before any test, as text: that cannot change."""
    return qapp.font().toString()


@pytest.fixture
def plain_look(font_at_first, qapp):
    """Give the application its font at first and the light theme, before a test and after it."""

    def give_look():
        font = QFont()
        font.fromString(font_at_first)
        QApplication.setFont(font)
        theme.apply(qapp, "light")

    give_look()
    yield
    give_look()  # a window zooms the application, and gives it a theme


@pytest.fixture
def make_window(qtbot, tmp_path, plain_look):
    """Show a window over what `opener` opens; at the end nothing may have crashed in it."""
    windows, crashes = [], []

    def make(opener, cards=()):
        messages = Messages()
        settings = Settings(tmp_path / "settings.ini")
        if settings.get(CHOSEN_LAYOUT) is None:
            settings.set(CHOSEN_LAYOUT, LayoutId.DEBUG)  # most tests look at its docks
        core = Core(Controller(messages, opener), cards)
        window = MainWindow(settings, messages, lambda: core)
        window.complete()
        window.controller.crashed.connect(crashes.append)
        windows.append(window)
        qtbot.addWidget(window, before_close_func=MainWindow.discard)
        with qtbot.waitExposed(window):
            window.show()
        return window

    yield make
    for window in windows:
        window.discard()
    assert crashes == []


@pytest.fixture
def real_window(make_window):
    """A window with the first program that ships, on a real Debugger."""
    window = make_window(Debugger.open)
    window.controller.open(scenarios()[0].path, as_copy=True)
    assert window.controller.wait_idle(60)
    return window


@pytest.fixture
def opened(qtbot, tmp_path):
    """Open a real program, and run it: `opened(document, iterations)` gives its Controller."""
    controllers = []

    def opened(document, iterations=0):
        path = tmp_path / "program.json"
        path.write_text(json.dumps(document))
        controller = Controller(Messages(), Debugger.open)
        controllers.append(controller)
        controller.open(path)
        if iterations:
            controller.iterate(iterations)
        assert controller.wait_idle(60)
        return controller

    yield opened
    for controller in controllers:
        controller.close()

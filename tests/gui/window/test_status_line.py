"""The status bar: where in the run one is."""

from gradstep.history.records.snapshot import BatchRecord, Snapshot
from gradstep_gui.window.status_line import StatusLine

BATCHES = {
    "loss_a": BatchRecord("a", (0, 1), 1, 2, 10),
    "loss_b": BatchRecord("b", (5,), 3, 1, 1200),
}


def test_the_batch_is_that_of_the_loss_computed_last(qtbot):
    line = StatusLine()
    qtbot.addWidget(line)
    line.show_snapshot(Snapshot(None, 0, 0, 0, 1.0, batches=BATCHES, last_loss="loss_b"))
    assert line.text("batch") == "Epoch 3, batch 1 of 1,200"
    line.show_snapshot(Snapshot(None, 0, 0, 0, 1.0, batches=BATCHES, last_loss="penalty"))
    assert line.text("batch") == ""

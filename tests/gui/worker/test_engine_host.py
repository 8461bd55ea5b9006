"""What the worker's side posts, and what it leaves on the disk."""

import pytest

from gradstep.debugger import Debugger
from gradstep.program.gallery import scenarios
from gradstep_gui.worker.engine_host import EngineHost


class Mailbox:
    """Keeps every Delivery apart, as a window does that takes each at once."""

    mailbox_empty = True

    def __init__(self):
        self.posted = []

    def post(self, delivery):
        self.posted.append(delivery)


@pytest.fixture
def mailbox(qapp):
    return Mailbox()


def test_that_another_program_is_open_is_told_before_its_first_moment(mailbox):
    EngineHost(mailbox, Debugger.open).open(scenarios()[0].path)
    told = [
        name
        for delivery in mailbox.posted
        for name in ("listing", "snapshot")
        if getattr(delivery, name) is not None
    ]
    assert told == ["listing", "snapshot"]


@pytest.mark.parametrize("is_recorded", [True, False])
def test_a_recording_left_behind_stays_until_another_has_what_is_in_it(
    mailbox, tmp_path, is_recorded
):
    left = tmp_path / "left.gradstep"
    Debugger.open(scenarios()[0].path).save(left)
    folder = tmp_path / "recordings"
    if not is_recorded:
        folder.write_text("a file, where no folder can be made")
    host = EngineHost(mailbox, Debugger.open, folder)
    host.recover(left)
    assert left.exists() is not is_recorded
    failures = [failure for delivery in mailbox.posted for failure in delivery.failures]
    assert len(failures) == (0 if is_recorded else 1)
    host.close()

"""Messages: one channel, and a history that does not grow for ever."""

from gradstep.errors import NotTextError, ProgramError, RecordingError, SessionError
from gradstep_gui.messages import KEPT, MessageKind, Messages


def test_each_kind_is_posted_and_kept(qtbot):
    messages = Messages()
    seen = []
    messages.posted.connect(seen.append)
    messages.notice("saved")
    messages.warning("the loss is large", "lower lr")
    messages.error("no such file")
    assert [m.kind for m in seen] == [MessageKind.NOTICE, MessageKind.WARNING, MessageKind.ERROR]
    assert messages.history == tuple(seen)
    assert seen[1].remedy == "lower lr"


def test_the_history_forgets_the_oldest(qtbot):
    messages = Messages()
    for number in range(KEPT + 5):
        messages.notice(str(number))
    assert len(messages.history) == KEPT
    assert messages.history[0].text == "5"


def test_messages_name_an_ended_recording_and_a_failed_task():
    messages = Messages()
    messages.failed("run", RecordingError("the recording has stopped", "free disk space"))
    messages.failed("save a.gradstep", SessionError("the disk is full", "free disk space"))
    assert [message.text for message in messages.history] == [
        "the recording has stopped",
        "Could not save a.gradstep: the disk is full",
    ]


def test_an_invalid_document_is_offered_for_editing():
    messages = Messages()
    messages.failed("open a.json", ProgramError("$.seed", "the number is too small"))
    messages.failed("open a.csv", ProgramError("", "a.csv holds data"))
    messages.failed("open a.json", NotTextError("$", "byte 0 is not UTF-8 text"))
    assert [message.action for message in messages.history] == ["file.mend", "", ""]

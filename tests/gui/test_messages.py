"""Messages: one channel, and a history that does not grow for ever."""

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

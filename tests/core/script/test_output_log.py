"""What a script prints becomes lines of plain text, as a terminal shows them."""

from __future__ import annotations

import threading

import pytest

from gradstep.script.output_log import MAX_CHARACTERS, MAX_LINES, MAX_WIDTH, OutputLine, OutputLog


def texts(log):
    return [line.text for line in log.lines]


def written(text, stream="out"):
    log = OutputLog()
    log.write(stream, text)
    return texts(log)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("one\ntwo", ["one", "two"]),
        ("one\r\ntwo\r\n", ["one", "two"]),
        ("\n\nthird\n", ["", "", "third"]),
        ("\x1b[1;31mred\x1b[0m and \x1b[38;5;9mmore\x1b[m", ["red and more"]),
        ("\x1b]0;title\x07text\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", ["textlink"]),
        ("\x1b(Bplain\x1b=\x1b7", ["plain"]),
        ("  0%|    |\r 50%|##  |\r100%|####|\n", ["100%|####|"]),
        ("longer\rshort", ["shortr"]),
        ("longer\r\x1b[Kshort", ["short"]),
        ("longer\x1b[2K\rnew", ["new"]),
        ("abc\x1b[1K", ["   "]),
        ("ab\b\bX", ["Xb"]),
        ("a\tb", ["a       b"]),
        ("bell\x07 and \x00 nothing\x9b", ["bell and  nothing"]),
        ("abc\x1b[2Dx\x1b[Cy", ["axcy"]),
        ("abc\x1b[1Gx", ["xbc"]),
        ("one\ntwo\n\x1b[2A\x1b[Kuno\ndos\n", ["uno", "dos"]),
        ("one\ntwo\nthree\x1b[2A\r\x1b[J", ["", "", ""]),
        ("a\n\x1b[99Ab\x1b[99B\nc", ["b", "", "c"]),
        ("\x1b[;;;999999999999A\x1b[99999999Cend", ["", "end"]),
        ("ünïcode → ✓", ["ünïcode → ✓"]),
    ],
)
def test_control_characters_do_what_they_do_in_a_terminal(text, lines):
    assert written(text) == lines


def test_a_text_may_be_cut_anywhere():
    text = "a\x1b[31mb\x1b[0m\r\nc\x1b]0;title\x1b\\d\n\x1b[1A\x1b[Ke"
    for at in range(len(text)):
        log = OutputLog()
        log.write("out", text[:at])
        log.write("out", text[at:])
        assert texts(log) == ["ab", "e"], at


def test_an_escape_sequence_without_an_end_does_not_hold_the_text_back_for_ever():
    assert written("\x1b]0;" + "x" * 300)[0].endswith("x" * 300)


def test_a_bar_on_standard_error_stays_whole_while_standard_output_goes_on():
    log = OutputLog()
    log.write("err", "\r 10%")
    log.write("out", "epoch 1\n")
    log.write("err", "\r 20%")
    log.write("out", "epoch 2\n")
    assert log.lines == (
        OutputLine("err", " 20%"),
        OutputLine("out", "epoch 1"),
        OutputLine("out", "epoch 2"),
    )


def test_a_bar_that_is_far_up_goes_on_at_the_end():
    log = OutputLog()
    log.write("err", "\r 10%")
    log.write("out", "line\n" * 500)
    log.write("err", "\r 20%")
    log.write("err", "\r 30%")
    assert len(log.lines) == 502
    assert (texts(log)[0], texts(log)[-1]) == (" 10%", " 30%")


def test_two_bars_below_each_other_are_both_rewritten():
    log = OutputLog()
    for step in range(5):
        log.write("err", f"\router {step}")
        log.write("err", f"\n\rinner {step}\x1b[A")
    assert texts(log) == ["outer 4", "inner 4"]


def test_only_the_last_lines_are_kept():
    log = OutputLog()
    log.write("out", "".join(f"{number}\n" for number in range(MAX_LINES + 5)))
    assert len(log.lines) == MAX_LINES
    assert texts(log)[0] == "5"
    assert log.take().first == 5


def test_a_text_without_ends_of_lines_takes_no_more_memory():
    log = OutputLog()
    for _time in range(20):
        log.write("out", "x" * 1_000_000)
    assert sum(len(line.text) for line in log.lines) <= MAX_CHARACTERS
    assert {len(line.text) for line in log.lines} == {MAX_WIDTH}


def test_what_changed_is_taken_once():
    log = OutputLog()
    log.write("out", "one\ntwo\n")
    assert log.take() == (0, 0, (OutputLine("out", "one"), OutputLine("out", "two")))
    assert log.take() == (0, 2, ())
    log.write("err", "\r 1%")
    log.take()
    log.write("err", "\r 2%")
    log.note("The script has ended with status 0.")
    assert log.take() == (
        0,
        2,
        (OutputLine("err", " 2%"), OutputLine("note", "The script has ended with status 0.")),
    )
    assert len(log.take(whole=True).lines) == 4


def test_after_it_was_cleared_a_bar_begins_anew():
    log = OutputLog()
    log.write("out", "old\n")
    log.write("err", "\r 1%")
    log.clear()
    log.write("err", "\r 2%")
    assert log.take() == (2, 2, (OutputLine("err", " 2%"),))


def test_news_is_announced_once_until_it_is_taken():
    announced = []
    log = OutputLog(lambda: announced.append(1))
    for _time in range(3):
        log.write("out", "x\n")
    assert len(announced) == 1
    log.take()
    log.write("out", "x\n")
    assert len(announced) == 2


def test_several_threads_write_and_one_reads():
    log = OutputLog()
    known = {}

    def write(stream):
        for number in range(2000):
            log.write(stream, f"{stream} {number}\r\n")

    def take():
        change = log.take()
        for row in [row for row in known if row < change.first or row >= change.start]:
            del known[row]
        known.update(enumerate(change.lines, change.start))

    threads = [threading.Thread(target=write, args=(stream,)) for stream in ("out", "err")]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        take()
    take()
    assert tuple(known[row] for row in sorted(known)) == log.lines
    assert [line.text for line in log.lines if line.stream == "err"] == [
        f"err {number}" for number in range(2000)
    ]

"""`gradstep recordings`: the recordings that processes left behind when they crashed."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from gradstep.errors import GradStepError, ScriptError, SessionError
from gradstep.pluralize import pluralize
from gradstep.program.suggestions import nearest
from gradstep.script.frame_file import has_frames, read_frames
from gradstep.session import store
from gradstep.session.recorder import leftovers
from gradstep_gui.command_line.terminal import new_table, print_json, print_table
from gradstep_gui.worker.autosave import recordings_folder, remove_leftover, size_of

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

__all__ = ["recordings"]


def recordings(options: argparse.Namespace) -> int:
    """List the recordings that processes left behind, or delete some."""
    folder = recordings_folder() if options.folder is None else options.folder
    found = {path.name: path for path in leftovers(folder)} if folder.is_dir() else {}
    chosen = list(found) if options.delete_all else options.delete
    for name in chosen:
        if name not in found:
            raise GradStepError(f"there is no recording {name!r}", nearest(name, found))
    freed = sum(size_of(found[name]) for name in chosen)
    for name in chosen:
        remove_leftover(found.pop(name))
    if options.json:
        print_json({"folder": str(folder), "recordings": [_plain(path) for path in found.values()]})
        return 0
    if options.delete_all or options.delete:
        freed_mb = f"{freed / 1e6:,.1f} MB"
        sys.stdout.write(f"Deleted {pluralize(len(chosen), 'recording')}, {freed_mb}\n")
        return 0
    if not found:
        sys.stdout.write("There are no recordings of crashed processes.\n")
        return 0
    table = new_table("recording", "changed", "MB", "Events", "program")
    for path in found.values():
        known = _plain(path)
        events = "" if known["events"] is None else f"{known['events']:,}"
        size = f"{known['bytes'] / 1e6:,.1f}"
        table.add_row(path.name, known["changed"][:16], size, events, known["program"])
    print_table(table)
    total = sum(map(size_of, found.values())) / 1e6
    sys.stdout.write(
        f"\nFolder: {folder}\nTotal: {total:,.1f} MB. Open one with gradstep FILE; delete with "
        "gradstep recordings --delete NAME, or --delete-all.\n"
    )
    return 0


def _date(changed: float) -> str:
    """Return a date in this time zone; of one that no calendar has, only that."""
    try:
        date = datetime.fromtimestamp(changed, UTC).astimezone()
    except (ValueError, OverflowError, OSError):
        return "out of range"
    return date.isoformat(sep=" ", timespec="seconds")


def _plain(path: Path) -> dict[str, Any]:
    """Return a recording as plain values; a damaged one has no Events."""
    try:
        if has_frames(path):
            tape = read_frames(path)
            program, events = tape.run.script, len(tape.rows)
        else:
            session = store.read(path)
            program = session.spec.name or "a program"
            events = sum(len(branch.events) for branch in session.branches)
    except (ScriptError, SessionError):
        program, events = "damaged", None
    return {
        "name": path.name,
        "changed": _date(path.stat().st_mtime),
        "bytes": size_of(path),
        "events": events,
        "program": program,
    }

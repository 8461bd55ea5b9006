"""Files: opening, editing, saving and exporting."""

from __future__ import annotations

from gradstep_gui.action import Action, Menu
from gradstep_gui.action_ids import ActionId
from gradstep_gui.actions.enabled_when import (
    at_rest,
    broken_document,
    can_record,
    can_save,
    has_debugged,
    has_recorded,
    paused,
    recording,
    recoverable,
    saving,
)
from gradstep_gui.actions.obstacles import no_document
from gradstep_gui.translation import QT_TRANSLATE_NOOP

__all__ = ["FILES"]

FILES: tuple[Action, ...] = (
    Action(
        id=ActionId.NEW,
        title=QT_TRANSLATE_NOOP("Action", "&New…"),
        tooltip=QT_TRANSLATE_NOOP("Action", "Open one of the example programs."),
        menu=Menu.FILE,
        run=lambda d: d.documents.ask_new(),
        shortcut="Ctrl+N",
        icon="new",
        group="open",
        enabled_when=at_rest,
    ),
    Action(
        id=ActionId.OPEN,
        title=QT_TRANSLATE_NOOP("Action", "&Open…"),
        tooltip=QT_TRANSLATE_NOOP(
            "Action", "Open a program (.json), a session (.gradstep) or a script (.py)."
        ),
        menu=Menu.FILE,
        run=lambda d: d.documents.ask_open(),
        shortcut="Ctrl+O",
        icon="open",
        group="open",
        enabled_when=at_rest,
    ),
    Action(
        id=ActionId.RECORD_SCRIPT,
        title=QT_TRANSLATE_NOOP("Action", "Run Scr&ipt…"),
        tooltip=QT_TRANSLATE_NOOP(
            "Action",
            "Choose a PyTorch script of your own, to debug or to record it.\n"
            "Nothing runs before you say so.",
        ),
        menu=Menu.FILE,
        run=lambda d: d.documents.ask_script(),
        group="open",
        enabled_when=can_record,
    ),
    Action(
        id=ActionId.DEBUG_AGAIN,
        title=QT_TRANSLATE_NOOP("Action", "Deb&ug Script Again"),
        tooltip=QT_TRANSLATE_NOOP(
            "Action",
            "End the script that is debugged, and start its file as it is now, with the same\n"
            "arguments, breakpoints and watches.",
        ),
        menu=Menu.FILE,
        run=lambda d: d.documents.debug_again(),
        shortcut="Ctrl+Shift+R",
        group="open",
        enabled_when=has_debugged,
    ),
    Action(
        id=ActionId.STOP_RECORDING,
        title=QT_TRANSLATE_NOOP("Action", "Stop Recordin&g"),
        tooltip=QT_TRANSLATE_NOOP(
            "Action", "End the script that is recorded, and keep what it has done so far."
        ),
        menu=Menu.FILE,
        run=lambda d: d.controller.stop_recording(),
        group="open",
        enabled_when=recording,
    ),
    Action(
        id=ActionId.OPEN_RECORDED,
        title=QT_TRANSLATE_NOOP("Action", "Open &Finished Recording"),
        tooltip=QT_TRANSLATE_NOOP("Action", "Open the script that was recorded meanwhile."),
        menu=Menu.FILE,
        run=lambda d: d.documents.open_recorded(),
        group="open",
        enabled_when=has_recorded,
    ),
    Action(
        id=ActionId.RECOVER,
        title=QT_TRANSLATE_NOOP("Action", "Re&cover Session…"),
        tooltip=QT_TRANSLATE_NOOP(
            "Action", "Open or delete what was recorded when GradStep ended unexpectedly."
        ),
        menu=Menu.FILE,
        run=lambda d: d.documents.ask_recover(),
        enabled_when=recoverable,
        group="open",
    ),
    Action(
        id=ActionId.NEW_PROGRAM,
        title=QT_TRANSLATE_NOOP("Action", "New &Program…"),
        tooltip=QT_TRANSLATE_NOOP(
            "Action", "Write a program, or start from an example; it is checked as you type."
        ),
        menu=Menu.FILE,
        run=lambda d: d.controller.drafts.edit_template(),
        shortcut="Ctrl+Shift+N",
        group="edit",
        enabled_when=at_rest,
    ),
    Action(
        id=ActionId.EDIT_PROGRAM,
        title=QT_TRANSLATE_NOOP("Action", "E&dit Program…"),
        tooltip=QT_TRANSLATE_NOOP(
            "Action", "Edit the document of the open program, and open the result."
        ),
        menu=Menu.FILE,
        run=lambda d: d.controller.drafts.edit_program(),
        shortcut="Ctrl+Shift+E",
        group="edit",
        enabled_when=paused,
        obstacle=no_document,
    ),
    Action(
        id=ActionId.EDIT_BROKEN_DOCUMENT,
        title=QT_TRANSLATE_NOOP("Action", "Fix &Broken Document…"),
        tooltip=QT_TRANSLATE_NOOP("Action", "Edit the program document that could not be opened."),
        menu=Menu.FILE,
        run=lambda d: d.documents.edit_broken(),
        group="edit",
        enabled_when=broken_document,
    ),
    Action(
        id=ActionId.SAVE,
        title=QT_TRANSLATE_NOOP("Action", "&Save"),
        tooltip=QT_TRANSLATE_NOOP(
            "Action", "Save the program with its whole history as a session."
        ),
        menu=Menu.FILE,
        run=lambda d: d.documents.save(),
        shortcut="Ctrl+S",
        icon="save",
        group="save",
        enabled_when=can_save,
    ),
    Action(
        id=ActionId.SAVE_AS,
        title=QT_TRANSLATE_NOOP("Action", "Save &As…"),
        tooltip=QT_TRANSLATE_NOOP("Action", "Save as a session under another name."),
        menu=Menu.FILE,
        run=lambda d: d.documents.ask_save_as(),
        shortcut="Ctrl+Shift+S",
        group="save",
        enabled_when=can_save,
    ),
    Action(
        id=ActionId.CANCEL_SAVE,
        title=QT_TRANSLATE_NOOP("Action", "Cancel Sa&ving"),
        tooltip=QT_TRANSLATE_NOOP("Action", "Stop writing the session; its file stays as it was."),
        menu=Menu.FILE,
        run=lambda d: d.controller.cancel_save(),
        group="save",
        enabled_when=saving,
    ),
    Action(
        id=ActionId.EXPORT_SCRIPT,
        title=QT_TRANSLATE_NOOP("Action", "&Export as PyTorch Script…"),
        tooltip=QT_TRANSLATE_NOOP(
            "Action",
            "Show the operations recorded on this branch as a PyTorch script, to copy or save.\n"
            "With none recorded, the script is the program's loop.",
        ),
        menu=Menu.FILE,
        run=lambda d: d.controller.branches.write_script(test=False),
        group="export",
        enabled_when=paused,
        obstacle=no_document,
    ),
    Action(
        id=ActionId.EXPORT_TEST,
        title=QT_TRANSLATE_NOOP("Action", "Export as &Test…"),
        tooltip=QT_TRANSLATE_NOOP(
            "Action",
            "Show the operations recorded on this branch as a test that repeats them in PyTorch\n"
            "and compares the losses with the recorded ones.",
        ),
        menu=Menu.FILE,
        run=lambda d: d.controller.branches.write_script(test=True),
        group="export",
        enabled_when=paused,
        obstacle=no_document,
    ),
    Action(
        id=ActionId.QUIT,
        title=QT_TRANSLATE_NOOP("Action", "&Quit"),
        tooltip=QT_TRANSLATE_NOOP("Action", "Close the window."),
        menu=Menu.FILE,
        run=lambda d: d.window.quit(),
        shortcut="Ctrl+Q",
        group="quit",
    ),
)

"""What a person can do with files."""

from __future__ import annotations

from gradstep_gui.action import Action, Menu
from gradstep_gui.action_ids import ActionId
from gradstep_gui.actions.enabled_when import at_rest, broken, left_over, paused
from gradstep_gui.translation import QT_TRANSLATE_NOOP

__all__ = ["FILES"]

FILES: tuple[Action, ...] = (
    Action(
        id=ActionId.NEW,
        title=QT_TRANSLATE_NOOP("Action", "&New…"),
        tooltip=QT_TRANSLATE_NOOP("Action", "Choose one of the programs that ship with GradStep."),
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
        tooltip=QT_TRANSLATE_NOOP("Action", "Open a program (.json) or a session (.gradstep)."),
        menu=Menu.FILE,
        run=lambda d: d.documents.ask_open(),
        shortcut="Ctrl+O",
        icon="open",
        group="open",
        enabled_when=at_rest,
    ),
    Action(
        id=ActionId.RECOVER,
        title=QT_TRANSLATE_NOOP("Action", "Open the Re&covered Session"),
        tooltip=QT_TRANSLATE_NOOP(
            "Action", "Open what was recorded when GradStep last ended without closing."
        ),
        menu=Menu.FILE,
        run=lambda d: d.documents.recover(),
        enabled_when=left_over,
        group="open",
    ),
    Action(
        id=ActionId.NEW_PROGRAM,
        title=QT_TRANSLATE_NOOP("Action", "Program of &Your Own…"),
        tooltip=QT_TRANSLATE_NOOP(
            "Action", "Write a program, or change one that ships; it is checked meanwhile."
        ),
        menu=Menu.FILE,
        run=lambda d: d.controller.drafts.edit_template(),
        shortcut="Ctrl+Shift+N",
        group="edit",
        enabled_when=at_rest,
    ),
    Action(
        id=ActionId.EDIT_PROGRAM,
        title=QT_TRANSLATE_NOOP("Action", "E&dit This Program…"),
        tooltip=QT_TRANSLATE_NOOP(
            "Action", "Change the document of the program that is open, and open what comes of it."
        ),
        menu=Menu.FILE,
        run=lambda d: d.controller.drafts.edit_program(),
        shortcut="Ctrl+Shift+E",
        group="edit",
        enabled_when=paused,
    ),
    Action(
        id=ActionId.EDIT_BROKEN_DOCUMENT,
        title=QT_TRANSLATE_NOOP("Action", "Edit What Did Not O&pen…"),
        tooltip=QT_TRANSLATE_NOOP("Action", "Mend the program document that could not be opened."),
        menu=Menu.FILE,
        run=lambda d: d.documents.mend(),
        group="edit",
        enabled_when=broken,
    ),
    Action(
        id=ActionId.SAVE,
        title=QT_TRANSLATE_NOOP("Action", "&Save"),
        tooltip=QT_TRANSLATE_NOOP(
            "Action", "Save everything, with the whole history, as a session."
        ),
        menu=Menu.FILE,
        run=lambda d: d.documents.save(),
        shortcut="Ctrl+S",
        icon="save",
        group="save",
        enabled_when=paused,
    ),
    Action(
        id=ActionId.SAVE_AS,
        title=QT_TRANSLATE_NOOP("Action", "Save &As…"),
        tooltip=QT_TRANSLATE_NOOP("Action", "Save everything as a session under another name."),
        menu=Menu.FILE,
        run=lambda d: d.documents.ask_save_as(),
        shortcut="Ctrl+Shift+S",
        group="save",
        enabled_when=paused,
    ),
    Action(
        id=ActionId.EXPORT_SCRIPT,
        title=QT_TRANSLATE_NOOP("Action", "&Export as PyTorch Script…"),
        tooltip=QT_TRANSLATE_NOOP(
            "Action",
            "Show what is recorded on this branch as a PyTorch script, to be copied or saved.\n"
            "Without a record it is the program's loop.",
        ),
        menu=Menu.FILE,
        run=lambda d: d.controller.branches.write_script(test=False),
        group="export",
        enabled_when=paused,
    ),
    Action(
        id=ActionId.EXPORT_TEST,
        title=QT_TRANSLATE_NOOP("Action", "Export as &Test…"),
        tooltip=QT_TRANSLATE_NOOP(
            "Action",
            "Show what is recorded on this branch as a test that runs it on torch\n"
            "and compares the losses with those recorded.",
        ),
        menu=Menu.FILE,
        run=lambda d: d.controller.branches.write_script(test=True),
        group="export",
        enabled_when=paused,
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

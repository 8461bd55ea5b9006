"""The program dock: the lesson, and the script with an arrow at what comes next."""

from gradstep_gui.views.program.view import ProgramView

__all__ = ["ProgramView"]

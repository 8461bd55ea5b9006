"""The program dock."""

from gradstep_gui.views.program.view import ProgramModel, ProgramView, coming_span, done_span

__all__ = ["ProgramModel", "ProgramView", "coming_span", "done_span"]

"""The lesson dock: the steps of a lesson, its questions, and what they reveal."""

from gradstep_gui.views.lesson.view import LessonModel, LessonStepsView

__all__ = ["LessonModel", "LessonStepsView"]

"""An error in what Qt calls is an error like any other, and not the end of the process."""

import subprocess
import sys

CALLED_BY_QT = """
import sys
from PySide6.QtWidgets import QApplication, QWidget
from gradstep_gui.overrides import guard_overrides

class Sized(QWidget):
    def sizeHint(self):
        return {}["width"]

Sized.__module__ = "gradstep_gui.sized"
application = QApplication(["test"])
guard_overrides()
try:
    Sized().adjustSize()
except KeyError as error:
    print("caught", error)
"""


def test_an_error_that_the_interpreter_raises_in_an_override_can_be_caught():
    done = subprocess.run(
        [sys.executable, "-c", CALLED_BY_QT],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("caught")
    assert "width" in done.stdout

"""What all tests need: one numeric thread, no screen, no trace in a user's folders."""

from __future__ import annotations

import atexit
import gc
import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings

_ROOT = Path(__file__).parent
_HOME = Path(tempfile.mkdtemp(prefix="gradstep-tests-"))
atexit.register(shutil.rmtree, _HOME, ignore_errors=True)

# Before NumPy and Qt are imported, since both read their environment once. The folders are where
# platformdirs and QSettings keep what belongs to the user.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
for name in ("LC_ALL", "LANGUAGE"):  # the window speaks the language of the system
    os.environ[name] = "C.UTF-8"
for name in ("CONFIG_HOME", "DATA_HOME", "STATE_HOME", "CACHE_HOME", "RUNTIME_DIR"):
    folder = _HOME / name.lower()
    folder.mkdir(mode=0o700)
    os.environ[f"XDG_{name}"] = str(folder)

settings.register_profile("gradstep", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("gradstep")


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Look for doctests in the sources alone; tools beside the tests import what they like."""
    is_tool = collection_path.suffix == ".py" and not collection_path.name.startswith("test_")
    return True if is_tool and collection_path.is_relative_to(_ROOT / "tests") else None


@pytest.fixture
def no_collector() -> None:
    """Begin without reference cycles; none are collected during a test anyway."""
    gc.collect()


# Garbage may hold widgets of a closed window, which the thread of Qt alone may delete; the
# collector runs on whichever thread makes an object. The application does the same.
gc.disable()


def pytest_collection_finish() -> None:
    """Leave the tests themselves out of later collections."""
    gc.freeze()


def pytest_runtest_logfinish() -> None:
    """Delete closed windows and collect reference cycles, once there may be many.

    Not later: PySide would find the Python side of a deleted widget under the address of a new one.
    """
    if gc.get_count()[0] > _MANY_OBJECTS:
        if "PySide6.QtWidgets" in sys.modules:
            delete_later = sys.modules["PySide6.QtCore"].QEvent.Type.DeferredDelete
            application = sys.modules["PySide6.QtWidgets"].QApplication
            application.sendPostedEvents(None, delete_later)
        gc.collect()


_MANY_OBJECTS = 2_000
"""A window has more."""

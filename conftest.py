"""What all tests need: one numeric thread, no screen, no trace in a user's folders."""

from __future__ import annotations

import atexit
import gc
import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from collections.abc import Iterator

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
def no_collector() -> Iterator[None]:
    """Do not collect reference cycles."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()

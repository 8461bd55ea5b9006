"""The program of the bundle: GradStep, and also the Python that runs scripts without PyTorch."""

from __future__ import annotations

import os
import runpy
import sys
from pathlib import Path

_SEARCHED = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")


def main() -> int:
    """Run what the first word asks for."""
    _give_back_library_paths()
    launcher = Path(__file__).resolve().parent / "gradstep_agent" / "launcher.py"
    if sys.argv[1:] and Path(sys.argv[1]) == launcher:
        del sys.argv[0]  # what is left is what `python launcher.py ...` has
        sys.path.insert(0, str(launcher.parent))
        runpy.run_path(str(launcher), run_name="__main__")
        return 0
    from gradstep_gui.cli import main as gradstep  # noqa: PLC0415 - a script has another one

    return gradstep()


def _give_back_library_paths() -> None:
    """Let the programs that are started find their own libraries, and not those of the bundle."""
    os.environ["PYINSTALLER_RESET_ENVIRONMENT"] = "1"  # if it is this program, it sets its own
    for name in _SEARCHED:
        before = os.environ.pop(f"{name}_ORIG", None)
        if before is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = before


if __name__ == "__main__":
    raise SystemExit(main())

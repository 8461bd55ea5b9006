"""scripts/setup.sh on machines that lack something: it installs it, or says what to type."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

# Says that it is Python 3.12, and lacks ensurepip until apt-get has been called.
BARE_PYTHON = """#!/bin/sh
case "$2" in
    *version_info\\ \\<*) exit 0 ;;
    *"import ensurepip"*) exit 1 ;;
    *print*) echo python3.12 ;;
esac
[ "$1" = --version ] && echo Python 3.12.0
exit 0
"""


@pytest.fixture
def machine(tmp_path):
    """A machine with nothing but what a test puts on it; gives a way to run the set-up there."""
    (tmp_path / "scripts").mkdir()
    shutil.copy(ROOT / "scripts" / "setup.sh", tmp_path / "scripts")
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("dirname", "rm", "cat"):
        (programs / name).symlink_to(shutil.which(name))

    def run(environment=(), **scripts):
        for name, text in scripts.items():
            program = programs / name.replace("_", "-")
            program.write_text(text)
            program.chmod(0o755)
        return subprocess.run(
            ["/bin/sh", "scripts/setup.sh"],
            cwd=tmp_path,
            env={"PATH": str(programs), **dict(environment)},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )

    return run


def test_a_machine_without_a_suitable_python_gets_an_error(machine):
    result = machine()
    assert result.returncode == 1
    assert "no Python 3.11 or newer was found. Install one, or name it" in result.stderr


def test_an_unsuitable_python_is_rejected_by_name(machine):
    result = machine({"PYTHON": "/bin/false"})
    assert result.returncode == 1
    assert "PYTHON=/bin/false is not a Python 3.11 or newer" in result.stderr


def test_without_apt_the_missing_packages_are_named(machine):
    result = machine(python3=BARE_PYTHON)
    assert result.returncode == 1
    assert "cannot make virtual environments yet" in result.stderr
    assert "Install your system's counterparts of: python3.12-venv" in result.stderr


def test_a_user_who_may_not_install_is_given_the_one_command(machine):
    result = machine(
        python3=BARE_PYTHON, apt_get="#!/bin/sh\nexit 9\n", id="#!/bin/sh\necho 1000\n"
    )
    assert result.returncode == 1
    command = "sudo apt-get update && sudo apt-get install -y python3.12-venv"
    assert f"    {command}\n" in result.stderr


def test_a_user_who_may_install_gets_what_is_missing_installed(machine, tmp_path):
    log = tmp_path / "log"
    result = machine(
        python3=BARE_PYTHON,
        apt_get=f'#!/bin/sh\necho "$@" >> {log}\n',
        sudo='#!/bin/sh\n[ "$1" = -n ] && shift\n[ "$1" = true ] || "$@"\n',
        id="#!/bin/sh\necho 1000\n",
    )
    assert log.read_text().splitlines() == [
        "update -qq",
        "install -y -qq --no-install-recommends python3.12-venv",
    ]
    assert "Making .venv with Python 3.12.0" in result.stdout


# A Python whose virtual environment has Qt, but not the libraries for windows.
PYTHON_WITHOUT_X11 = """#!/bin/sh
case "$*" in
    *gradstep_gui.display*) echo libxcb-cursor0 libxkbcommon-x11-0 ;;
    *"-m venv"*) mkdir -p .venv/bin && cp "$0" .venv/bin/python ;;
esac
exit 0
"""
ON_LINUX = {"uname": "#!/bin/sh\necho Linux\n", "timeout": '#!/bin/sh\nshift\nexec "$@"\n'}


@pytest.fixture
def without_x11(machine, tmp_path):
    """A machine without a display, where Qt draws but cannot open a window."""
    for name in ("mkdir", "cp", "touch"):
        (tmp_path / "bin" / name).symlink_to(shutil.which(name))

    def run(**scripts):
        return machine(python3=PYTHON_WITHOUT_X11, **ON_LINUX, **scripts)

    return run


def test_the_libraries_for_windows_are_installed_before_there_is_a_display(without_x11, tmp_path):
    log = tmp_path / "log"
    result = without_x11(apt_get=f'#!/bin/sh\necho "$@" >> {log}\n', id="#!/bin/sh\necho 0\n")
    assert result.returncode == 0, result.stderr
    assert "libxcb-cursor0" in log.read_text().splitlines()[1]
    assert (tmp_path / ".venv" / ".ready").exists()


def test_a_user_who_may_not_install_them_sees_the_command_and_can_use_the_terminal(
    without_x11, tmp_path
):
    result = without_x11(apt_get="#!/bin/sh\nexit 9\n", id="#!/bin/sh\necho 1000\n")
    assert result.returncode == 0, result.stderr
    command = "sudo apt-get update && sudo apt-get install -y libxcb-cursor0 libxkbcommon-x11-0"
    assert f"type: {command}\n" in result.stdout
    assert (tmp_path / ".venv" / ".ready").exists()


def test_the_set_up_contains_nothing_that_belongs_to_one_machine():
    folders = [ROOT / "scripts", ROOT / ".ci", ROOT / ".github" / "workflows"]
    files = [path for folder in folders for path in sorted(folder.iterdir()) if path.is_file()]
    for path in (ROOT / "Makefile", *files):
        text = path.read_text()
        assert "index-url" not in text
        assert "/home/" not in text


PYTHON_OF_WINDOWS = """#!/bin/sh
echo "$0 $*" >> calls
case "$*" in
    *"-m venv"*) mkdir -p .venv/Scripts && cp "$0" .venv/Scripts/python ;;
esac
exit 0
"""


def test_on_windows_the_programs_of_the_environment_are_in_scripts(machine, tmp_path):
    for name in ("mkdir", "cp", "touch"):
        (tmp_path / "bin" / name).symlink_to(shutil.which(name))
    result = machine(python=PYTHON_OF_WINDOWS, uname="#!/bin/sh\necho MINGW64_NT-10.0\n")
    assert result.returncode == 0, result.stderr
    last = (tmp_path / "calls").read_text().splitlines()[-1]
    assert last.startswith(".venv/Scripts/python -m pip install")

"""Builds the source distribution and the wheel into dist/, and checks that they can be installed.

    python scripts/check_package.py [--python PYTHON ...] [--quick]

The wheel is built from the source distribution. Both are built twice, the second time from the
unpacked source distribution, and must be equal byte for byte. The wheel must hold what the program
needs and nothing else. Both are installed into fresh environments of each Python from 3.11 on that
is found (or of those that are named), and tried out there; `--quick` tries the wheel alone, with
this Python.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from datetime import UTC, datetime
from pathlib import Path

from trial import clean_environment, expect, run, try_out

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
MINORS = range(11, 15)
PACKAGES = {
    "core/gradstep": "gradstep",
    "core/gradstep_agent": "gradstep_agent",
    "core/gradstep_torch": "gradstep_torch",
    "gradstep_gui": "gradstep_gui",
    "resources": "gradstep_gui/resources",
}
"""Where each folder of the sources stands in a wheel."""


def main() -> None:
    """Build, check, install and try out."""
    options = _options()
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    os.environ["SOURCE_DATE_EPOCH"] = str(_released(version))
    for earlier in (*DIST.glob("*.tar.gz"), *DIST.glob("*.whl")):
        earlier.unlink()
    with tempfile.TemporaryDirectory(prefix="gradstep-package-") as name:
        folder = Path(name)
        built = _build(ROOT, DIST)
        _check_same(built, _build(_unpacked(built[0], folder), folder / "again"))
        run([sys.executable, "-m", "twine", "check", "--strict", *built], folder, os.environ)
        _check_contents(built[1])
        _say(f"{' and '.join(path.name for path in built)}: built twice alike, and complete")
        pythons = [sys.executable] if options.quick else options.python or _pythons()
        for number, python in enumerate(pythons):
            for package in built[1:] if options.quick else built:
                place = folder / f"{number}{package.suffix}"
                _install_and_try(package, python, place, version)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--python", action="append", default=[], help="install into this Python")
    parser.add_argument("--quick", action="store_true", help="the wheel alone, with this Python")
    return parser.parse_args()


def _released(version: str) -> int:
    """Return when a version was released: the time that all files in the packages get."""
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    found = re.search(rf"^## \[{re.escape(version)}\] - (\d{{4}}-\d\d-\d\d)$", text, re.MULTILINE)
    if found is None:
        raise SystemExit(f"CHANGELOG.md has no section for {version}")
    return int(datetime.fromisoformat(found[1]).replace(tzinfo=UTC).timestamp())


def _build(source: Path, out: Path) -> list[Path]:
    """Build both packages; return the source distribution, then the wheel made from it."""
    words = ["-m", "build", "--no-isolation", "--outdir", out, source]
    run([sys.executable, *words], source, os.environ)
    return [*out.glob("*.tar.gz"), *out.glob("*.whl")]


def _unpacked(package: Path, folder: Path) -> Path:
    with tarfile.open(package) as archive:
        archive.extractall(folder, filter="data")
    return folder / package.name.removesuffix(".tar.gz")


def _check_same(first: list[Path], second: list[Path]) -> None:
    for one, other in zip(first, second, strict=True):
        expect(one.name == other.name, f"{one.name} and {other.name} are not one package")
        same = one.read_bytes() == other.read_bytes()
        expect(same, f"{one.name} differs when it is built again")


def _check_contents(wheel: Path) -> None:
    """Check that a wheel holds the sources and the resources, and nothing else."""
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}
    wanted = set()
    for path in _sources():
        for folder, place in PACKAGES.items():
            if path.startswith(f"{folder}/"):
                wanted.add(f"{place}{path.removeprefix(folder)}")
    expect(held >= wanted, f"the wheel lacks {', '.join(sorted(wanted - held))}")
    expect(held <= wanted, f"the wheel should not hold {', '.join(sorted(held - wanted))}")


def _sources() -> list[str]:
    """Return the paths of all sources: those under version control, where there is one."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", *PACKAGES],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode == 0:
        return [path for path in listed.stdout.splitlines() if (ROOT / path).is_file()]
    return [
        path.relative_to(ROOT).as_posix()
        for folder in PACKAGES
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    ]


def _pythons() -> list[str]:
    """Return the Pythons from 3.11 on that are found on PATH, one of each version."""
    found = [shutil.which(f"python3.{minor}") for minor in MINORS]
    pythons = [python for python in found if python and _works(python)]
    return pythons or [sys.executable]


def _works(python: str) -> bool:
    """Whether it starts: a shim of pyenv may lead nowhere."""
    done = subprocess.run([python, "-c", "import venv"], capture_output=True, check=False)
    return done.returncode == 0


def _install_and_try(package: Path, python: str, folder: Path, version: str) -> None:
    """Install a package into a fresh environment, and try it out in an empty folder."""
    folder.mkdir()
    environment = clean_environment(folder / "home")
    place = folder / "venv"
    run([python, "-m", "venv", place], folder, environment)
    programs = place / ("Scripts" if os.name == "nt" else "bin")
    own = programs / "python"
    pip = [own, "-m", "pip", "--disable-pip-version-check"]
    run([*pip, "install", "--quiet", package], folder, os.environ)
    run([*pip, "check"], folder, environment)
    where = run([own, "-c", "import gradstep; print(gradstep.__file__)"], folder, environment)
    own_folder = Path(where.strip()).resolve()
    expect(own_folder.is_relative_to(place.resolve()), f"gradstep is imported from {where}")
    try_out([programs / "gradstep"], folder / "empty", environment, version)
    number = run(
        [own, "-c", "import platform; print(platform.python_version())"], folder, environment
    )
    _say(f"{package.name}: works on Python {number.strip()}")
    shutil.rmtree(folder)


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()

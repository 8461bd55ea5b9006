"""Makes the bundle: a folder that starts without Python, packed, and on Linux as an AppImage.

    python scripts/make_bundle.py

PyInstaller makes `dist/bundle/gradstep`. It is tried out as an installed package is, in an
environment without Python, and packed beside it with its version (on Windows as a zip file). On
Linux `dist/bundle/GradStep.AppDir` is made of it, and an AppImage of that where `appimagetool` is
installed.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from trial import clean_environment, expect, run, try_out

ROOT = Path(__file__).resolve().parents[1]
MADE = ROOT / "dist" / "bundle"
TOOL = "appimagetool"
APP_RUN = """#!/bin/sh
here=${APPDIR:-${0%/*}}
exec "$here/usr/lib/gradstep/gradstep" "$@"
"""


def main() -> None:
    """Make it, try it out, pack it."""
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    name = f"gradstep-{version}-{sys.platform}-{platform.machine().lower()}"
    shutil.rmtree(MADE, ignore_errors=True)
    words = ["--noconfirm", "--log-level", "WARN", "--workpath", ROOT / "build", "--distpath", MADE]
    spec = ROOT / "packaging" / "gradstep.spec"
    subprocess.run([sys.executable, "-m", "PyInstaller", *words, spec], cwd=ROOT, check=True)
    folder = MADE / "gradstep"
    program = folder / ("gradstep.exe" if os.name == "nt" else "gradstep")
    _try([program], version)
    kind = "zip" if os.name == "nt" else "gztar"
    packed = shutil.make_archive(str(MADE / name), kind, MADE, "gradstep")
    _say(f"{packed}: {_megabytes(Path(packed))}, works without Python")
    if sys.platform == "linux":
        _make_app_image(_app_dir(folder), MADE / f"{name}.AppImage", version)


def _try(gradstep: list[str | Path], version: str) -> None:
    """Try the bundle out where no Python is on PATH."""
    with tempfile.TemporaryDirectory(prefix="gradstep-bundle-") as name:
        folder = Path(name)
        nowhere = folder / "bin"
        nowhere.mkdir()
        system_root = {key: text for key, text in os.environ.items() if key == "SYSTEMROOT"}
        environment = clean_environment(folder / "home")
        kept = {key: environment[key] for key in environment if key.startswith(("XDG_", "QT_"))}
        bare = {**system_root, **kept, "HOME": environment["HOME"], "PATH": str(nowhere)}
        try_out(gradstep, folder / "empty", bare, version)
        lacks = [*gradstep, "record", folder / "missing.py"]
        (folder / "missing.py").write_text("import torch\n", "utf-8")
        if os.name == "posix":
            run(lacks, folder, bare, statuses=(2,))  # it needs the script's own Python
        facts = run([*gradstep, "doctor"], folder, bare, statuses=(0,))
        expect("(bundled)" in facts, "gradstep doctor does not know that it is bundled")


def _app_dir(folder: Path) -> Path:
    """Make the folder that an AppImage holds."""
    app = MADE / "GradStep.AppDir"
    shutil.copytree(folder, app / "usr" / "lib" / "gradstep", symlinks=True)
    desktop = ROOT / "resources" / "desktop" / "gradstep.desktop"
    entry = desktop.read_text("utf-8").replace("Exec=gradstep-window", "Exec=gradstep")
    icon = ROOT / "resources" / "icons" / "gradstep.svg"
    (app / "gradstep.desktop").write_text(entry, "utf-8")
    shutil.copy(icon, app / "gradstep.svg")
    (app / ".DirIcon").symlink_to("gradstep.svg")
    (app / "AppRun").write_text(APP_RUN, "utf-8")
    (app / "AppRun").chmod(0o755)
    return app


def _make_app_image(app: Path, image: Path, version: str) -> None:
    """Pack an AppDir, and try the image out; say what is missing where that cannot be done."""
    image.unlink(missing_ok=True)
    tool = shutil.which(TOOL)
    if tool is None:
        _try([app / "AppRun"], version)
        _say(
            f"{app}: works. There is no AppImage: {TOOL} is not installed. Get it from the "
            f"AppImage project, and run make bundle again, or: ARCH={platform.machine()} "
            f"{TOOL} {app} {image}"
        )
        return
    environment = {**os.environ, "ARCH": platform.machine(), "VERSION": version}
    subprocess.run([tool, "--no-appstream", app, image], env=environment, check=True)
    _try([image, "--appimage-extract-and-run"], version)
    _say(f"{image}: {_megabytes(image)}, works without Python")


def _megabytes(path: Path) -> str:
    return f"{path.stat().st_size / 1e6:,.0f} MB"


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()

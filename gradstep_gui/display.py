"""Whether a window can be opened, checked before Qt starts, since it aborts where it cannot."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import shutil
import socket
import sys
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["chosen_platforms", "install_command", "missing_packages", "reason_for_no_window"]

_DEFAULT = "offscreen"
_PLUGINS = "Qt/plugins/platforms"
_PREFIX = "libq"

LIBRARIES: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "offscreen": {
            "libEGL.so.1": "libegl1",
            "libGL.so.1": "libgl1",
            "libX11.so.6": "libx11-6",
            "libdbus-1.so.3": "libdbus-1-3",
            "libfontconfig.so.1": "libfontconfig1",
            "libfreetype.so.6": "libfreetype6",
            "libglib-2.0.so.0": "libglib2.0-0",
            "libxkbcommon.so.0": "libxkbcommon0",
            "libzstd.so.1": "libzstd1",
            "libz.so.1": "zlib1g",
        },
        "xcb": {
            "libxcb-cursor.so.0": "libxcb-cursor0",
            "libxcb-icccm.so.4": "libxcb-icccm4",
            "libxcb-image.so.0": "libxcb-image0",
            "libxcb-keysyms.so.1": "libxcb-keysyms1",
            "libxcb-randr.so.0": "libxcb-randr0",
            "libxcb-render-util.so.0": "libxcb-render-util0",
            "libxcb-render.so.0": "libxcb-render0",
            "libxcb-shape.so.0": "libxcb-shape0",
            "libxcb-shm.so.0": "libxcb-shm0",
            "libxcb-sync.so.1": "libxcb-sync1",
            "libxcb-util.so.1": "libxcb-util1",
            "libxcb-xfixes.so.0": "libxcb-xfixes0",
            "libxcb-xkb.so.1": "libxcb-xkb1",
            "libxcb-glx.so.0": "libxcb-glx0",
            "libX11-xcb.so.1": "libx11-xcb1",
            "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
        },
        "wayland": {
            "libwayland-client.so.0": "libwayland-client0",
            "libwayland-cursor.so.0": "libwayland-cursor0",
            "libwayland-egl.so.1": "libwayland-egl1",
        },
    }
)
"""The libraries that Qt loads, for all platforms and for each: their Debian packages.

From `ldd` on QtGui and on the platform plugins of PySide6 6.11.
"""

_OTHERWISE = "use gradstep run FILE, or gradstep --screenshot OUT.png [FILE]"


def missing_packages(platform: str, load: Callable[[str], object] = ctypes.CDLL) -> tuple[str, ...]:
    """Return the Debian packages whose libraries a Qt platform needs and cannot load.

    Args:
        platform: "xcb", "wayland" or "offscreen"; others need what "offscreen" needs.
        load: Loads a library by name, or raises OSError.

    Example:
        >>> def load(name):
        ...     if "cursor" in name:
        ...         raise OSError(f"{name}: cannot open shared object file")
        >>> missing_packages("xcb", load), missing_packages("offscreen", load)
        (('libxcb-cursor0',), ())
    """
    found = []
    for library, package in {**LIBRARIES[_DEFAULT], **LIBRARIES.get(platform, {})}.items():
        try:
            load(library)
        except OSError:
            found.append(package)
    return tuple(found)


def install_command(packages: tuple[str, ...], *, has_apt: bool | None = None) -> str:
    """Return the remedy for missing packages: the command to type.

    Args:
        packages: Names of Debian packages.
        has_apt: Whether the system has apt-get; None to look.
    """
    if shutil.which("apt-get") is not None if has_apt is None else has_apt:
        return f"type: sudo apt-get install -y {' '.join(packages)}"
    return f"install your system's counterparts of: {' '.join(packages)}"


def reason_for_no_window(
    environment: Mapping[str, str],
    load: Callable[[str], object] = ctypes.CDLL,
    reaches: Callable[[str, Mapping[str, str]], bool] | None = None,
) -> str | None:
    """Return why Qt could not open a window, with the remedy; None when it can.

    Args:
        environment: The environment variables.
        load: Loads a library by name, or raises OSError.
        reaches: Returns whether the display of a platform can be reached.
    """
    if not sys.platform.startswith("linux"):
        return None
    platforms = chosen_platforms(environment)
    if not platforms:
        wanted = environment.get("QT_QPA_PLATFORM", "")
        if wanted:
            choices = ", ".join(sorted(_platforms_of_qt(environment)))
            return f"Qt has no platform {wanted}; unset QT_QPA_PLATFORM, or use one of {choices}"
        return f"there is no display to open a window on; {_OTHERWISE}"
    reasons = [_reason(platform, environment, load, reaches or _reaches) for platform in platforms]
    return None if None in reasons else reasons[-1]


def chosen_platforms(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the platforms that Qt tries, in order; none when there is no display.

    Args:
        environment: The environment variables.
    """
    wanted = environment.get("QT_QPA_PLATFORM", "")
    if wanted:
        names = [entry.partition(":")[0] for entry in wanted.split(";")]
        offered = _platforms_of_qt(environment)
        usable = [name for name in names if not offered or name.partition("-")[0] in offered]
        return tuple(usable[:1])
    shown = {"wayland": "WAYLAND_DISPLAY", "xcb": "DISPLAY"}
    return tuple(name for name, variable in shown.items() if environment.get(variable))


def _platforms_of_qt(environment: Mapping[str, str]) -> frozenset[str]:
    """Return the platforms that come with Qt; none where others may be, or where they are unknown.

    Qt is not imported for it: its plugins are files named after their platforms.
    """
    package = importlib.util.find_spec("PySide6")
    if package is None or environment.keys() & {"QT_PLUGIN_PATH", "QT_QPA_PLATFORM_PLUGIN_PATH"}:
        return frozenset()
    folders = [Path(place, _PLUGINS) for place in package.submodule_search_locations or ()]
    files = [file for folder in folders for file in folder.glob(f"{_PREFIX}*.so")]
    return frozenset(file.stem.removeprefix(_PREFIX) for file in files)


def _reason(
    platform: str,
    environment: Mapping[str, str],
    load: Callable[[str], object],
    reaches: Callable[[str, Mapping[str, str]], bool],
) -> str | None:
    packages = missing_packages(platform, load)
    if packages:
        return f"libraries that Qt needs are not installed; {install_command(packages)}"
    if reaches(platform, environment):
        return None
    variable = "WAYLAND_DISPLAY" if platform == "wayland" else "DISPLAY"
    name = environment.get(variable)
    if not name:
        return f"there is no display to open a window on; {_OTHERWISE}"
    return f"the display {name} cannot be reached; check {variable}, or {_OTHERWISE}"


def _reaches(platform: str, environment: Mapping[str, str]) -> bool:
    """Connect to the display of a platform, and disconnect."""
    if platform == "xcb":
        return _reaches_x11(environment.get("DISPLAY", ""))
    if platform == "wayland":
        return _reaches_wayland(environment)
    return True  # offscreen and the like need none


def _reaches_x11(display: str) -> bool:
    xcb = ctypes.CDLL("libxcb.so.1")
    xcb.xcb_connect.restype = ctypes.c_void_p
    xcb.xcb_connect.argtypes = [ctypes.c_char_p, ctypes.c_void_p]
    xcb.xcb_connection_has_error.argtypes = [ctypes.c_void_p]
    xcb.xcb_disconnect.argtypes = [ctypes.c_void_p]
    connection = xcb.xcb_connect(os.fsencode(display), None)
    try:
        return not xcb.xcb_connection_has_error(connection)
    finally:
        xcb.xcb_disconnect(connection)


def _reaches_wayland(environment: Mapping[str, str]) -> bool:
    if sys.platform == "win32":
        return False
    name = environment.get("WAYLAND_DISPLAY", "wayland-0")
    path = os.path.join(environment.get("XDG_RUNTIME_DIR", ""), name)  # noqa: PTH118 - a name may be a whole path
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(5.0)
        try:
            connection.connect(path)
        except OSError:
            return False
    return True


if __name__ == "__main__":  # for scripts/setup.sh, where there may be no display yet
    sys.stdout.write(f"{' '.join(missing_packages('xcb'))}\n")

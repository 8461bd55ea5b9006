"""Whether a window can be opened: the libraries and the display, and the one command to type."""

import re
import sys
from pathlib import Path

import pytest

from gradstep_gui.display import (
    LIBRARIES,
    install_command,
    missing_packages,
    reason_for_no_window,
)

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="other systems bring Qt's libraries"
)


def loader(*absent):
    """Load every library but those whose names hold one of these."""

    def load(name):
        if any(part in name for part in absent):
            raise OSError(f"{name}: cannot open shared object file")

    return load


def reason(environment, *absent, reached=True):
    return reason_for_no_window(environment, loader(*absent), lambda *_: reached)


def test_with_all_libraries_and_a_display_a_window_can_be_opened():
    assert reason({"DISPLAY": ":0"}) is None
    assert reason({"WAYLAND_DISPLAY": "wayland-0"}) is None
    assert reason({"QT_QPA_PLATFORM": "offscreen"}, "xcb", "wayland") is None


def test_missing_libraries_for_x11_are_named_with_the_command_to_install_them():
    found = reason({"DISPLAY": ":0"}, "libxcb-cursor", "libxkbcommon-x11")
    assert found.startswith("libraries that Qt needs are not installed; ")
    assert found.endswith("libxcb-cursor0 libxkbcommon-x11-0")


@pytest.mark.parametrize(
    ("has_apt", "command"),
    [
        (True, "type: sudo apt-get install -y libegl1 libgl1"),
        (False, "install your system's counterparts of: libegl1 libgl1"),
    ],
)
def test_the_remedy_is_one_command(has_apt, command):
    packages = missing_packages("offscreen", loader("libEGL", "libGL"))
    assert install_command(packages, has_apt=has_apt) == command


def test_a_picture_needs_no_library_for_windows():
    assert reason({"QT_QPA_PLATFORM": "offscreen", "DISPLAY": ":0"}, "xcb") is None
    assert "libegl1" in reason({"QT_QPA_PLATFORM": "offscreen"}, "libEGL")


def test_one_of_two_display_servers_is_enough():
    both = {"WAYLAND_DISPLAY": "wayland-0", "DISPLAY": ":0"}
    assert reason(both, "wayland") is None
    assert reason(both, "xcb") is None
    assert "libxcb-cursor0" in reason(both, "wayland", "xcb")


def test_a_display_that_cannot_be_reached_is_named():
    assert reason({"DISPLAY": ":99"}, reached=False).startswith("the display :99 cannot be reached")
    assert "check WAYLAND_DISPLAY" in reason({"WAYLAND_DISPLAY": "wayland-7"}, reached=False)
    assert reason({}).startswith("there is no display")
    assert reason({"QT_QPA_PLATFORM": "xcb"}, reached=False).startswith("there is no display")


def test_a_platform_that_qt_does_not_have_is_named_with_those_that_it_has():
    found = reason({"QT_QPA_PLATFORM": "nonsense"})
    assert found.startswith("Qt has no platform nonsense; unset QT_QPA_PLATFORM, or use one of ")
    assert "minimal, " in found
    assert "xcb" in found
    assert reason({"QT_QPA_PLATFORM": "nonsense;offscreen"}) is None
    assert reason({"QT_QPA_PLATFORM": "wayland-egl", "WAYLAND_DISPLAY": "wayland-0"}) is None
    assert reason({"QT_QPA_PLATFORM": "own", "QT_PLUGIN_PATH": "/opt/plugins"}) is None


def test_a_wayland_socket_that_does_not_exist_is_not_reached(tmp_path):
    environment = {"WAYLAND_DISPLAY": "wayland-7", "XDG_RUNTIME_DIR": str(tmp_path)}
    found = reason_for_no_window(environment, loader())
    assert found.startswith("the display wayland-7 cannot be reached")


def test_the_setup_installs_the_packages_that_are_checked():
    text = (ROOT / "scripts" / "setup.sh").read_text().replace("\\\n", "")
    for platform, variable in (("offscreen", "offscreen"), ("xcb", "window")):
        listed = re.search(rf'^{variable}_libraries="([^"]*)"', text, re.MULTILINE)[1].split()
        assert set(LIBRARIES[platform].values()) == set(listed) - {"fonts-dejavu-core"}

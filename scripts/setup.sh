#!/bin/sh
# Makes .venv with everything that GradStep needs, from nothing: a Python, its packages, and the
# system libraries that Qt loads. Set PYTHON to choose the interpreter.
set -eu
cd "$(dirname "$0")/.."

offscreen_libraries="libegl1 libgl1 libx11-6 libdbus-1-3 libfontconfig1 libfreetype6 libglib2.0-0 \
libxkbcommon0 libzstd1 zlib1g fonts-dejavu-core"
window_libraries="libxcb-cursor0 libxcb-icccm4 libxcb-image0 libxcb-keysyms1 libxcb-randr0 \
libxcb-render-util0 libxcb-render0 libxcb-shape0 libxcb-shm0 libxcb-sync1 libxcb-util1 \
libxcb-xfixes0 libxcb-xkb1 libxcb-glx0 libx11-xcb1 libxkbcommon-x11-0"

say() { printf '%s\n' "$*"; }
fail() { printf 'setup: %s\n' "$*" >&2; exit 1; }

# may_install: whether apt-get can be used here without a password; sets as_root.
may_install() {
    as_root=""
    command -v apt-get >/dev/null || return 1
    [ "$(id -u)" = 0 ] && return
    command -v sudo >/dev/null && sudo -n true 2>/dev/null && as_root="sudo"
}

# install WHY PACKAGE...: with apt-get when it may be used, else the command to type.
install() {
    why=$1; shift
    if ! may_install; then
        command -v apt-get >/dev/null || fail "$why. Install your system's counterparts of: $*"
        fail "$why. Type this once, then run make again:
    sudo apt-get update && sudo apt-get install -y $*"
    fi
    say "$why: installing $*"
    $as_root apt-get update -qq
    DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

is_suitable() {
    command -v "$1" >/dev/null && "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
}

find_python() {
    if [ -n "${PYTHON:-}" ]; then
        is_suitable "$PYTHON" || fail "PYTHON=$PYTHON is not a Python 3.11 or newer. Name another one."
        printf '%s' "$PYTHON"
        return
    fi
    for candidate in python3 python3.14 python3.13 python3.12 python3.11 python; do
        if is_suitable "$candidate"; then
            printf '%s' "$candidate"
            return
        fi
    done
    fail "no Python 3.11 or newer was found. Install one, or name it: make run PYTHON=/path/to/python3"
}

make_venv() {
    python=$(find_python) || exit 1
    if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
        version=$("$python" -c 'import sys; print("python%d.%d" % sys.version_info[:2])')
        install "$python cannot make virtual environments yet" "$version-venv"
    fi
    say "Making .venv with $("$python" --version)"
    rm -rf .venv
    "$python" -m venv .venv
}

# where_it_is: the folder of the environment's programs, which has another name on Windows.
where_it_is() {
    bin=.venv/bin
    if [ -d .venv/Scripts ]; then bin=.venv/Scripts; fi
}

# Qt starts, and knows at least one font to write with.
qt_works() {
    timeout 60 $bin/python -c '
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QApplication
app = QApplication([])
raise SystemExit(not QFontDatabase.families())' 2>/dev/null
}

where_it_is
is_suitable $bin/python && $bin/python -m pip --version >/dev/null 2>&1 || make_venv
where_it_is
say "Installing GradStep and its packages into .venv (a minute or two the first time)"
$bin/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'

if [ "$(uname -s)" = Linux ]; then
    if ! QT_QPA_PLATFORM=offscreen qt_works; then
        install "Qt's system libraries are missing" $offscreen_libraries
        QT_QPA_PLATFORM=offscreen qt_works || fail "Qt still does not start. See what it lacks with:
    QT_QPA_PLATFORM=offscreen $bin/python -c 'from PySide6.QtWidgets import QApplication; QApplication([])'"
    fi
    # Without a display too: one may come later, and .venv/.ready then skips this script.
    missing=$($bin/python -m gradstep_gui.display)
    if [ -n "$missing" ]; then
        if may_install; then
            install "Qt's libraries for windows are missing" $window_libraries
        else
            say "The terminal works, but not yet the window. It also needs: $missing
To install that, type: sudo apt-get update && sudo apt-get install -y $missing"
        fi
    fi
fi
touch .venv/.ready

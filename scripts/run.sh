#!/bin/sh
# Opens the window; without a display, runs a bundled program here and draws the window to a file.
set -eu
cd "$(dirname "$0")/.."
scenario=resources/scenarios/06_iris.json

if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] || [ "$(uname -s)" = Darwin ]; then
    exec .venv/bin/gradstep
fi
echo "There is no display here, so the program runs in the terminal and the window is drawn to a file."
.venv/bin/gradstep run "$scenario" --iterations 200 --save gradstep-demo.gradstep
.venv/bin/gradstep --screenshot gradstep-demo.png gradstep-demo.gradstep

#!/bin/sh
# Opens the window; without a display, runs a bundled program here and draws the window to a file.
set -eu
cd "$(dirname "$0")/.."
scenario=resources/scenarios/06_iris.json
bin=.venv/bin
if [ -d .venv/Scripts ]; then bin=.venv/Scripts; fi # on Windows

case "${DISPLAY:-}${WAYLAND_DISPLAY:-}$(uname -s)" in
    Linux | *BSD) ;;
    *) exec $bin/gradstep ;;
esac
echo "There is no display here, so the program runs in the terminal and the window is drawn to a file."
$bin/gradstep run "$scenario" --iterations 200 --save gradstep-demo.gradstep
$bin/gradstep --screenshot gradstep-demo.png gradstep-demo.gradstep

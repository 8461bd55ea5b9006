#!/bin/sh
# Runs every bundled program headless, then takes the README's pictures of the window.
set -eu
cd "$(dirname "$0")/.."
pictures=docs/pictures
mkdir -p "$pictures"
session=$(mktemp -d)/demo.gradstep

for scenario in resources/scenarios/*.json; do
    .venv/bin/gradstep run "$scenario" --iterations 20
done
.venv/bin/gradstep run resources/scenarios/06_iris.json --iterations 200 --save "$session"
.venv/bin/gradstep --screenshot "$pictures/window.png" "$session"
rm -r "$(dirname "$session")"

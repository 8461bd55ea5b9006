#!/bin/sh
# Runs every bundled program headless, then takes the README's pictures of the window.
set -eu
cd "$(dirname "$0")/.."
gradstep=.venv/bin/gradstep
pictures=docs/pictures
mkdir -p "$pictures"

for scenario in $(ls resources/scenarios/*.json | grep -v lesson); do
    $gradstep run "$scenario" --iterations 20
done
into="--press debug.step_into"
begun=$(mktemp -d)/lesson.gradstep
.venv/bin/python scripts/begun_lesson.py "$begun"
for theme in light dark; do
    $gradstep --screenshot "$pictures/lesson-$theme.png" "$begun" --layout learn --theme $theme
done
for theme in light dark; do
    $gradstep --screenshot "$pictures/window-$theme.png" resources/scenarios/06_iris.json \
        --iterations 60 --theme $theme --layout debug
    $gradstep --screenshot "$pictures/inside-$theme.png" resources/scenarios/06_iris.json \
        --iterations 20 --theme $theme --layout debug --press debug.zero_grad --press debug.forward \
        $into $into $into $into $into
done
for theme in light dark; do
    $gradstep --screenshot "$pictures/landscape-$theme.png" resources/scenarios/07_rosenbrock.json \
        --iterations 600 --layout learn --dock landscape --size 1440x1100 --theme $theme
    $gradstep --screenshot "$pictures/script-$theme.png" resources/scripts/sine.gradstep --theme $theme --press view.findings
done
$gradstep --screenshot "$pictures/wrong-model.png" resources/scenarios/08_wrong_model.json \
    --iterations 5 --layout debug
ls "$pictures"/*.png

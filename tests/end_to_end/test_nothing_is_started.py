"""Programs, lessons and sessions open no socket and start no process."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

WINDOW = """
import json, os, sys
from pathlib import Path

audited = []
FORBIDDEN = ("socket.", "subprocess.", "os.system", "os.exec", "os.fork", "os.posix_spawn", "pty.")
sys.addaudithook(lambda event, _: audited.append(event) if event.startswith(FORBIDDEN) else None)

from gradstep.lessons.gallery import lessons
from gradstep.program.gallery import scenarios
from gradstep_gui import app
from gradstep_gui.settings import Settings

folder = Path(sys.argv[1])
application, window = app.build(["gradstep"], Settings(folder / "settings.ini"), folder / "kept")
window.show()
controller = window.controller

def settle():
    assert controller.wait_idle(60)
    application.processEvents()

for entry in scenarios()[:2]:
    controller.open(entry.path, as_copy=True)
    settle()
    for action in ("forward", "backward", "step", "iterate"):
        window.actions_by_id[f"debug.{action}"].trigger()
        settle()
controller.save(folder / "saved.gradstep")
settle()
window.documents.open_lesson(lessons()[0].path)
settle()
for session in (folder / "saved.gradstep", Path(sys.argv[2])):
    controller.open(session)
    settle()
    controller.seek(2)
    settle()

assert controller.document.recording is not None
links = [os.readlink(f"/proc/self/fd/{number}") for number in os.listdir("/proc/self/fd")
         if os.path.lexists(f"/proc/self/fd/{number}")]
children = [text for task in Path("/proc/self/task").iterdir()
            if (text := (task / "children").read_text().strip())]
window.discard()
print(json.dumps({"audited": audited, "children": children,
                  "sockets": [link for link in links if link.startswith("socket:")]}))
"""
ROOT = Path(__file__).parents[2]
RECORDING = ROOT / "resources" / "scripts" / "sine.gradstep"


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_the_window_opens_no_socket_and_starts_no_process(tmp_path):
    ran = subprocess.run(
        [sys.executable, "-c", WINDOW, tmp_path, RECORDING],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
    )
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout.splitlines()[-1]) == {
        "audited": [],
        "children": [],
        "sockets": [],
    }

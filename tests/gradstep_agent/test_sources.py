"""The text of the script's own files is sent, and of no others."""

from __future__ import annotations

from gradstep_agent.sources import Sources


class Wire:
    def __init__(self):
        self.sent = []

    def send(self, header, body):
        self.sent.append((header["file"], b"".join(body)))


def test_a_file_is_sent_once_and_only_from_the_scripts_own_folder(tmp_path):
    own, neighbour = tmp_path / "proj", tmp_path / "proj2"
    for folder in (own, neighbour):
        (folder / "parts").mkdir(parents=True)
        (folder / "parts" / "model.py").write_text("model = 1\n")
    wire = Wire()
    sources = Sources(wire)
    sources.folder = str(own)
    inside, outside = (str(folder / "parts" / "model.py") for folder in (own, neighbour))
    for file in (inside, inside, outside, str(own / "missing.py"), ""):
        sources.send(file)
    assert wire.sent == [(inside, b"model = 1\n")]

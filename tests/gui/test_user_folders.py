"""Settings, recordings and the log have a place even for a user without a home folder."""

import os
from pathlib import Path

import pytest

from gradstep_gui import user_folders


@pytest.fixture
def homeless(monkeypatch):
    """A user that the system does not know, as in a container that runs with any number."""
    for name in ("HOME", *(name for name in os.environ if name.startswith("XDG_"))):
        monkeypatch.delenv(name, raising=False)
    pwd = pytest.importorskip("pwd")
    monkeypatch.setattr(pwd, "getpwuid", lambda number: {}[number])


def test_without_a_home_folder_they_are_in_a_temporary_one_of_this_process(homeless):
    found = [user_folders.config_folder(), user_folders.state_folder(), user_folders.log_folder()]
    assert not user_folders.has_home()
    assert len(set(found)) == 3
    (parent,) = {folder.parent for folder in found}
    assert parent.stat().st_mode & 0o077 == 0
    assert user_folders.home_folder() == Path.cwd()


def test_with_a_home_folder_they_are_below_it(monkeypatch, tmp_path):
    for name in [name for name in os.environ if name.startswith("XDG_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert user_folders.has_home()
    assert user_folders.home_folder() == tmp_path
    assert user_folders.state_folder().is_relative_to(tmp_path)

"""Settings: typed, and nonsense in the file does no harm."""

from pathlib import Path

from PySide6.QtCore import QByteArray, QSettings

from gradstep_gui.action_ids import LayoutId
from gradstep_gui.settings import (
    CHOSEN_LAYOUT,
    RECENT,
    RECENT_KEPT,
    RUN_UNTIL_ITERATION,
    SMOOTHING,
    THEME,
    Settings,
    layout_setting,
)

LAYOUT = layout_setting(LayoutId.LEARN)


def written(path, **values):
    store = QSettings(str(path), QSettings.Format.IniFormat)
    for key, value in values.items():
        store.setValue(key, value)
    store.sync()
    return path


def test_unset_settings_have_their_defaults(tmp_path):
    settings = Settings(tmp_path / "s.ini")
    assert settings.get(THEME) == "system"
    assert settings.get(RECENT) == ()
    assert settings.get(LAYOUT).isEmpty()


def test_values_survive_being_written_and_read_again(tmp_path):
    Settings(tmp_path / "s.ini").set(THEME, "dark")
    Settings(tmp_path / "s.ini").set(LAYOUT, QByteArray(b"\x00\x01"))
    Settings(tmp_path / "s.ini").set(CHOSEN_LAYOUT, LayoutId.PRESENT)
    Settings(tmp_path / "s.ini").set(SMOOTHING, 0.25)
    Settings(tmp_path / "s.ini").set(RUN_UNTIL_ITERATION, 1200)
    again = Settings(tmp_path / "s.ini")
    assert again.get(THEME) == "dark"
    assert again.get(CHOSEN_LAYOUT) is LayoutId.PRESENT
    assert again.get(SMOOTHING) == 0.25
    assert again.get(RUN_UNTIL_ITERATION) == 1200
    assert again.get(LAYOUT) == QByteArray(b"\x00\x01")


def test_recent_files_have_the_latest_first_once_each_and_not_too_many(tmp_path):
    settings = Settings(tmp_path / "s.ini")
    for number in range(RECENT_KEPT + 3):
        settings.add_recent(tmp_path / f"{number}.json")
    settings.add_recent(tmp_path / "5.json")
    recent = settings.get(RECENT)
    assert recent[:2] == (tmp_path / "5.json", tmp_path / f"{RECENT_KEPT + 2}.json")
    assert len(recent) == len(set(recent)) == RECENT_KEPT


def test_one_recent_file_is_read_as_a_list(tmp_path):
    settings = Settings(written(tmp_path / "s.ini", recent="only.json"))
    assert settings.get(RECENT) == (Path("only.json"),)


def test_nonsense_in_the_file_gives_the_default(tmp_path):
    wrong = {
        "theme": "purple",
        "layout_learn": "text",
        "chosen_layout": "x",
        "smoothing": 2,
        "run_until_iteration": "-3",
    }
    settings = Settings(written(tmp_path / "s.ini", **wrong))
    assert settings.get(RUN_UNTIL_ITERATION) == 0
    assert settings.get(THEME) == "system"
    assert settings.get(CHOSEN_LAYOUT) is None
    assert settings.get(SMOOTHING) == 0.0
    assert settings.get(LAYOUT).isEmpty()


def test_the_docks_of_the_debug_layout_are_stored_where_those_of_the_only_layout_were():
    assert [layout_setting(layout).key for layout in LayoutId] == [
        "layout_learn",
        "layout",
        "layout_present",
    ]

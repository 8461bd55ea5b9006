"""ScenarioList: cards with a title and a summary."""

from pathlib import Path

from PySide6.QtCore import Qt

from gradstep_gui.widgets.scenario_list import Card, ScenarioList

CARDS = [Card(f"Program {place}", "a b c d e f g h " * place, Path("x")) for place in range(12)]


def test_a_card_is_high_enough_for_its_summary_with_and_without_a_scroll_bar(qtbot):
    cards = ScenarioList(CARDS, "Programs")
    qtbot.addWidget(cards)
    cards.resize(400, 300)
    cards.show()
    heights = []
    for policy in (Qt.ScrollBarPolicy.ScrollBarAlwaysOff, Qt.ScrollBarPolicy.ScrollBarAlwaysOn):
        cards.setVerticalScrollBarPolicy(policy)
        heights.append([cards.sizeHintForRow(row) for row in range(len(CARDS))])
    assert heights[0] == heights[1]

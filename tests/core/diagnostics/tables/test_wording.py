"""The text of the findings: sentences, whatever names they are about, with actors in order."""

import pytest

from gradstep.diagnostics.finding_history import FindingHistory
from gradstep.diagnostics.observation import Observation
from gradstep.diagnostics.tables.registry import REGISTRY
from gradstep.diagnostics.tables.script_texts import SCRIPT_TEXTS, ScriptText


@pytest.mark.parametrize("entry", REGISTRY.values(), ids=REGISTRY)
def test_every_text_begins_with_a_capital_or_with_a_name(entry):
    for text in (entry.title, entry.detail, entry.remedy):
        assert text[0].isupper() or text[0] == "{", text


@pytest.mark.parametrize("id_", REGISTRY)
@pytest.mark.parametrize("events", [(), (3,), (3, 5, 1200)], ids=len)
def test_every_placeholder_is_filled(id_, events):
    finding = FindingHistory(Observation(id_, ("x",), events)).finding(1200)
    assert "{" not in finding.detail + finding.remedy


def test_the_actors_are_named_in_their_order():
    changed = Observation(
        "inplace-after-save", ("model.0.weight",), (5, 7, 1009), "loss", cause="Step"
    )
    assert FindingHistory(changed).finding(1009).detail == (
        "Forward #5 recorded the graph of loss; Step #7 wrote to model.0.weight in place; "
        "Backward #1,009 failed, because it needed what the graph had saved."
    )


@pytest.mark.parametrize(
    ("names", "detail"),
    [
        (("cure",), "Backward #4 gave cure a gradient, but no optimizer holds it: "
                    "no Step will update it."),
        (("a", "b"), "Backward #4 gave a and b a gradient, but no optimizer holds them: "
                     "no Step will update them."),
    ],
)  # fmt: skip
def test_a_sentence_agrees_with_the_number_of_names(names, detail):
    assert FindingHistory(Observation("optimizer-orphan", names, (4,))).finding(4).detail == detail


def test_remedies_for_scripts_speak_of_no_document():
    shown = {
        entry.id: SCRIPT_TEXTS.get(entry.id, ScriptText(entry.remedy)).remedy
        for entry in REGISTRY.values()
    }
    assert [id_ for id_, remedy in shown.items() if "document" in remedy] == []

"""The words of the findings are sentences, whatever names they are about."""

import pytest

from gradstep.diagnostics.tables.registry import REGISTRY


@pytest.mark.parametrize("entry", REGISTRY.values(), ids=REGISTRY)
def test_every_text_begins_with_a_capital_or_with_a_name(entry):
    for text in (entry.title, entry.detail, entry.remedy):
        assert text[0].isupper() or text[0] == "{", text

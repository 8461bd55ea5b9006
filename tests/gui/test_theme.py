"""Both themes: text and icons are legible, and widgets know the current theme."""

from itertools import pairwise

import pytest
from PySide6.QtGui import QPalette

from gradstep.program.operation import Forward, SetHyperparameter, ZeroGrad
from gradstep_gui import theme
from gradstep_gui.theme import DARK, LIGHT, blend, contrast, kind_of, theme_of

BOTH = pytest.mark.parametrize("scheme", [LIGHT, DARK], ids=["light", "dark"])
WORDS, SHAPES = 4.5, 3.0  # WCAG 2.2, success criteria 1.4.3 and 1.4.11


@BOTH
def test_words_can_be_read_on_every_ground(scheme):
    grounds = [scheme.window, scheme.base, scheme.alternate, scheme.raised, scheme.selection]
    grounds += [colors.soft for colors in scheme.kinds.values()]
    for ground in grounds:
        assert contrast(scheme.text, ground) >= WORDS
    for ground in grounds[:4]:
        assert contrast(scheme.muted, ground) >= WORDS
        assert contrast(scheme.error, ground) >= WORDS
        assert contrast(scheme.warning, ground) >= WORDS
        assert contrast(scheme.accent, ground) >= WORDS  # of links


@BOTH
def test_the_colours_of_a_surface_are_in_order_for_any_kind_of_colour_vision(scheme):
    steps = [contrast(color, scheme.base) for color in scheme.heights]
    assert steps == sorted(steps)
    assert all(later / earlier > 1.08 for earlier, later in pairwise(steps))
    assert steps[-1] / steps[0] > 2.5


@BOTH
def test_the_focus_ring_contrasts_with_every_background(scheme):
    for ground in (scheme.window, scheme.base, scheme.alternate, scheme.raised, scheme.selection):
        assert contrast(scheme.accent, ground) >= SHAPES


@BOTH
def test_the_colours_of_kinds_can_be_read_as_words(scheme):
    for colors in scheme.kinds.values():
        for ground in (colors.soft, scheme.window, scheme.base):
            assert contrast(colors.strong, ground) >= WORDS


@BOTH
def test_curves_contrast_with_the_background_of_plots(scheme):
    for color in scheme.curves:
        assert contrast(color, scheme.base) >= SHAPES


@BOTH
def test_messages_can_be_read_on_their_tint(scheme):
    for color in (scheme.error, scheme.warning, scheme.accent):
        ground = blend(color, scheme.base, 0.14)
        assert contrast(scheme.text, ground) >= WORDS
        assert contrast(color, ground) >= SHAPES


@pytest.mark.parametrize(("choice", "scheme"), [("light", LIGHT), ("dark", DARK)])
def test_the_theme_is_found_from_the_palette(qapp, choice, scheme):
    assert theme.apply(qapp, choice) is scheme
    assert theme_of(qapp.palette()) is scheme
    assert qapp.palette().color(QPalette.ColorRole.Text).name() == scheme.text
    theme.apply(qapp, "light")


def test_an_unknown_desktop_scheme_gives_the_light_theme(qapp):
    assert theme.apply(qapp, "system") is LIGHT


def test_operations_without_a_button_share_the_colours_of_edits():
    assert kind_of(ZeroGrad()) == "zero_grad"
    assert LIGHT.kind(kind_of(Forward())) == LIGHT.kinds["forward"]
    assert LIGHT.kind(kind_of(SetHyperparameter("lr", 0.1))) == LIGHT.kinds["edit"]


def test_check_boxes_contrast_with_a_dark_window_and_a_light_theme_undoes_it(qapp):
    def ground(widget):
        return qapp.palette(widget).color(QPalette.ColorRole.Base).name()

    theme.apply(qapp, "dark")
    assert (ground("QCheckBox"), ground("QLineEdit")) == (DARK.border, DARK.raised)
    assert ground("QRadioButton") == DARK.border
    theme.apply(qapp, "light")
    assert (ground("QCheckBox"), ground("QLineEdit")) == (LIGHT.base, LIGHT.base)

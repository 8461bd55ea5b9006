"""What stands where there is no landscape yet."""

from PySide6.QtWidgets import QLabel, QWidget

from gradstep_gui.views.landscape.offer import LandscapeOffer

SENTENCE = "The loss over two random directions: 121 × 121 points, each one Forward. " * 2


def test_the_sentence_is_never_cut(qtbot):
    offer = LandscapeOffer(QWidget())
    qtbot.addWidget(offer)
    offer.show_sentence(SENTENCE, with_button=True)
    offer.resize(600, 300)
    offer.show()
    label = offer.findChild(QLabel)
    for width in (600, 300, 180):
        offer.resize(width, 300)
        qtbot.waitUntil(lambda: label.height() >= label.heightForWidth(label.width()))
        assert min(width - 32, 460) - 4 <= label.width() <= 460

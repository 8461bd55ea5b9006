"""The geometry of a graph: what of it is in an area."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRectF

from gradstep_gui.widgets.graph.geometry import GraphGeometry
from gradstep_gui.widgets.graph.items import Link

CHAIN = GraphGeometry([(100, 40)] * 30, [Link(at, at + 1) for at in range(29)])


@pytest.mark.parametrize("top", [-500, 0, 37, 555, 10_000])
def test_the_boxes_and_links_in_an_area_are_those_that_it_intersects(top):
    area = QRectF(-20, top, 60, 300)
    boxes = [at for at, rect in enumerate(CHAIN.rects) if rect.intersects(area)]
    links = [at for at, route in enumerate(CHAIN.routes) if route.extent.intersects(area)]
    assert CHAIN.boxes_in(area) == boxes
    assert CHAIN.links_in(area) == links
    assert len(boxes) < 10


def test_a_graph_without_boxes_has_none_anywhere():
    empty = GraphGeometry((), ())
    assert empty.boxes_in(QRectF(-1e6, -1e6, 2e6, 2e6)) == []

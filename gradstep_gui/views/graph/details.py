"""The details of one node of the graph: its operation, saved tensors and gradients."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QTextBrowser, QWidget

from gradstep.history.records.graph import LOSS
from gradstep_gui.theme import theme_of
from gradstep_gui.views.graph.node_text import (
    arrival_text,
    kind_of_module,
    phase_of,
    reached,
    state_of,
    title_of,
)
from gradstep_gui.views.labels import tensor_text
from gradstep_gui.widgets.number_format import count_text, full_text, shape_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gradstep.history.records.graph import GraphNode, GraphRecord, SavedRecord
    from gradstep.history.records.snapshot import Snapshot
    from gradstep.history.records.tensor import TensorRecord

__all__ = ["NodeDetails"]


class NodeDetails(QTextBrowser):
    """Text that can be selected and copied."""

    def __init__(self, parent: QWidget | None = None) -> None:
        self._shown: tuple[Snapshot, GraphRecord, int, tuple[int, ...]] | None = None
        super().__init__(parent)
        self.setOpenLinks(False)
        self.setAccessibleName(self.tr("Details of the selected node"))

    def changeEvent(self, event: QEvent) -> None:
        """Use the colours of a new theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and self._shown is not None:
            self.show_node(*self._shown)

    def show_node(
        self, snapshot: Snapshot, graph: GraphRecord, key: int, parts: tuple[int, ...] = ()
    ) -> None:
        """Show the details of a node or of the loss.

        Args:
            snapshot: The Snapshot.
            graph: The graph.
            key: The id of the node, or `LOSS`.
            parts: The ids of its nodes, when it is the box of a module call.
        """
        self._shown = snapshot, graph, key, parts
        muted = theme_of(self.palette()).muted
        if key == LOSS:
            value = snapshot.losses.get(graph.loss)
            text = "None" if value is None else full_text(value)
            rows = [(graph.loss, text), (f"d{graph.loss} / d{graph.loss}", self._seed(graph))]
            title, kind = graph.loss, self.tr("the loss, where Backward starts")
        elif len(parts) > 1:
            node = graph.nodes[key]
            title = node.module
            kind = self.tr("a module call: the operations it recorded, and its leaves")
            rows = [(title_of(graph.nodes[at]), self._part(at, snapshot, graph)) for at in parts]
        else:
            node = graph.nodes[key]
            title, kind = title_of(node), self._kind(node, snapshot, graph)
            found = (
                self._of_leaf(node, snapshot, graph) if node.is_leaf else self._of_node(node, graph)
            )
            rows = list(found)
        table = "".join(
            f"<tr><td style='color:{muted}'>{escape(name)}&nbsp;&nbsp;</td>"
            f"<td>{escape(value)}</td></tr>"
            for name, value in rows
            if value
        )
        self.setHtml(
            f"<b>{escape(title)}</b><br><span style='color:{muted}'>{escape(kind)}</span>"
            f"<table cellspacing='2'>{table}</table>{self._trouble(snapshot, graph, key)}"
        )

    def _kind(self, node: GraphNode, snapshot: Snapshot, graph: GraphRecord) -> str:
        if node.is_leaf:
            return self.tr("a leaf: its gradient accumulates in .grad")
        if not node.module:
            return self.tr("an operation outside any module")
        kind = kind_of_module(snapshot.modules, node.module)
        module = f"{node.module} ({kind})" if kind else node.module
        calls = {other.call for other in graph.nodes if other.module == node.module}
        if len(calls) == 1:
            return self.tr("an operation of {0}").format(module)
        return self.tr("an operation of {0}, call {1} of {2}").format(
            module, count_text(node.call), count_text(len(calls))
        )

    def _part(self, at: int, snapshot: Snapshot, graph: GraphRecord) -> str:
        """Return the shape of a node and its state or gradient."""
        node, phase = graph.nodes[at], phase_of(snapshot, graph)
        shape = "" if node.shape is None else shape_text(node.shape)
        if node.is_leaf:
            rows = dict(self._of_leaf(node, snapshot, graph))
            return f"{shape}, .grad {rows['.grad']}" if ".grad" in rows else shape
        state = state_of(node, graph, phase, reached(graph, phase))
        return ", ".join(filter(None, (shape, state.badge)))

    def _of_node(self, node: GraphNode, graph: GraphRecord) -> Iterator[tuple[str, str]]:
        yield self.tr("result"), "" if node.shape is None else shape_text(node.shape)
        progress = graph.progress
        if progress is not None:
            for (one, to), gradients in progress.gradients.items():
                text = " + ".join(map(self._with_shape, gradients))
                if to == node.id:
                    name = graph.loss if one == LOSS else title_of(graph.nodes[one])
                    yield self.tr("gradient from {0}").format(name), text
                elif one == node.id:
                    yield self.tr("gradient to {0}").format(title_of(graph.nodes[to])), text
        if node.freed:
            yield self.tr("saved"), self.tr("freed by a Backward")
        elif not node.saved:
            yield self.tr("saved"), self.tr("nothing")
        for value in node.saved:
            yield self.tr("saved {0}").format(value.name), self._saved(value)

    def _of_leaf(
        self, node: GraphNode, snapshot: Snapshot, graph: GraphRecord
    ) -> Iterator[tuple[str, str]]:
        record = snapshot.parameters.get(node.tensor)
        yield self.tr("shape"), "" if node.shape is None else shape_text(node.shape)
        uses = sum(other.inputs.count(node.id) for other in graph.nodes)
        yield self.tr("used"), self.tr("{0} times").format(count_text(uses)) if uses > 1 else ""
        arrival = None if graph.progress is None else graph.progress.arrivals.get(node.id)
        if arrival is not None:
            yield ".grad", arrival_text(arrival)
        elif record is not None:
            yield ".grad", tensor_text(record.gradient)
        if record is not None:
            holders = ", ".join(record.held_by)
            yield self.tr("version"), str(record.version)
            yield self.tr("optimizer"), holders or self.tr("none")

    def _saved(self, value: SavedRecord) -> str:
        parts = [shape_text(value.shape)]
        if value.value is not None:
            parts.append(tensor_text(value.value))
        if value.version is not None:
            parts.append(self.tr("version {0}").format(value.version))
        if value.changed:
            parts.append(self.tr("⚠ version is now {0}").format(value.now))
        return ", ".join(parts)

    def _with_shape(self, record: TensorRecord) -> str:
        return f"{tensor_text(record)} ({shape_text(record.shape)})"

    def _seed(self, graph: GraphRecord) -> str:
        progress = graph.progress
        found = () if progress is None else progress.gradients.get((LOSS, 0), ())
        return " + ".join(tensor_text(record) for record in found)

    def _trouble(self, snapshot: Snapshot, graph: GraphRecord, key: int) -> str:
        """Return why a Backward would fail here, and the remedy."""
        if key == LOSS or not graph.nodes[key].changed or phase_of(snapshot, graph) != "at rest":
            return ""
        text = self.tr(
            "A tensor that this node saved was changed in place after Forward, so Backward "
            "will fail. Press Forward again first."
        )
        return f"<p style='color:{theme_of(self.palette()).error}'>⚠ {escape(text)}</p>"

"""A tree of everything that can be drawn, with check boxes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QColor, QIcon, QPainter, QPen, QPixmap
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLabel,
    QLineEdit,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from gradstep.errors import GradStepError
from gradstep_gui.plotting.columns import OUTPUT, output, parse
from gradstep_gui.theme import theme_of
from gradstep_gui.widgets.fields import FilterField, matches
from gradstep_gui.widgets.number_format import shape_text

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from PySide6.QtCore import QEvent

    from gradstep_gui.plotting.style import CurveStyle

__all__ = ["CurveChooser"]

_KEY = Qt.ItemDataRole.UserRole
_SWATCH = QSize(18, 12)
_LOSSES, _METRICS, _OUTPUTS = "", "/metrics", "/outputs"
"""Keys of groups; the others are names of tensors, which contain no slash."""


class CurveChooser(QWidget):
    """Losses, metrics, outputs of layers, and the norm and elements of each tensor."""

    chosen_changed = Signal(list)
    """The user changed the choice: the chosen columns, in the order of the tree."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shapes: dict[str, tuple[int, ...]] = {}
        self._items: dict[str, QTreeWidgetItem] = {}
        self._groups: dict[str, QTreeWidgetItem] = {}
        self._filter = FilterField(self.tr("Filter tensors and layers"))
        self._tree = QTreeWidget()
        self._element = QLineEdit()
        self._complaint = QLabel()
        self._assemble()

    @property
    def chosen(self) -> tuple[str, ...]:
        """The checked columns, in the order of the tree."""
        ticked = Qt.CheckState.Checked
        return tuple(key for key, item in self._items.items() if item.checkState(0) == ticked)

    def offer(
        self,
        columns: Sequence[str],
        shapes: Mapping[str, tuple[int, ...]],
        chosen: Sequence[str],
        metrics: Collection[str] = (),
    ) -> None:
        """List these columns; of the same program, with the same groups open, and scrolled as far.

        Args:
            columns: Losses, outputs of layers, norms and elements of data; those of `.grad` are
                implied.
            shapes: The shape of each tensor, to check elements that the user types.
            chosen: The columns to check.
            metrics: The names of losses to list as metrics.
        """
        opened = {key: group.isExpanded() for key, group in self._groups.items()}
        scrolled = self._tree.verticalScrollBar().value()
        if self._shapes != dict(shapes):
            opened, scrolled = {}, 0
        self._shapes = dict(shapes)
        self._tree.blockSignals(True)
        self._tree.clear()
        self._items = {}
        groups: dict[str, QTreeWidgetItem] = {}
        self._groups = groups
        for column in columns:
            found = parse(column)
            if found.kind == "loss" and found.name in metrics:
                self._add(self._group(groups, _METRICS, self.tr("Metrics")), column, found.name)
            elif found.kind == "loss":
                self._add(self._group(groups, _LOSSES, self.tr("Losses")), column, found.name)
            elif found.kind == "output":
                group = self._group(groups, _OUTPUTS, self.tr("Layer Outputs"))
                self._add(group, column, found.name)
            elif found.kind == "norm":
                self._add(self._group(groups, found.name, found.name), column, self.tr("norm"))
            else:
                index = ", ".join(map(str, found.index))
                text = f"[{index}]" if index else self.tr("value")
                self._add(self._group(groups, found.name, found.name), column, text)
        for key, group in groups.items():
            wanted = any(self._key(child) in chosen for child in _children(group))
            few = len(columns) <= 40 and key != _OUTPUTS  # noqa: PLR2004 - about a screenful
            group.setExpanded(opened.get(key, wanted or few))
        self.set_chosen(chosen)
        self._tree.blockSignals(False)
        self._apply_filter(self._filter.text())
        self._tree.doItemsLayout()  # the length of the list, for the scroll bar
        self._tree.verticalScrollBar().setValue(scrolled)

    def set_chosen(self, chosen: Sequence[str]) -> None:
        """Check these columns and no others, without a signal."""
        blocked = self._tree.blockSignals(True)
        for key, item in self._items.items():
            item.setCheckState(0, _state(key in chosen))
        self._tree.blockSignals(blocked)

    def set_styles(self, styles: Mapping[str, CurveStyle]) -> None:
        """Show the style of each chosen column."""
        blocked = self._tree.blockSignals(True)
        for key, item in self._items.items():
            item.setIcon(0, _swatch(styles[key]) if key in styles else QIcon())
        self._tree.blockSignals(blocked)

    def tick(self, column: str, chosen: bool) -> None:
        """Check or uncheck one column, as the user does."""
        self._items[column].setCheckState(0, _state(chosen))

    def type_element(self, text: str) -> None:
        """Choose an element or output by its text: `model.0.weight[0, 3]` or `model.1.output`."""
        self._element.setText(text)
        self._take_element()

    @property
    def complaint(self) -> str:
        """The error in the typed element; empty when there is none."""
        return self._complaint.text()

    def changeEvent(self, event: QEvent) -> None:
        """Use the colours of a new theme."""
        if event.type() == event.Type.PaletteChange:
            self._restyle()
        super().changeEvent(event)

    def _restyle(self) -> None:
        """Draw visible check boxes: Fusion draws their border darker than a dark background."""
        theme = theme_of(self.palette())
        sheet = (
            f"QTreeView::indicator {{ width: 11px; height: 11px; border: 1px solid {theme.muted};"
            f" border-radius: 2px; }} QTreeView::indicator:checked {{ background: {theme.accent};"
            f" border-color: {theme.accent}; }}"
        )
        if self._tree.styleSheet() != sheet:
            self._tree.setStyleSheet(sheet)

    def _take_element(self) -> None:
        try:
            column = self._read_element(self._element.text().strip())
        except GradStepError as error:
            self._complaint.setText(str(error))
            self._complaint.show()
            return
        self._complaint.clear()
        self._complaint.hide()
        self._element.clear()
        if column not in self._items:
            name = parse(column).name
            group = self._group(self._groups, name, name)
            self._tree.blockSignals(True)
            self._add(group, column, f"[{', '.join(map(str, parse(column).index))}]")
            self._tree.blockSignals(False)
        self.tick(column, True)
        self._tree.scrollToItem(self._items[column])

    def _read_element(self, text: str) -> str:
        if text.endswith(OUTPUT) and text not in self._shapes:
            return self._find_output(text.removesuffix(OUTPUT))
        name, _, index = text.rpartition("[")
        column = f"element/{name.rstrip()}[{index.replace(' ', '')}"
        if text in self._shapes:  # a single number, such as "scales[0]"
            column = f"element/{text}[]"
        try:
            found = parse(column)
        except GradStepError as error:
            raise GradStepError(
                self.tr("'{text}' is not an element").format(text=text),
                self.tr("enter a tensor and an index, such as model.0.weight[0,3]"),
            ) from error
        shape = self._shapes.get(found.name)
        if shape is None:
            raise GradStepError(
                self.tr("There is no tensor '{name}'").format(name=found.name),
                self.tr("use a name from the list, such as model.0.weight[0,3]"),
            )
        inside = len(found.index) == len(shape) and all(
            at < size for at, size in zip(found.index, shape, strict=True)
        )
        if not inside:
            raise GradStepError(
                self.tr("{name} has no such element").format(name=found.name),
                self.tr("its shape is {shape}").format(shape=shape_text(shape)),
            )
        return column

    def _find_output(self, layer: str) -> str:
        column = output(layer)
        if column in self._items:
            return column
        if _OUTPUTS not in self._groups:
            raise GradStepError(
                self.tr("There are no layers whose outputs can be recorded"),
                self.tr("enter a tensor and an index, such as model.0.weight[0,3]"),
            )
        raise GradStepError(
            self.tr("There is no layer '{name}'").format(name=layer),
            self.tr("use a name under Layer Outputs, such as model.0.output"),
        )

    def _add(self, group: QTreeWidgetItem, column: str, text: str) -> None:
        item = QTreeWidgetItem(group, [text])
        item.setData(0, _KEY, column)
        item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
        item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
        item.setCheckState(0, Qt.CheckState.Unchecked)
        item.setToolTip(0, parse(column).label)
        self._items[column] = item

    def _group(self, groups: dict[str, QTreeWidgetItem], key: str, title: str) -> QTreeWidgetItem:
        if key not in groups:
            groups[key] = QTreeWidgetItem(self._tree, [title])
            groups[key].setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
            groups[key].setToolTip(0, title)
        return groups[key]

    @staticmethod
    def _key(item: QTreeWidgetItem) -> str:
        return str(item.data(0, _KEY) or "")

    def _apply_filter(self, text: str) -> None:
        for key, group in self._groups.items():
            fits = matches(group.text(0), text)
            if key == _OUTPUTS:
                for layer in _children(group):
                    layer.setHidden(not (fits or matches(layer.text(0), text)))
                fits = fits or any(not layer.isHidden() for layer in _children(group))
            group.setHidden(not fits)

    def _assemble(self) -> None:
        self._tree.setHeaderHidden(True)
        self._tree.setUniformRowHeights(True)
        self._tree.setIconSize(_SWATCH)
        self._tree.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self._tree.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self._tree.setAccessibleName(self.tr("Curves to draw"))
        self._element.setPlaceholderText(self.tr("Add w[0, 3] or model.1.output"))
        self._element.setAccessibleName(self.tr("Add an element or an output"))
        self._element.setToolTip(
            self.tr(
                "An element, as name and index, with its .grad; or the norm of a layer's output. "
                "They are recorded from now on."
            )
        )
        self._complaint.setWordWrap(True)
        self._complaint.hide()
        self._restyle()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(4, 4, 4, 4)
        layout.setSpacing(4)
        for widget in (self._filter, self._tree, self._element, self._complaint):
            layout.addWidget(widget)
        self._filter.textChanged.connect(self._apply_filter)
        self._element.returnPressed.connect(self._take_element)
        self._tree.itemChanged.connect(lambda *_: self.chosen_changed.emit(list(self.chosen)))


def _children(group: QTreeWidgetItem) -> Iterator[QTreeWidgetItem]:
    return (child for at in range(group.childCount()) if (child := group.child(at)) is not None)


def _state(ticked: bool) -> Qt.CheckState:
    return Qt.CheckState.Checked if ticked else Qt.CheckState.Unchecked


def _swatch(style: CurveStyle) -> QIcon:
    pixmap = QPixmap(_SWATCH * 2)
    pixmap.setDevicePixelRatio(2)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setPen(QPen(QColor(style.color), 3, style.dashes))
    middle = _SWATCH.height() // 2
    painter.drawLine(0, middle, _SWATCH.width(), middle)
    painter.end()
    return QIcon(pixmap)

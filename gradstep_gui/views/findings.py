"""The findings dock: what is wrong with the loop, with evidence and remedies."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING
from urllib.parse import quote

from PySide6.QtCore import QEvent, QUrl, Slot
from PySide6.QtWidgets import QTextBrowser, QVBoxLayout

from gradstep_gui.theme import theme_of
from gradstep_gui.views.dock_view import DockView
from gradstep_gui.widgets.number_format import count_text, number_text
from gradstep_gui.widgets.placeholder import Placeholder

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from gradstep.history.records.finding import Finding, FindingOccurrences
    from gradstep.history.records.snapshot import Snapshot
    from gradstep_gui.theme import Theme
    from gradstep_gui.views.model import ViewModel

__all__ = ["FindingsView"]

EVENTS_SHOWN = 8
TENSORS_SHOWN = 4
MARKS = {"fact": "▲", "question": "?", "suspicion": "◆", "info": "●"}
"""The severities and their marks, in the order of the list."""


class FindingsView(DockView):
    """Each finding with its title, what happened, what to do, and the Events that show it.

    Facts come first. A question has what each answer means; an answer is kept in the session. Other
    findings can be muted while the window is open. The title of the view has the number of facts,
    questions and suspicions.

    Args:
        controller: The controller; a click on an Event seeks there.
    """

    def __init__(self, controller: ViewModel, parent: QWidget | None = None) -> None:
        super().__init__(controller, "findings", parent)
        self._model = controller
        self._findings: tuple[Finding, ...] = ()
        self._occurrences: dict[tuple[str, tuple[str, ...]], FindingOccurrences] = {}
        self._counts: dict[tuple[str, tuple[str, ...]], int] = {}
        self._here = 0
        self._obstacle = ""
        self._tensors: frozenset[str] = frozenset()
        self._known: set[str] = set()
        self.setWindowTitle(self.tr("Findings"))
        self._page = QTextBrowser(self)
        self._page.setOpenLinks(False)
        self._page.setAccessibleName(self.tr("Findings"))
        self._page.anchorClicked.connect(self._go)
        self._place = Placeholder(self._page, self._nothing(), self)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._place)
        controller.snapshot_changed.connect(self._count)
        controller.muted_findings.changed.connect(self._follow_muting)

    @property
    def text(self) -> str:
        """The plain text of the page."""
        return self._page.toPlainText()

    def render(self, snapshot: Snapshot) -> None:  # type: ignore[override]
        """Show the findings of a Snapshot; the page scrolls only to a new one."""
        tensors = frozenset(snapshot.parameters)
        jumped = abs(snapshot.event_index - self._here) > 1
        shown = self._findings, self._tensors, self._here, self._counts
        self._findings, self._tensors = snapshot.findings, tensors
        self._here, self._obstacle = snapshot.event_index, snapshot.abilities.document
        self._occurrences = {(item.id, item.subjects): item for item in snapshot.occurrences}
        self._counts = {key: len(item.events) for key, item in self._occurrences.items()}
        if shown == (self._findings, tensors, self._here, self._counts):
            return
        self._write()
        listed = self._listed(self._findings)
        new = [found.id for found in listed if found.id not in self._known]
        here = [found.id for found in listed if self._number(found)]
        if new and self._known:
            self._page.scrollToAnchor(new[0])
        elif here and jumped and not self.controller.state.changes_rapidly:
            self._page.scrollToAnchor(here[0])
        self._known = {found.id for found in listed}

    def changeEvent(self, event: QEvent) -> None:
        """Use the colours of a new theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._write()

    def _nothing(self) -> str:
        return self.tr(
            "No findings so far.\n\nA fact is a rule that the loop broke, with the events that "
            "show it. A suspicion is a value beyond a threshold, which may still be fine."
        )

    @Slot()
    def _count(self) -> None:
        """Update the title, which the tab shows even while the view is hidden."""
        snapshot = self.controller.snapshot
        if snapshot is None:
            return
        problems = [found for found in self._listed(snapshot.findings) if found.severity != "info"]
        count = count_text(len(problems))
        words = self.tr("Findings ({count})").format(count=count)
        self.setWindowTitle(words if problems else self.tr("Findings"))

    def _listed(self, findings: tuple[Finding, ...]) -> list[Finding]:
        """Return the findings that are not muted, facts first."""
        unmuted = [
            found for found in findings if found.id not in self.controller.muted_findings.muted
        ]
        return sorted(unmuted, key=lambda found: list(MARKS).index(found.severity))

    def _write(self) -> None:
        theme = theme_of(self.palette())
        place = self._page.verticalScrollBar().value()
        listed = self._listed(self._findings)
        shown = [self._paragraph(finding, theme) for finding in listed]
        if len(listed) < len(self._findings):
            shown.append(self._muted_paragraph(theme))
        self._page.setHtml("".join(shown))
        self._page.verticalScrollBar().setValue(place)
        if self._findings:
            self._place.show_content()
        else:
            self._place.show_sentence(self._nothing())

    def _paragraph(self, finding: Finding, theme: Theme) -> str:
        color = {"fact": theme.error, "suspicion": theme.warning}.get(
            finding.severity, theme.accent
        )
        kind = {
            "fact": self.tr("fact"),
            "question": self.tr("question"),
            "suspicion": self.tr("suspicion"),
            "info": self.tr("info"),
        }[finding.severity]
        parts = [
            f"<a name='{escape(finding.id)}'></a>"
            f"<span style='color:{color}'>{MARKS[finding.severity]} <b>{escape(finding.title)}</b>"
            f"</span> <span style='color:{theme.muted}'>{kind}, {escape(finding.id)}</span>"
            + self._mute_link(finding, theme)
            + self._answered_link(finding, theme),
            escape(finding.detail),
        ]
        if finding.severity == "question":
            parts += self._choices(finding, theme)
        if finding.value is not None and finding.threshold is not None:
            words = self.tr("Measured {value}, threshold {threshold} (source: {source}).")
            parts.append(
                words.format(
                    value=number_text(finding.value),
                    threshold=number_text(finding.threshold),
                    source=escape(finding.source),
                )
            )
        elif finding.source:
            parts.append(self.tr("Source: {0}.").format(escape(finding.source)))
        if finding.remedy:
            parts.append(
                f"<b>{self.tr('Remedy:')}</b> {escape(finding.remedy)}"
                + self._trial_link(finding, theme)
            )
        links = [self._links(finding, theme)] if finding.events else []
        tensors = [name for name in finding.subjects if name in self._tensors]
        if tensors:
            links.append(self._explain_links(tensors, theme))
        if not finding.edit:
            return f"<p style='margin:8px 6px'>{'<br>'.join((*parts, *links))}</p>"
        return (
            f"<p style='margin:8px 6px 2px'>{'<br>'.join(parts)}</p>"
            f"<pre style='margin:0 6px'>{_edit_lines(finding.edit, theme)}</pre>"
            f"<p style='margin:2px 6px 8px'>{'<br>'.join(links)}</p>"
        )

    def _links(self, finding: Finding, theme: Theme) -> str:
        """Return links to its first occurrences, and to the previous and next one."""
        events = finding.events
        shown = ", ".join(
            f"<a href='event:{index}' style='color:{theme.accent}'>#{count_text(index)}</a>"
            for index in events[:EVENTS_SHOWN]
        )
        words = self.tr("Events {events}").format(events=shown)
        if finding.count > 1 and finding.last not in events[:EVENTS_SHOWN]:
            words += self.tr(" and more")
            times = self.tr("{count} times, last at {event}")
            last = f"<a href='event:{finding.last}' style='color:{theme.accent}'>"
            last += f"#{count_text(finding.last)}</a>"
            words += "; " + times.format(count=count_text(finding.count), event=last)
        return words + self._ways(finding, theme)

    def _ways(self, finding: Finding, theme: Theme) -> str:
        """Return links to the occurrences before and after the current Event."""
        occurrences = self._occurrences.get((finding.id, finding.subjects))
        if occurrences is None or len(occurrences.events) < 2:  # noqa: PLR2004 - nowhere to go from one
            return ""
        total, number = count_text(len(occurrences.events)), self._number(finding)
        parts = []
        for event, word in (
            (occurrences.before(self._here), self.tr("← Previous")),
            (occurrences.after(self._here), self.tr("Next →")),
        ):
            link = f"<a href='event:{event}' style='color:{theme.accent}'>{word}</a>"
            muted = f"<span style='color:{theme.muted}'>{word}</span>"
            parts.append(link if event else muted)
        if number:
            here = self.tr("{number} of {total}")
            parts.insert(1, here.format(number=count_text(number), total=total))
        return " &nbsp; " + " &nbsp; ".join(parts)

    def _number(self, finding: Finding) -> int:
        """Return which occurrence of a finding the current Event is, from 1; 0 if none."""
        occurrences = self._occurrences.get((finding.id, finding.subjects))
        return occurrences.number(self._here) if occurrences is not None and self._here else 0

    def _trial_link(self, finding: Finding, theme: Theme) -> str:
        if not finding.trial:
            return ""
        words = escape(self.tr("What if it ran {trial}?").format(trial=finding.trial))
        if self._obstacle:
            why = escape(self._obstacle)
            return f" <span style='color:{theme.muted}' title='{why}'>{words}</span>"
        place = self._findings.index(finding)
        return f" <a href='try:{place}' style='color:{theme.accent}'>{words}</a>"

    def _explain_links(self, tensors: list[str], theme: Theme) -> str:
        shown = ", ".join(
            f"<a href='explain:{quote(name)}' style='color:{theme.accent}'>{escape(name)}</a>"
            for name in tensors[:TENSORS_SHOWN]
        )
        return self.tr("Explain {names}").format(names=shown)

    def _choices(self, finding: Finding, theme: Theme) -> list[str]:
        """Return a question with what each answer means, as lines."""
        question = finding.question
        assert question is not None, "a question"
        lines = [f"<b>{escape(question.text)}</b>"]
        for word, answer, meaning in (
            (self.tr("Yes"), "yes", question.yes),
            (self.tr("No"), "no", question.no),
        ):
            lines.append(_button(f"{answer}:{question.intent}", word, theme) + escape(meaning))
        said = self.tr("A comment of the script answers yes, too: {0}")
        lines.append(
            f"<span style='color:{theme.muted}'>{escape(said.format(question.yes_comment))}</span>"
        )
        return lines

    def _answered_link(self, finding: Finding, theme: Theme) -> str:
        """Return the link that undoes an answer, or that says that a fact is intended."""
        question = finding.question
        if question is None or finding.severity == "question":
            return ""
        scheme, word, hint = "ask", self.tr("Ask Again"), question.text
        if question.answer is None:
            scheme, word, hint = "yes", self.tr("It Is Intended"), f"{question.text} {question.yes}"
        return (
            f" &nbsp;<a href='{scheme}:{question.intent}' title='{escape(hint)}' "
            f"style='color:{theme.accent}'>{escape(word)}</a>"
        )

    def _mute_link(self, finding: Finding, theme: Theme) -> str:
        if finding.severity in {"fact", "question"} or finding.question is not None:
            return ""
        word = escape(self.tr("Mute"))
        style = f"color:{theme.accent}"
        return f" &nbsp;<a href='mute:{escape(finding.id)}' style='{style}'>{word}</a>"

    def _muted_paragraph(self, theme: Theme) -> str:
        names = sorted(
            {found.id for found in self._findings} & self.controller.muted_findings.muted
        )
        words = escape(self.tr("Muted: {names}.").format(names=", ".join(names)))
        again = f"<a href='unmute:all' style='color:{theme.accent}'>{self.tr('Unmute All')}</a>"
        return f"<p style='margin:8px 6px; color:{theme.muted}'>{words} {again}</p>"

    def _go(self, link: QUrl) -> None:
        if link.scheme() in _ANSWERS:
            self._model.answer(link.path(), _ANSWERS[link.scheme()])
            return
        if link.scheme() == "event":
            self.controller.seek(int(link.path()))
            return
        if link.scheme() == "try":
            self._model.branches.show_remedies(self._findings[int(link.path())])
            return
        if link.scheme() == "explain":
            name = link.path(QUrl.ComponentFormattingOption.FullyDecoded)
            self.controller.explain_requests.raise_for(name)
            return
        if link.scheme() == "mute":
            self.controller.muted_findings.mute(link.path())
        else:
            self.controller.muted_findings.unmute()

    @Slot()
    def _follow_muting(self) -> None:
        self._write()
        self._count()


_ANSWERS = {"yes": True, "no": False, "ask": None}
"""What a link answers, by its scheme."""


def _button(link: str, word: str, theme: Theme) -> str:
    style = f"color:{theme.accent}; background-color:{theme.selection}"
    return f"<a href='{link}' style='{style}'>&nbsp;<b>{escape(word)}</b>&nbsp;</a>&nbsp; "


def _edit_lines(edit: str, theme: Theme) -> str:
    """Return the changed lines of a script, with their numbers in the present file."""
    colors = {"+": theme.kind("step").strong, "-": theme.error}
    lines, number = [], 0
    for line in edit.splitlines()[2:]:  # after the names of the file
        mark = line[:1]
        if mark == "@":
            number = int(line.split()[1].partition(",")[0].lstrip("-"))
            continue
        shown = "" if mark == "+" else str(number)
        number += mark != "+"
        style = f"color:{colors.get(mark, theme.muted)}"
        lines.append(f"<span style='{style}'>{shown:>5} {escape(line)}</span>")
    return "\n".join(lines)

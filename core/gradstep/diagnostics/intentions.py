"""What a finding is worth, given what the user and the script have said that is intended."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from gradstep.diagnostics.tables.question_table import INTENTIONS, comment_of
from gradstep.history.records.finding import Question

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gradstep.diagnostics.tables.question_table import Intention
    from gradstep.history.records.finding import Finding, Severity

__all__ = ["Intentions"]


class Intentions(NamedTuple):
    """What is known to be intended, or not to be.

    Attributes:
        declared: By comments of the script.
        answers: By answers of the user, who is not asked what is declared.
    """

    declared: Mapping[str, bool]
    answers: Mapping[str, bool]

    def severity(self, id_: str, severity: Severity) -> Severity | None:
        """Return the severity of a finding; None if the script declares it to be intended.

        Args:
            id_: The id of the diagnostic.
            severity: Its severity where nothing is known.

        Example:
            >>> intentions = Intentions({}, {"gradient_accumulation": False})
            >>> intentions.severity("backwards-per-step", "question")
            'fact'
        """
        if severity != "question" and not (self.declared or self.answers):
            return severity
        known = [self._is_intended(item.name) for item in _cleared_by(id_)]
        if True in known:
            return (
                None if any(self.declared.get(item.name) for item in _cleared_by(id_)) else "info"
            )
        return "fact" if severity == "question" and False in known else severity

    def _is_intended(self, name: str) -> bool | None:
        return self.declared.get(name, self.answers.get(name))

    def apply(self, findings: Sequence[Finding]) -> list[Finding]:
        """Return findings as they are worth, with the questions, each once."""
        shown: list[Finding] = []
        noted: set[str] = set()
        for finding in findings:
            severity = self.severity(finding.id, finding.severity)
            if severity is None:
                continue
            asked = self._question(finding.id)
            if asked is None:
                shown.append(msgspec.structs.replace(finding, severity=severity))
            elif severity == "info":
                if asked.intent not in noted:
                    shown.append(_cleared(finding, asked))
                    noted.add(asked.intent)
            else:
                shown.append(_with_question(finding, severity, asked))
        asking = {item.question.intent for item in shown if item.question and _is_fact(item)}
        return [item for item in shown if not _repeats(item, asking)]

    def _question(self, id_: str) -> Question | None:
        """Return the question about a finding; None where there is none, or it is declared."""
        for item in _cleared_by(id_):
            if id_ in item.asked_of and item.name not in self.declared:
                return Question(
                    *(item.name, item.question, item.yes, item.no),
                    yes_comment=comment_of(item.name),
                    no_comment=comment_of(item.name, is_intended=False),
                    answer=self.answers.get(item.name),
                )
        return None


def _cleared_by(id_: str) -> list[Intention]:
    return [item for item in INTENTIONS.values() if id_ in item.clears]


def _is_fact(finding: Finding) -> bool:
    return finding.severity == "fact"


def _repeats(finding: Finding, asking: set[str]) -> bool:
    """Return whether a question was asked with another finding; note that it is asked now."""
    if finding.severity != "question" or finding.question is None:
        return False
    intent, is_asked = finding.question.intent, finding.question.intent in asking
    asking.add(intent)
    return is_asked


def _with_question(finding: Finding, severity: Severity, asked: Question) -> Finding:
    if severity == "question":  # what to do is known once it is answered
        return msgspec.structs.replace(finding, remedy="", edit="", question=asked)
    return msgspec.structs.replace(finding, severity=severity, question=asked)


def _cleared(finding: Finding, asked: Question) -> Finding:
    """Return what is shown of a finding once the user has answered that it is intended."""
    title = INTENTIONS[asked.intent].title
    return msgspec.structs.replace(
        finding, severity="info", title=title, remedy="", trial="", edit="", question=asked
    )

"""The history of a run: Events, Snapshots, Checkpoints and Series."""

from gradstep.history.checkpoint import Checkpoint, CheckpointStore
from gradstep.history.curves.series import Series
from gradstep.history.history import Branch, History, HistoryObserver
from gradstep.history.log.event_log import EventLog, EventView
from gradstep.history.records.event import Event, Outcome
from gradstep.history.records.finding import Finding
from gradstep.history.records.snapshot import Snapshot
from gradstep.history.records.tensor import ParameterRecord, TensorRecord
from gradstep.history.snapshot_taker import SnapshotTaker

__all__ = [
    "Branch",
    "Checkpoint",
    "CheckpointStore",
    "Event",
    "EventLog",
    "EventView",
    "Finding",
    "History",
    "HistoryObserver",
    "Outcome",
    "ParameterRecord",
    "Series",
    "Snapshot",
    "SnapshotTaker",
    "TensorRecord",
]

"""What would have happened: edited replays, remedies to try, and runs resumed from checkpoints."""

from gradstep.debugger.what_if.replay import replay_with_edits

__all__ = ["replay_with_edits"]

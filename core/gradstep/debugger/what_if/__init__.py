"""What would have happened: edited replays, remedies to try, and runs resumed from checkpoints."""

from gradstep.debugger.what_if.what_if import WhatIf

__all__ = ["WhatIf"]

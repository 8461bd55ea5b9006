"""Where a changed script clips gradients."""

from __future__ import annotations

from tests.core.diagnostics.script_edits.loop_edits import LOOP, changed, edited


def test_a_clipping_moves_between_backward_and_step():
    clipping = "    clip_grad_norm_(\n        parameters, 1.0\n    )\n"
    right = LOOP.replace("    optimizer.step", clipping + "    optimizer.step")
    assert edited("clip-after-step", LOOP + clipping, 5, 7) == right
    early = LOOP.replace("    loss.backward", clipping + "    loss.backward")
    assert edited("clip-before-backward", early, 4, 7, 8) == right


def test_a_clipping_is_not_moved_before_the_step_of_a_scaler_which_unscales_there():
    code = LOOP.replace("optimizer.step()", "scaler.step(optimizer)") + "    clip(model)\n"
    assert changed("clip-after-step", code, 5, 6) == []


def test_gradients_are_unscaled_before_they_are_clipped():
    code = LOOP.replace("    optimizer.step()", "    clip(model)\n    self.scaler.step(self.opt)")
    added = ["+    self.scaler.unscale_(self.opt)"]
    assert changed("clip-before-unscale", code, 5, 6) == added
    assert changed("clip-before-unscale", code.replace("step(self.opt)", "step()"), 5, 6) == []

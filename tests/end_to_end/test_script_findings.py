"""People's own scripts: no facts on sound ones, and one fact for each mistake, with its line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from gradstep.debugger import Debugger
from gradstep.program.operation import Step, ZeroGrad
from gradstep.script.frame_reader import FrameReader
from gradstep.script.mirror import Mirror
from gradstep.script.tape import ScriptRun, Tape
from gradstep.script.tape_writer import TapeWriter
from tests.patched import patched

pytestmark = [pytest.mark.torch, pytest.mark.slow]

SCRIPTS = Path(__file__).parent / "scripts"
SOUND = sorted((SCRIPTS / "sound").glob("*.py"))
UNSHUFFLED = SCRIPTS / "suspicions" / "loader_without_shuffle.py"
UNFITTING = {
    "log_probabilities_of_a_softmax": "NLLLoss expects log-probabilities, as LogSoftmax gives, but",
    "probabilities_for_logits": "ends with Sigmoid, but BCEWithLogitsLoss already applies a sigm",
    "scores_for_log_probabilities": "NLLLoss expects log-probabilities, as LogSoftmax gives, but",
    "softmax_before_cross_entropy": "ends with Softmax, but CrossEntropyLoss already applies a so",
    "softmax_in_forward": "ends with Softmax, but CrossEntropyLoss already applies a so",
    "softmax_of_the_outputs": "ends with Softmax, but CrossEntropyLoss already applies a so",
}
"""What is said of the last layer of each script, which does not fit the criterion."""
FLAT_OUTPUTS = frozenset(
    (
        *("broadcast_absolute_error", "broadcast_labels_of_a_likelihood"),
        "broadcast_outputs_of_a_sequence",
    )
)
"""Scripts with outputs of shape (N) and targets of shape (N, 1)."""
PER_BATCH = {
    "milestones_counted_in_batches": "scheduler (StepLR) stepped 40 times within 2 epochs, after ",
    "schedule_of_epochs_after_each_batch": "scheduler (ExponentialLR) stepped 20 times within 2 e",
}
"""What is said of each schedule that counts batches for epochs."""
PER_EPOCH = "schedule_of_batches_after_each_epoch"
SUSPECTED = (*UNFITTING, *PER_BATCH, PER_EPOCH, "learning_rate_of_a_loaded_state")
"""The scripts with a suspicion alone, for which an edit is proposed."""
MISTAKES = {
    "accumulation_that_never_steps": ("step-missing", "loss.backward()"),
    "all_layers_frozen": ("not-connected", "loss.backward()"),
    "backward_without_parentheses": ("step-without-grad", "optimizer.step()"),
    "best_state_not_copied": ("state-not-copied", "model.load_state_dict("),
    "broadcast_absolute_error": ("broadcast-loss", "model(inputs)"),
    "broadcast_by_hand": ("broadcast-loss", "pred = model(x)"),
    "broadcast_labels_by_hand": ("broadcast-loss", "torch.sigmoid(model(x))"),
    "broadcast_labels_of_a_focal_loss": ("broadcast-loss", "model(x)"),
    "broadcast_labels_of_a_likelihood": ("broadcast-loss", "model(x)"),
    "broadcast_outputs_of_a_sequence": ("broadcast-loss", "model(sequences"),
    "broadcast_target": ("broadcast-loss", "model(x)"),
    "broadcast_target_of_a_q_network": ("broadcast-loss", "nn.SmoothL1Loss()(q"),
    "cleared_once_an_epoch": ("grad-accumulated", "optimizer.step()"),
    "cleared_right_after_backward": ("grad-discarded", "optimizer.zero_grad()"),
    "cleared_while_accumulating": ("sum-cleared", "optimizer.zero_grad()"),
    "clip_after_step": ("clip-after-step", "clip_grad_norm_("),
    "clip_after_step_of_a_scaler": ("clip-after-step", "clip_grad_norm_("),
    "clip_before_backward": ("clip-before-backward", "clip_grad_norm_("),
    "clip_of_scaled_gradients": ("clip-before-unscale", "clip_grad_norm_("),
    "clip_of_each_part": ("clip-per-microbatch", "clip_grad_norm_("),
    "clipped_by_value_after_the_step": ("clip-after-step", "clip_grad_value_("),
    "clipped_and_never_stepped": ("step-missing", "loss.backward()"),
    "closure_without_backward": ("step-without-grad", "optimizer.step(closure)"),
    "closure_without_zero_grad": ("closure-accumulates", "opt.step(closure)"),
    "criterion_of_probabilities_given_logits": ("criterion-out-of-range", "criterion(model(x)"),
    "critic_not_cleared": ("grad-accumulated", "critic_loss.backward()"),
    "detached_loss": ("not-connected", "loss.backward()"),
    "distance_of_a_point_to_itself": ("non-finite", "loss.backward()"),
    "diverges": ("non-finite", "model(x)"),
    "division_by_the_norm_of_zero": ("non-finite", "z = model(x)"),
    "evaluated_before_training": ("mode-left-eval", "logits, loss = model(X, Y)"),
    "exp_that_overflows": ("non-finite", "model(x)"),
    "epoch_loss_of_tensors": ("total-keeps-graphs", "loss.backward()"),
    "features_computed_once": ("graph-carried", "loss.backward()"),
    "folds_with_one_optimizer": ("optimizer-stale", "optimizer.step()"),
    "forgotten_zero_grad": ("grad-accumulated", "loss.backward()"),
    "frozen_while_training": ("step-without-grad", "opt_body.step()"),
    "frozen_but_moving": ("moved-without-gradient", "optimizer.zero_grad("),
    "generator_loss_of_a_used_output": ("graph-freed", "g_loss.backward()"),
    "gradients_disabled_after_the_first_epoch": ("not-connected", "loss.backward()"),
    "graph_of_an_earlier_iteration": ("graph-carried", "loss.backward()"),
    "hidden_state_of_a_module": ("graph-carried", "loss.backward()"),
    "hidden_state_with_retain_graph": ("graph-carried", "loss.backward("),
    "initial_values_scaled_with_gradients": ("gradient-of-result", "w1 -= 1e-2 * w1.grad"),
    "layer_made_in_forward": ("made-anew", "optimizer.step()"),
    "layer_replaced_before": ("optimizer-stale", "optimizer.step()"),
    "layer_replaced_while_training": ("optimizer-stale", "optimizer.step()"),
    "layers_in_a_plain_list": ("optimizer-orphan", "optimizer.step()"),
    "learning_rate_of_zero": ("step-without-grad", "optimizer.step()"),
    "learns_in_both_phases": ("mode-left-eval", "loss.backward()"),
    "left_in_evaluation": ("mode-left-eval", "print("),
    "list_of_losses": ("total-keeps-graphs", "loss.backward()"),
    "logarithm_of_a_probability": ("non-finite", "probabilities = torch.softmax(model(x), 1)"),
    "loop_variable_updated": ("parameter-rebound", "model.zero_grad()"),
    "loop_variable_updated_and_cleared": ("parameter-rebound", "loss.backward()"),
    "loss_computed_by_numpy": ("not-connected", "loss.backward()"),
    "loss_made_to_require_a_gradient": ("not-connected", "loss.backward()"),
    "loss_of_the_largest_index": ("not-connected", "loss.backward()"),
    "loss_of_the_predicted_classes": ("optimizer-foreign", "loss.backward()"),
    "losses_copied_into_a_new_tensor": ("optimizer-foreign", "loss.backward()"),
    "model_made_again_after_the_optimizer": ("optimizer-stale", "optimizer.step()"),
    "mean_of_an_empty_selection": ("non-finite", "model(x["),
    "module_frozen_by_an_attribute": ("freeze-without-effect", "optimizer.step()"),
    "moved_to_a_copy": ("optimizer-stale", "optimizer.step()"),
    "nan_in_the_data": ("non-finite", "model(x["),
    "no_backward": ("step-without-grad", "optimizer.step()"),
    "no_step": ("step-missing", "loss.backward()"),
    "no_step_and_no_zero_grad": ("step-missing", "loss.backward()"),
    "one_of_two_never_stepped": ("step-missing", "loss.backward()"),
    "momentum_lost_in_each_iteration": ("optimizer-rebuilt", "optimizer.step()"),
    "one_of_several_left_in_evaluation": ("mode-left-eval", "print("),
    "optimizer_made_anew_for_each_half": ("optimizer-rebuilt", "optimizer.step()"),
    "optimizer_made_anew_each_iteration": ("optimizer-rebuilt", "optimizer.step()"),
    "output_detached_before_the_loss": ("optimizer-foreign", "loss.backward()"),
    "outputs_made_anew_from_numbers": ("optimizer-foreign", "loss.backward()"),
    "optimizer_of_the_other_network": ("optimizer-foreign", "d_loss.backward()"),
    "optimizers_swapped": ("step-without-grad", "opt_critic.step()"),
    "parameters_of_a_used_iterator": ("clip-of-nothing", "optimizer.step()"),
    "parameters_frozen_by_a_misspelled_attribute": ("freeze-without-effect", "optimizer.step()"),
    "parameters_of_another_model": ("optimizer-foreign", "optimizer.step()"),
    "raw_parameters_without_clearing": ("grad-accumulated", "loss.backward()"),
    "one_of_two_parameters_rebound": ("parameter-rebound", "loss.backward()"),
    "raw_parameter_rebound": ("parameter-rebound", "loss.backward()"),
    "raw_parameter_rebound_and_cleared": ("parameter-rebound", "loss.backward()"),
    "raw_without_clearing": ("grad-accumulated", "loss.backward()"),
    "raw_without_update": ("step-missing", "loss.backward()"),
    "root_of_zero": ("non-finite", "loss.backward()"),
    "row_of_masked_keys": ("non-finite", "attention(x, x, x"),
    "scaler_without_zero_grad": ("grad-accumulated", "scale(loss).backward()"),
    "schedule_steps_at_the_start_of_the_epoch": ("scheduler-first", "exp_lr_scheduler.step()"),
    "scheduler_of_an_earlier_optimizer": ("scheduler-of-idle-optimizer", "optimizer.step()"),
    "scheduler_of_another_optimizer": ("scheduler-of-idle-optimizer", "exp_lr_scheduler.step()"),
    "scheduler_first": ("scheduler-first", "scheduler.step()"),
    "second_backward": ("graph-freed", "loss.backward()"),
    "soft_target_is_the_network": ("network-aliased", "self.critic_target(following)"),
    "state_of_other_names": ("nothing-loaded", "model.load_state_dict("),
    "state_assigned_after_the_optimizer": ("optimizer-stale", "opt.step()"),
    "states_of_a_cell": ("graph-carried", "losses.backward()"),
    "step_before_backward": ("step-without-grad", "opt.step()"),
    "step_of_the_wrong_optimizer": ("grad-reused", "encoder_optimizer.step()"),
    "step_twice": ("grad-reused", "optimizer.step()"),
    "step_without_parentheses": ("step-missing", "loss.backward()"),
    "stepped_between_forward_and_backward": ("inplace-after-save", "second.backward()"),
    "target_network_is_the_network": ("network-aliased", "target(following)"),
    "total_differentiated": ("graph-carried", "total.backward()"),
    "total_of_tensors": ("total-keeps-graphs", "loss.backward()"),
    "train_without_parentheses": ("mode-left-eval", "optimizer.step()"),
    "trainer_without_zero_grad": ("grad-accumulated", "self.opt.step()"),
    "two_optimizers_of_the_discriminator": ("optimizer-of-other-network", "optimizerG.step()"),
    "two_optimizers_of_one_parameter": ("optimizer-duplicate", "finetune.step()"),
    "update_in_place_with_gradients": ("leaf-changed-in-place", "p -= lr * p.grad"),
    "update_with_gradients": ("parameter-rebound", "self.w = self.w - lr * self.w.grad"),
    "updated_by_hand_in_evaluation": ("mode-left-eval", "return nn.functional"),
    "update_with_gradients_and_cleared": ("parameter-rebound", "w.grad.zero_()"),
    "validation_leaves_evaluation_mode": ("mode-left-eval", "optimizer.step()"),
    "warm_up_that_stays_at_zero": ("step-without-grad", "opt.step()"),
    "written_in_place": ("inplace-after-save", "loss.backward()"),
    "zero_grad_between": ("grad-discarded", "optimizer.zero_grad()"),
    "zero_grad_between_to_zeros": ("grad-discarded", "optimizer.zero_grad("),
    "zero_grad_without_parentheses": ("grad-accumulated", "loss.backward()"),
}
"""The fact that each script shows, and what stands in a line that it names."""
NODES = {
    "distance_of_a_point_to_itself": "SqrtBackward0: a square root of 0",
    "division_by_the_norm_of_zero": "DivBackward0: a division by 0",
    "exp_that_overflows": "ExpBackward0: exp of too large a number",
    "logarithm_of_a_probability": "LogBackward0: a logarithm of 0 or less",
    "mean_of_an_empty_selection": "MeanBackward0: a mean of nothing",
    "nan_in_the_data": "AddmmBackward0 of model.0: NaN or infinity in its input",
    "root_of_zero": "SqrtBackward0: a square root of 0",
    "row_of_masked_keys": "SoftmaxBackward0: a softmax that is NaN",
}
"""In which node of PyTorch's graph the NaN or infinity of a mistake begins."""
ADVICE = {
    "distance_of_a_point_to_itself": "Add a small number under the square root, such as 1e-8",
    "diverges": "loss had grown from 4.28 to 1.34e+32 over the 2 Forwards before: the steps are ",
    "division_by_the_norm_of_zero": "Add a small number to the divisor, as in x / (norm + 1e-8)",
    "exp_that_overflows": "Subtract the largest number before exp, as softmax, log_softmax and",
    "logarithm_of_a_probability": "Use what computes the logarithm of a probability safely",
    "mean_of_an_empty_selection": "Leave out a loss of no elements",
    "nan_in_the_data": "Look for NaN and infinity in the data: torch.isfinite(x).all()",
    "row_of_masked_keys": "leave at least one of each row unmasked",
}
"""What is advised where a value became NaN or infinite."""
CUTS = {
    "all_layers_frozen": "Freeze only the parameters of model that are to keep their values.",
    "detached_loss": "detach() in :11 cuts the graph: ",
    "frozen_while_training": "frozen_while_training.py:15 sets requires_grad to False, so that ",
    "gradients_disabled_after_the_first_epoch": "set_grad_enabled(False) in :19 stays in force",
    "loss_computed_by_numpy": "torch.tensor(...) in :11 cuts the graph: ",
    "loss_made_to_require_a_gradient": "no_grad() in :11 cuts the graph: ",
    "loss_of_the_largest_index": "max(...)[1] in :11 cuts the graph: ",
    "loss_of_the_predicted_classes": "argmax() in :10 cuts the graph: ",
    "losses_copied_into_a_new_tensor": "torch.tensor(...) in :18 cuts the graph: ",
    "optimizer_of_the_other_network": "Pass the parameters of the model that computes the loss ",
    "output_detached_before_the_loss": "detach() in :11 cuts the graph: ",
    "outputs_made_anew_from_numbers": "numpy() in :10 cuts the graph: ",
    "parameters_of_another_model": "Pass the parameters of the model that computes the loss to ",
}
"""How the advice begins where a Backward does not reach what the optimizer holds."""
QUESTIONS = {
    "adapter_after_the_optimizer": ("untrained_parameters", "loss.backward()"),
    "criterion_with_parameters": ("untrained_parameters", "loss.backward()"),
    "discriminator_loss_in_the_generator": ("summed_losses", "g_loss.backward()"),
    "encoder_without_an_optimizer": ("untrained_parameters", "loss.backward()"),
    "evaluation_in_training_mode": ("evaluation_in_training_mode", "outputs = model("),
    "generator_loss_in_the_discriminator": ("summed_losses", "errD.backward()"),
    "generator_without_an_optimizer": ("untrained_network", "loss_G.backward()"),
    "predictor_without_an_optimizer": ("untrained_parameters", "loss.backward()"),
    "remainder_of_an_epoch": ("carried_over", "optimizer.step()"),
    "one_optimizer_of_two_networks": ("shared_optimizer", "optimizer.step()"),
    "tensor_instead_of_a_parameter": ("untrained_parameters", "loss.backward()"),
    "step_behind_the_loop": ("gradient_accumulation", "optimizer.step()"),
    "sum_of_batches": ("undivided_sum", "loss.backward()"),
}
"""What is asked about each script, and what stands in a line that the finding names."""
EDITED = (
    "backward_without_parentheses",
    "best_state_not_copied",
    "broadcast_absolute_error",
    "broadcast_by_hand",
    "broadcast_labels_by_hand",
    "broadcast_labels_of_a_focal_loss",
    "broadcast_labels_of_a_likelihood",
    "broadcast_outputs_of_a_sequence",
    "broadcast_target",
    "broadcast_target_of_a_q_network",
    "cleared_once_an_epoch",
    "cleared_right_after_backward",
    "cleared_while_accumulating",
    "clip_after_step",
    "clip_before_backward",
    "clip_of_scaled_gradients",
    "clipped_and_never_stepped",
    "clipped_by_value_after_the_step",
    "closure_without_backward",
    "closure_without_zero_grad",
    "criterion_of_probabilities_given_logits",
    "critic_not_cleared",
    "epoch_loss_of_tensors",
    "evaluated_before_training",
    "folds_with_one_optimizer",
    "forgotten_zero_grad",
    "frozen_but_moving",
    "graph_of_an_earlier_iteration",
    "hidden_state_of_a_module",
    "hidden_state_with_retain_graph",
    "initial_values_scaled_with_gradients",
    "layer_replaced_before",
    "layers_in_a_plain_list",
    "learns_in_both_phases",
    "left_in_evaluation",
    "list_of_losses",
    "loop_variable_updated",
    "loop_variable_updated_and_cleared",
    "model_made_again_after_the_optimizer",
    "module_frozen_by_an_attribute",
    "momentum_lost_in_each_iteration",
    "moved_to_a_copy",
    "no_step",
    "no_step_and_no_zero_grad",
    "one_of_several_left_in_evaluation",
    "one_of_two_never_stepped",
    "one_of_two_parameters_rebound",
    "parameters_frozen_by_a_misspelled_attribute",
    "raw_parameter_rebound",
    "raw_parameter_rebound_and_cleared",
    "raw_parameters_without_clearing",
    "raw_without_clearing",
    "scaler_without_zero_grad",
    "schedule_steps_at_the_start_of_the_epoch",
    "scheduler_first",
    "scheduler_of_an_earlier_optimizer",
    "scheduler_of_another_optimizer",
    "soft_target_is_the_network",
    "states_of_a_cell",
    "step_before_backward",
    "step_of_the_wrong_optimizer",
    "step_twice",
    "step_without_parentheses",
    "target_network_is_the_network",
    "total_of_tensors",
    "train_without_parentheses",
    "trainer_without_zero_grad",
    "update_in_place_with_gradients",
    "update_with_gradients",
    "update_with_gradients_and_cleared",
    "updated_by_hand_in_evaluation",
    "validation_leaves_evaluation_mode",
    "zero_grad_between",
    "zero_grad_between_to_zeros",
    "zero_grad_without_parentheses",
)
"""Those for which an edit of the script is proposed."""
EDITED_IF_WRONG = sorted(QUESTIONS.keys() - {"generator_without_an_optimizer"})
"""Those questions for which one is proposed where what they show is not intended."""


@pytest.fixture(scope="module")
def recordings(tmp_path_factory):
    """Record all scripts; return the folder."""
    folder = tmp_path_factory.mktemp("frames")
    record(
        [
            *(*SOUND, *(SCRIPTS / "suspicions").glob("*.py")),
            *(SCRIPTS / "questions").glob("*.py"),
            *(SCRIPTS / "mistakes" / f"{name}.py" for name in MISTAKES),
        ],
        folder,
    )
    return folder


@pytest.fixture(scope="module")
def edited(recordings, tmp_path_factory):
    """Apply the proposed edits, and record the scripts again; return the folder."""
    folder = tmp_path_factory.mktemp("edited")
    scripts = []
    for name in (*EDITED, *EDITED_IF_WRONG, *SUSPECTED):
        debugger = debug(recordings / f"{name}.frames")
        if name in QUESTIONS:
            debugger.answer(QUESTIONS[name][0], is_intended=False)
        (finding,) = debugger.findings if name in SUSPECTED else facts(debugger)
        scripts.append(folder / f"{name}.py")
        text = next(SCRIPTS.glob(f"*/{name}.py")).read_text()
        scripts[-1].write_text(patched(text, finding.edit))
    record(scripts, folder)
    return folder


def record(scripts, folder, level="full"):
    recorder = Path(__file__).parent / "record_scripts.py"
    command = [sys.executable, str(recorder), level, str(folder)]
    subprocess.run([*command, *map(str, scripts)], check=True)


def debug(recording):
    """Return a debugger at the end of what was recorded."""
    tape = Tape(ScriptRun(f"{recording.stem}.py"))
    writer = TapeWriter(tape)
    for frame, body in FrameReader().feed(recording.read_bytes()):
        writer.take(frame, body)
    writer.finish()
    assert tape.run.lost == ""
    assert tape.run.status is not None
    debugger = Debugger(Mirror(tape))
    debugger.follow()
    return debugger


def facts(debugger):
    return [finding for finding in debugger.findings if finding.severity == "fact"]


@pytest.mark.parametrize("script", [path.stem for path in SOUND])
def test_a_sound_script_has_no_facts(script, recordings):
    debugger = debug(recordings / f"{script}.frames")
    assert len(debugger.events) > 0
    assert facts(debugger) == []
    assert [finding for finding in debugger.findings if finding.severity == "question"] == []


def test_nor_has_one_of_which_no_values_are_recorded(tmp_path):
    record(SOUND, tmp_path, level="events")
    debuggers = {path.stem: debug(path) for path in tmp_path.glob("*.frames")}
    assert {name: facts(debugger) for name, debugger in debuggers.items() if facts(debugger)} == {}
    assert len(debuggers) == len(SOUND)


@pytest.mark.parametrize("script", [*(path.stem for path in SOUND), *MISTAKES, *QUESTIONS])
def test_a_session_of_each_script_opens_with_the_same_findings(script, recordings, tmp_path):
    debugger = debug(recordings / f"{script}.frames")
    debugger.save(tmp_path / "run.gradstep")
    assert Debugger.open(tmp_path / "run.gradstep").findings == debugger.findings


@pytest.mark.parametrize(
    ("script", "held"),
    [
        ("one_function_trains_two_models", {"opt": "model", "opt (2)": "model (2)"}),
        ("adapter_after_pretraining", {"opt": "net", "opt (2)": "net"}),
        ("optimizer_made_anew_each_epoch", {"optimizer": "model"}),
        ("optimizer_in_a_wrapper", {"optimizer": "model"}),
        ("group_added_after_a_while", {"opt": "net"}),
    ],
)
def test_an_optimizer_that_holds_other_tensors_is_another_one(script, held, recordings):
    debugger = debug(recordings / f"{script}.frames")
    assert debugger.findings == ()
    known = debugger.program.tape.run.optimizers
    owners = {
        name: {tensor.partition(".")[0] for group in item.groups for tensor in group}
        for name, item in known.items()
    }
    assert owners == {name: {owner} for name, owner in held.items()}
    assert all(item.module.startswith("torch.optim.") for item in known.values())


def test_a_wrapper_that_does_more_than_its_optimizer_is_the_same_one_from_the_start(recordings):
    debugger = debug(recordings / "wrapper_with_slow_weights.frames")
    kinds = {name: item.kind for name, item in debugger.program.tape.run.optimizers.items()}
    assert kinds == {"optimizer": "Lookahead", "_base_optimizer": "Adam"}
    called = [event.operation for event in debugger.events]
    assert {one.optimizer for one in called if isinstance(one, ZeroGrad | Step)} == {"optimizer"}


def test_an_added_group_is_held_from_then_on(recordings):
    debugger = debug(recordings / "group_added_after_a_while.frames")
    by = []
    for event in (1, 4 * 25, len(debugger.events)):
        debugger.seek(event)
        by.append(debugger.snapshot.parameters["net.0.weight"].held_by)
    assert by == [(), ("opt",), ("opt",)]


def test_a_sampler_that_is_not_given_the_epoch_is_a_suspicion(recordings):
    found = {item.id: item for item in debug(recordings / "sampler_without_epoch.frames").findings}
    suspicion = found["sampler-epoch-not-set"]
    assert suspicion.subjects == ("loader",)
    assert "sampler_without_epoch.py:16" in suspicion.detail
    assert suspicion.severity == "suspicion"
    assert "+    loader.sampler.set_epoch(epoch)" in suspicion.edit.splitlines()
    assert "unshuffled-batches" not in found


def test_batches_in_the_same_order_in_each_epoch_are_a_suspicion(recordings):
    found = {item.id: item for item in debug(recordings / f"{UNSHUFFLED.stem}.frames").findings}
    suspicion = found["unshuffled-batches"]
    assert suspicion.subjects == ("train_loader",)
    assert f"{UNSHUFFLED.name}:15" in suspicion.detail
    assert suspicion.severity == "suspicion"
    loaders = debug(recordings / "loaders.frames").findings
    assert "unshuffled-batches" not in {item.id for item in loaders}


def test_updates_that_a_schedule_has_made_small_are_said_to_be_so(recordings):
    found = debug(recordings / "schedule_by_a_function_of_batches.frames").findings
    (suspicion,) = found
    assert suspicion.severity == "suspicion"
    assert (
        "; a schedule has lowered the learning rate of optimizer from 0.1 to " in suspicion.detail
    )
    assert "a schedule that lowers it less" in suspicion.remedy


@pytest.mark.parametrize("script", PER_BATCH)
def test_a_schedule_of_epochs_that_steps_after_every_batch_is_a_suspicion(script, recordings):
    (suspicion,) = debug(recordings / f"{script}.frames").findings
    assert (suspicion.id, suspicion.severity) == ("schedule-per-batch", "suspicion")
    assert suspicion.detail.startswith(PER_BATCH[script])


def test_a_schedule_of_batches_that_steps_once_in_an_epoch_is_a_suspicion(recordings):
    (suspicion,) = debug(recordings / f"{PER_EPOCH}.frames").findings
    assert (suspicion.id, suspicion.severity) == ("schedule-per-epoch", "suspicion")
    assert f"({PER_EPOCH}.py:13: len(loader)), but stepped only " in suspicion.detail


def test_a_loaded_state_that_replaces_the_learning_rate_is_a_suspicion(recordings):
    (suspicion,) = debug(recordings / "learning_rate_of_a_loaded_state.frames").findings
    assert (suspicion.id, suspicion.severity) == ("learning-rate-loaded", "suspicion")
    assert (suspicion.value, suspicion.threshold) == (0.01, 1e-4)


def test_a_parameter_that_no_backward_reaches_is_a_suspicion(recordings):
    (suspicion,) = debug(recordings / "encoder_cut_off.frames").findings
    assert (suspicion.id, suspicion.severity) == ("unreached-parameter", "suspicion")
    assert suspicion.subjects == ("model.encoder.weight", "model.encoder.bias")
    assert "encoder_cut_off.py:25" in suspicion.detail
    assert suspicion.remedy.startswith("detach() in encoder_cut_off.py:14 cuts the graph: it has")


@pytest.mark.parametrize(
    ("script", "name", "words"),
    [
        ("dead_hidden_layer", "model.second", "was not: the ReLU behind model.second gave 0 in "),
        ("dead_last_layer", "model.3", "exactly 0: model.3 gave 0 in every row of every batch"),
    ],
)
def test_a_layer_that_gives_only_0_is_named(script, name, words, recordings):
    (suspicion,) = debug(recordings / f"{script}.frames").findings
    assert (suspicion.id, suspicion.severity) == ("dead-relu", "suspicion")
    assert suspicion.subjects == (name,)
    assert words in suspicion.detail


@pytest.mark.parametrize("script", UNFITTING)
def test_a_last_layer_that_does_not_fit_the_criterion_is_a_suspicion(script, recordings):
    found = {item.id: item for item in debug(recordings / f"{script}.frames").findings}
    suspicion = found["criterion-mismatch"]
    assert (suspicion.severity, suspicion.subjects) == ("suspicion", ("loss",))
    assert UNFITTING[script] in suspicion.detail
    assert f"{script}.py:" in suspicion.detail


def test_sound_scripts_have_none_of_these_suspicions(recordings):
    unsound = {"criterion-mismatch", "dead-relu", "learning-rate-loaded", "sampler-epoch-not-set"}
    unsound |= {"schedule-per-batch", "schedule-per-epoch"}
    for script in SOUND:
        found = {item.id for item in debug(recordings / f"{script.stem}.frames").findings}
        assert found.isdisjoint(unsound), script.stem


@pytest.mark.parametrize("script", MISTAKES)
def test_a_mistake_is_found_at_its_line(script, recordings):
    id_, code = MISTAKES[script]
    (finding,) = facts(debug(recordings / f"{script}.frames"))
    lines = (SCRIPTS / "mistakes" / f"{script}.py").read_text().splitlines()
    named = [f"{script}.py:{number}" for number, line in enumerate(lines, 1) if code in line]
    assert (finding.id, bool(finding.events)) == (id_, True)
    assert any(place in finding.detail for place in named), finding.detail
    assert not any(word in finding.remedy for word in ('"', "document", "declare", "Debug >"))


@pytest.mark.parametrize("script", [name for name in MISTAKES if name.startswith("broadcast_")])
def test_the_shape_to_give_an_output_or_a_target_is_said_as_the_edit_changes_it(script, recordings):
    (finding,) = facts(debug(recordings / f"{script}.frames"))
    is_flat = script in FLAT_OUTPUTS
    change = "squeeze(1)" if is_flat else "reshape(-1, 1)"
    output = "output.unsqueeze(1)" if is_flat else "output.squeeze(1)"
    assert finding.remedy.endswith(f", as with {output} or target.{change}.")
    assert not finding.edit or f".{change}" in finding.edit


@pytest.mark.parametrize("script", CUTS)
def test_what_cuts_a_graph_is_named_first(script, recordings):
    (finding,) = facts(debug(recordings / f"{script}.frames"))
    assert finding.remedy.startswith(CUTS[script].replace(" in :", f" in {script}.py:"))


def test_what_changes_a_tensor_in_place_is_named_first(recordings):
    (finding,) = facts(debug(recordings / "written_in_place.frames"))
    assert finding.remedy.startswith("Look at written_in_place.py:12 first, which changes a tens")
    (finding,) = facts(debug(recordings / "stepped_between_forward_and_backward.frames"))
    assert finding.remedy.startswith("Replace the operation in place")


def test_a_freed_graph_is_not_said_to_be_of_a_recurrent_network(recordings):
    (finding,) = facts(debug(recordings / "generator_loss_of_a_used_output.frames"))
    assert "every tensor in it that an earlier Backward went through" in finding.remedy
    assert "state" not in finding.remedy


def test_what_brings_an_earlier_graph_into_the_next_is_named(recordings):
    (finding,) = facts(debug(recordings / "hidden_state_of_a_module.frames"))
    assert "through model.hidden[0] and model.hidden[1] into the graph" in finding.detail
    assert "that Backward had freed" in finding.detail
    (finding,) = facts(debug(recordings / "hidden_state_with_retain_graph.frames"))
    assert "a Step had changed" in finding.detail
    (finding,) = facts(debug(recordings / "features_computed_once.frames"))
    assert finding.remedy.startswith("Compute features again before each Backward")
    (finding,) = facts(debug(recordings / "total_differentiated.frames"))
    assert finding.remedy.startswith("Call backward() on the loss of one iteration instead of tot")


@pytest.mark.parametrize("script", NODES)
def test_the_node_in_which_a_nan_begins_is_named(script, recordings):
    (finding,) = facts(debug(recordings / f"{script}.frames"))
    assert f"first in node {NODES[script]} (" in finding.detail


@pytest.mark.parametrize("script", ADVICE)
def test_the_advice_fits_where_a_nan_begins(script, recordings):
    (finding,) = facts(debug(recordings / f"{script}.frames"))
    assert ADVICE[script] in finding.remedy
    assert ("smaller learning rate" in finding.remedy) == (script == "diverges")


@pytest.mark.parametrize("script", QUESTIONS)
def test_what_only_the_user_knows_is_asked(script, recordings):
    intention, code = QUESTIONS[script]
    debugger = debug(recordings / f"{script}.frames")
    (finding,) = [item for item in debugger.findings if item.severity != "suspicion"]
    lines = (SCRIPTS / "questions" / f"{script}.py").read_text().splitlines()
    named = [f"{script}.py:{number}" for number, line in enumerate(lines, 1) if code in line]
    assert (finding.severity, finding.question.intent) == ("question", intention)
    assert any(place in finding.detail for place in named), finding.detail
    debugger.answer(intention, is_intended=True)
    assert facts(debugger) == []


@pytest.mark.parametrize("script", [*EDITED, *EDITED_IF_WRONG])
def test_the_proposed_edit_leaves_no_fact(script, edited):
    debugger = debug(edited / f"{script}.frames")
    assert len(debugger.events) > 0
    assert facts(debugger) == []


@pytest.mark.parametrize("script", SUSPECTED)
def test_the_proposed_edit_leaves_no_suspicion(script, edited):
    debugger = debug(edited / f"{script}.frames")
    assert len(debugger.events) > 0
    assert debugger.findings == ()


@pytest.mark.parametrize("script", sorted(MISTAKES.keys() - set(EDITED)))
def test_no_edit_is_proposed_where_the_text_does_not_show_which(script, recordings):
    (finding,) = facts(debug(recordings / f"{script}.frames"))
    assert finding.edit == ""


def test_every_mistake_is_listed():
    assert sorted(path.stem for path in (SCRIPTS / "mistakes").glob("*.py")) == sorted(MISTAKES)


def test_a_state_that_is_detached_needs_no_graph_kept(recordings):
    (finding,) = facts(debug(recordings / "hidden_state_with_retain_graph.frames"))
    assert "+    loss.backward()" in finding.edit.splitlines()


def test_a_script_that_only_reads_gradients_is_not_told_how_well_it_learns(recordings):
    assert debug(recordings / "saliency_of_each_input.frames").findings == ()

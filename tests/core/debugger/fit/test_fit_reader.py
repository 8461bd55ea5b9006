"""Data and fit: predictions with the present parameters, which leave no trace in the program."""

from __future__ import annotations

import numpy as np
import pytest

from gradstep.autograd import grad_mode
from gradstep.autograd.tensor import wrap
from gradstep.debugger import Debugger
from gradstep.debugger.fit.fit_reader import MAX_BATCH_ROWS, MAX_HELD_OUT_ROWS, MAX_TRAINING_ROWS
from gradstep.debugger.shadow_program import StoppedError
from gradstep.errors import OperationError
from gradstep.history.records.fit import FitChoice
from gradstep.program.gallery import scenarios
from gradstep.program.operation import RebuildModule
from gradstep.random import default_generator
from gradstep.script.mirror import Mirror
from tests.core.debugger.conftest import LINE, NETWORK, changed, frozen, open_program
from tests.core.script.sent_frames import descent, take

SOFTMAX = {"kind": "CrossEntropyLoss"}


def scenario(number):
    return Debugger.open(scenarios()[number - 1].path)


def linear(inputs, outputs):
    return {"kind": "Linear", "in_features": inputs, "out_features": outputs}


def regression(data, *layers, criterion="MSELoss", **more):
    loss = {"data": "d", "chain": ["model"], "criterion": {"kind": criterion}}
    return {
        "gradstep": 1,
        "data": {"d": data},
        "modules": {"model": list(layers)},
        "losses": {"loss": loss},
        "optimizers": {"optimizer": {"kind": "SGD", "params": ["model.*"], "lr": 0.01}},
        **more,
    }


def inline(inputs, targets, **options):
    return {"kind": "inline", "inputs": inputs, "targets": targets, **options}


def called_by_hand(dbg, inputs, module="model"):
    """Call a module of the live program itself, in evaluation mode."""
    with grad_mode.no_grad():
        called = dbg.program.modules[module]
        called.eval()
        output = called(wrap(np.asarray(inputs, np.float32)))._array
        called.train()
    return output


# --- what is predicted ----------------------------------------------------------------------


def test_a_line_is_what_the_module_gives_when_it_is_called():
    dbg = scenario(2)
    dbg.iterate(3)
    fit = dbg.fit.read()
    dataset = dbg.program.dataset("line")
    assert fit.pictures == ("line", "values")
    assert fit.event == 12
    assert (fit.loss, fit.data, fit.choices) == ("loss", "line", (FitChoice("loss", "line"),))
    assert fit.predicted.tolist() == called_by_hand(dbg, dataset.inputs)[:, 0].tolist()
    assert fit.truth.tolist() == dataset.targets[:, 0].tolist()
    across, along = fit.curve
    assert along.tolist() == called_by_hand(dbg, across[:, None])[:, 0].tolist()
    assert (across[0], across[-1]) == (pytest.approx(-1.32), pytest.approx(3.32))
    difference = fit.predicted - fit.truth
    assert fit.scores["training"].rmse == pytest.approx(np.sqrt(np.mean(difference**2)))
    assert fit.scores["training"].rmse ** 2 == pytest.approx(dbg.forward().loss, rel=1e-6)


def test_regions_are_the_probabilities_on_a_grid():
    dbg = open_program(NETWORK)
    dbg.iterate(2)
    fit = dbg.fit.read()
    assert fit.pictures == ("regions", "confusion")
    assert fit.grid.shares.shape == (96, 96, 2)
    assert fit.grid.shares.sum(axis=2) == pytest.approx(np.ones((96, 96)), abs=1e-6)
    corners = [(fit.grid.left, fit.grid.bottom), (fit.grid.right, fit.grid.top)]
    expected = 1 / (1 + np.exp(-called_by_hand(dbg, corners)[:, 0]))
    assert fit.grid.shares[[0, -1], [0, -1], 1] == pytest.approx(expected, rel=1e-4)
    inputs = dbg.program.dataset("a").inputs
    assert fit.grid.left < inputs[:, 0].min() < inputs[:, 0].max() < fit.grid.right
    assert fit.inputs.tolist() == inputs.tolist()
    logits = called_by_hand(dbg, inputs)[:, 0]
    assert fit.predicted.tolist() == (logits > 0).astype(int).tolist()
    assert fit.shares == pytest.approx(1 / (1 + np.exp(-abs(logits))), rel=1e-5)


def test_images_are_shown_as_they_were_before_they_were_standardized():
    dbg = scenario(21)
    dbg.iterate(2)
    fit = dbg.fit.read()
    assert fit.pictures == ("images", "confusion")
    assert fit.inputs.shape == (800, 8, 8)
    assert (fit.inputs.min(), fit.inputs.max()) == (pytest.approx(0, abs=1e-5), pytest.approx(16))
    whole = Debugger.open(scenarios()[20].path).program.dataset("digits")
    logits = called_by_hand(dbg, whole.inputs)
    assert fit.predicted.tolist() == logits.argmax(axis=1).tolist()
    assert fit.truth.tolist() == whole.targets.tolist()
    assert fit.held_out.tolist() == [False] * 640 + [True] * 160
    assert {part: found.examples for part, found in fit.scores.items()} == {
        "training": 640,
        "held_out": 160,
        "batch": 32,
    }
    dbg.forward("accuracy")
    assert fit.scores["held_out"].accuracy == pytest.approx(dbg.snapshot.losses["accuracy"])


def test_counts_are_of_true_classes_in_rows_and_predicted_ones_in_columns():
    dbg = scenario(6)
    dbg.iterate(5)
    fit = dbg.fit.read()
    assert fit.pictures == ("confusion",)
    assert fit.classes == ("setosa", "versicolor", "virginica")
    dataset = dbg.program.dataset("iris")
    predicted = called_by_hand(dbg, dataset.inputs).argmax(axis=1)
    by_hand = np.zeros((3, 3), int)
    for true, other in zip(dataset.targets, predicted, strict=True):
        by_hand[true, other] += 1
    assert fit.scores["training"].counts.tolist() == by_hand.tolist()
    assert fit.scores["training"].counts.sum() == 150
    assert fit.scores["training"].accuracy == pytest.approx(np.trace(by_hand) / 150)


def test_the_rows_of_the_last_batch_are_marked():
    dbg = scenario(6)
    assert not dbg.fit.read().in_batch.any()
    event = dbg.forward()
    fit = dbg.fit.read()
    assert sorted(event.rows) == fit.rows[fit.in_batch].tolist()
    assert fit.scores["batch"].examples == 15
    assert fit.scores["batch"].counts.sum() == 15


def test_values_of_several_numbers_are_examples_of_their_own():
    dbg = open_program(
        regression(inline([[1, 0, 1], [2, 1, 0]], [[1.0, 2.0], [3.0, 4.0]]), linear(3, 2))
    )
    fit = dbg.fit.read()
    assert fit.pictures == ("values",)
    assert fit.rows.tolist() == [0, 0, 1, 1]
    assert fit.truth.tolist() == [1.0, 2.0, 3.0, 4.0]
    expected = called_by_hand(dbg, [[1, 0, 1], [2, 1, 0]]).reshape(-1)
    assert fit.predicted.tolist() == expected.tolist()
    assert fit.scores["training"].counts is None


def test_two_inputs_of_values_are_a_surface():
    data = inline([[0.0, 1.0], [2.0, 3.0]], [[1.0], [2.0]], standardize=True)
    dbg = open_program(regression(data, linear(2, 1)))
    fit = dbg.fit.read()
    assert fit.pictures == ("surface", "values")
    assert fit.grid.shares is None
    assert fit.inputs.tolist() == [[0.0, 1.0], [2.0, 3.0]]
    corner = (np.array([[fit.grid.left, fit.grid.bottom]]) - [1.0, 2.0]) / 1.0
    expected = called_by_hand(dbg, corner)[0, 0]
    assert fit.grid.values[0, 0] == pytest.approx(expected, rel=1e-5)


def test_logarithms_of_counts_are_shown_as_counts():
    data = inline([[1.0], [2.0]], [[1.0], [3.0]])
    dbg = open_program(regression(data, linear(1, 1), criterion="PoissonNLLLoss"))
    fit = dbg.fit.read()
    expected = np.exp(called_by_hand(dbg, [[1.0], [2.0]])[:, 0].astype(float))
    assert fit.predicted == pytest.approx(expected)
    assert fit.curve[1].min() > 0


def test_powers_of_one_input_are_a_line_through_the_points():
    dbg = open_program(regression({"kind": "polynomial", "samples": 9}, linear(3, 1)))
    fit = dbg.fit.read()
    assert fit.pictures == ("line", "values")
    across, along = fit.curve
    assert across.tolist() == sorted(fit.inputs[:, 0].tolist())
    assert along.tolist() == fit.predicted.tolist()


def test_class_labels_compared_by_their_difference_are_classes():
    dbg = scenario(11)
    assert [choice.loss for choice in dbg.fit.read().choices] == ["loss_a", "loss_b"]
    fit = dbg.fit.read("loss_b")
    assert (fit.loss, fit.pictures, fit.classes) == ("loss_b", ("regions", "confusion"), ("0", "1"))
    with grad_mode.no_grad():
        modules = dbg.program.modules
        output = modules["head_b"](modules["trunk"](wrap(dbg.program.dataset("moons").inputs)))
    assert fit.predicted.tolist() == (output._array[:, 0] > 0.5).astype(int).tolist()


def test_one_input_of_two_classes_is_a_line_of_probabilities():
    data = inline([[-1.0], [0.0], [1.0]], [0, 0, 1])
    dbg = open_program(regression(data, linear(1, 1), criterion="BCEWithLogitsLoss"))
    fit = dbg.fit.read()
    assert fit.pictures == ("line", "confusion")
    across, along = fit.curve
    expected = 1 / (1 + np.exp(-called_by_hand(dbg, across[:, None])[:, 0]))
    assert along == pytest.approx(expected, rel=1e-5)


def test_a_split_row_is_an_image_and_a_sequence_is_none():
    pixels = np.arange(32.0).reshape(2, 16).tolist()
    images = regression(
        inline(pixels, [0, 1]),
        {"kind": "Unflatten", "dim": 1, "unflattened_size": [1, 4, 4]},
        {"kind": "Conv2d", "in_channels": 1, "out_channels": 2, "kernel_size": 4},
        {"kind": "Flatten"},
        criterion="CrossEntropyLoss",
    )
    fit = open_program(images).fit.read()
    assert fit.pictures == ("images", "confusion")
    assert fit.inputs.tolist() == np.arange(32.0).reshape(2, 4, 4).tolist()
    tokens = regression(
        inline([[0, 1], [1, 0]], [0, 1]),
        {"kind": "Embedding", "num_embeddings": 2, "embedding_dim": 3},
        {"kind": "Flatten"},
        linear(6, 2),
        criterion="CrossEntropyLoss",
    )
    assert open_program(tokens).fit.read().pictures == ("confusion",)


def test_a_label_that_the_loss_ignores_is_no_example():
    document = regression(inline([[1.0], [2.0], [3.0]], [0, 1, 2]), linear(1, 3))
    document["losses"]["loss"]["criterion"] = {"kind": "CrossEntropyLoss", "ignore_index": 1}
    fit = open_program(document).fit.read()
    assert fit.rows.tolist() == [0, 2]
    assert fit.scores["training"].examples == 2


def test_an_output_that_is_not_finite_is_no_class():
    dbg = open_program(
        regression(inline([[1.0], [2.0]], [0, 1]), linear(1, 2), criterion=SOFTMAX["kind"])
    )
    dbg.program.tensors["model.0.weight"]._array[:] = np.nan
    fit = dbg.fit.read()
    assert fit.predicted.tolist() == [-1, -1]
    assert (fit.scores["training"].accuracy, fit.scores["training"].counts.sum()) == (0.0, 0)


def test_of_a_large_data_set_a_sample_is_predicted_and_the_whole_batch():
    dbg = open_program(
        regression(
            {
                "kind": "line",
                "samples": 10_000,
                "validation": 0.3,
                "batch_size": 700,
                "shuffle": True,
            },
            linear(1, 1),
        )
    )
    dbg.forward()
    fit = dbg.fit.read()
    assert fit.total == 10_000
    assert fit.held_out.sum() == MAX_HELD_OUT_ROWS
    outside = ~fit.held_out & ~fit.in_batch
    assert MAX_TRAINING_ROWS - MAX_BATCH_ROWS <= outside.sum() <= MAX_TRAINING_ROWS
    assert fit.in_batch.sum() >= MAX_BATCH_ROWS


# --- what cannot be predicted ---------------------------------------------------------------


def test_what_has_nothing_to_predict_says_why():
    assert open_program(LINE).fit.read().obstacle == (
        "This program has no data: its losses are computed from its own tensors alone."
    )
    assert "d_loss has no output that could be compared with the targets of real: its document" in (
        scenario(22).fit.read().obstacle
    )
    unlabelled = regression({"kind": "inline", "inputs": [[1.0]]}, linear(1, 1))
    unlabelled["losses"]["loss"] = {
        "data": "d",
        "chain": ["model"],
        "expression": "mean((output - input) ** 2)",
    }
    fit = open_program(unlabelled).fit.read()
    assert fit.obstacle == "d has no targets that the output of loss could be compared with."
    assert fit.pictures == ()
    script = Debugger(Mirror(take(descent(2).stream)))
    assert script.fit.read().obstacle.endswith("predictions are shown for programs only.")


def test_outputs_that_do_not_pair_up_with_targets_say_so():
    document = regression(inline([[1.0], [2.0]], [[3.0], [5.0]]), linear(1, 3))
    document["losses"]["loss"] = {
        "data": "d",
        "chain": ["model"],
        "expression": "mean((sum(output, 1) - target) ** 2)",
    }
    fit = open_program(document).fit.read()
    assert fit.obstacle.endswith(
        "for 2 rows is of shape (2, 3), and their targets of shape (2, 1): they do not pair up."
    )
    assert fit.choices == (FitChoice("loss", "d"),)


def test_another_loss_than_the_choices_is_an_error():
    with pytest.raises(OperationError, match="the output of 'lost' cannot be compared"):
        scenario(2).fit.read("lost")


def test_losses_of_the_same_output_are_one_choice_and_that_on_training_rows():
    assert scenario(15).fit.read().choices == (FitChoice("loss", "wave"),)
    assert scenario(21).fit.read().choices == (FitChoice("train", "digits"),)
    assert scenario(5).fit.read().choices == (
        FitChoice("loss_a", "many"),
        FitChoice("loss_b", "few"),
    )


def test_wide_layers_predict_few_rows_at_a_time_and_can_be_cancelled_between():
    layers = (linear(1, 4096), linear(4096, 1))
    dbg = open_program(regression({"kind": "line", "samples": 600}, *layers))
    asked = []
    fit = dbg.fit.read(should_stop=lambda: asked.append(True) or False)
    assert len(asked) == 3 + 1  # 256 of the 600 rows at a time, then the 201 points of the curve
    rows = dbg.program.dataset("d").inputs
    parts = [called_by_hand(dbg, rows[start : start + 256])[:, 0] for start in (0, 256, 512)]
    assert fit.predicted.tolist() == np.concatenate(parts).tolist()
    with pytest.raises(StoppedError):
        dbg.fit.read(should_stop=lambda: len(asked) > 5 or asked.append(True))


def test_it_can_be_cancelled():
    with pytest.raises(StoppedError):
        scenario(2).fit.read(should_stop=lambda: True)


# --- time, and no trace ---------------------------------------------------------------------


def test_it_follows_the_time_line_and_the_branches():
    dbg = open_program(NETWORK)
    fits = [dbg.fit.read()]
    for _ in range(3):
        dbg.iterate(1)
        fits.append(dbg.fit.read())
    for number in (1, 3, 0, 2):
        dbg.seek(4 * number)
        again = dbg.fit.read()
        assert again.grid.shares.tobytes() == fits[number].grid.shares.tobytes()
        assert again.in_batch.tolist() == fits[number].in_batch.tolist()
    dbg.seek(8)
    branch = dbg.fork("other")
    dbg.zero_grad()
    dbg.forward()
    dbg.backward()
    dbg.step()
    dbg.step()
    other = dbg.fit.read()
    assert other.grid.shares.tobytes() != fits[3].grid.shares.tobytes()
    dbg.checkout(0)
    assert dbg.fit.read().grid.shares.tobytes() == fits[3].grid.shares.tobytes()
    dbg.checkout(branch)
    assert dbg.fit.read().grid.shares.tobytes() == other.grid.shares.tobytes()


def test_a_rebuilt_module_predicts_with_its_new_parameters():
    dbg = open_program(NETWORK)
    before = dbg.fit.read()
    dbg.apply(RebuildModule("model"))
    after = dbg.fit.read()
    assert after.grid.shares.tobytes() != before.grid.shares.tobytes()
    logits = called_by_hand(dbg, dbg.program.dataset("a").inputs)[:, 0]
    assert after.predicted.tolist() == (logits > 0).astype(int).tolist()


def _run(number, *, look):
    """Step through a program, and return its states and checksums."""
    dbg = scenario(number) if number else open_program(NETWORK)
    found = []
    for _ in range(10):
        if look:
            dbg.fit.read()
        dbg.apply(dbg.next_operation)
        if look:
            dbg.fit.read()
        found.append(frozen(dbg.program.capture()))
    dbg.step_into(dbg.next_operation)
    for _ in range(3):
        if look:
            dbg.fit.read()
        dbg.step_over()
    dbg.seek(3)
    if look:
        dbg.fit.read()
    dbg.seek(9)
    found.append(frozen(dbg.program.capture()))
    return found, [event.checksum for event in dbg.events]


@pytest.mark.parametrize("number", [0, 6, 11, 15, 16, 21])
def test_looking_changes_no_bit_of_the_history(number):
    default_generator.manual_seed(5)
    assert _run(number, look=True) == _run(number, look=False)


def test_looking_leaves_modes_versions_graphs_and_the_generator_as_they_are():
    dbg = scenario(15)
    dbg.iterate(1)
    dbg.forward()
    program = dbg.program
    modes = [layer.training for module in program.modules.values() for layer in module.modules()]
    versions = {name: tensor._version for name, tensor in program.tensors.items()}
    state = frozen(program.capture())
    default_generator.manual_seed(7)
    drawn = default_generator.get_state()
    dbg.fit.read()
    assert default_generator.get_state().tobytes() == drawn.tobytes()
    assert modes == [
        layer.training for module in program.modules.values() for layer in module.modules()
    ]
    assert versions == {name: tensor._version for name, tensor in program.tensors.items()}
    assert frozen(program.capture()) == state
    assert dbg.backward().outcome.ok


def test_a_batch_of_another_size_is_marked_as_well():
    dbg = open_program(changed(NETWORK, data={"a": {"kind": "moons", "samples": 24}}))
    dbg.forward()
    assert dbg.fit.read().in_batch.all()

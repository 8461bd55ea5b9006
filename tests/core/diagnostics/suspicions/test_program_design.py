"""Suspicions that a program shows before it has run: layers, criteria, scales."""

import pytest

LINEAR = {"kind": "Linear", "in_features": 2, "out_features": 4}
HEAD = {"kind": "Linear", "in_features": 4, "out_features": 2}
NORM = {"kind": "BatchNorm1d", "num_features": 4}


def model(make, *layers, criterion="CrossEntropyLoss", **changes):
    """Make a program of these layers, on two classes of points unless `data` says otherwise."""
    loss = {"data": "a", "chain": ["model"], "criterion": {"kind": criterion}}
    return make(modules={"model": list(layers)}, losses={"loss": loss}, **changes)


def _last(kind):
    return {"kind": kind, **({"dim": 1} if "Softmax" in kind else {})}


def suspicions(debugger):
    return {found.id: found for found in debugger.findings if found.severity == "suspicion"}


@pytest.mark.parametrize(
    ("criterion", "last", "words"),
    [
        (
            "CrossEntropyLoss",
            "Softmax",
            "ends with Softmax, but CrossEntropyLoss already applies a softmax",
        ),
        ("CrossEntropyLoss", "LogSoftmax", "the second one changes nothing"),
        ("CrossEntropyLoss", "ReLU", "expects logits"),
        ("NLLLoss", None, "NLLLoss expects log-probabilities"),
        ("BCEWithLogitsLoss", "Sigmoid", "BCEWithLogitsLoss already applies a sigmoid"),
    ],
)
def test_a_last_layer_that_does_not_fit_the_criterion(make, criterion, last, words):
    head = {**HEAD, "out_features": 2 if criterion != "BCEWithLogitsLoss" else 1}
    layers = [LINEAR, {"kind": "Tanh"}, head]
    layers += [_last(last)] if last else []
    dbg = model(make, *layers, criterion=criterion)
    finding = suspicions(dbg)["criterion-mismatch"]
    assert words in finding.detail
    assert (finding.events, finding.source[:9]) == ((), "NeuraLint")


def test_a_last_layer_and_targets_that_do_not_fit_are_both_named(make):
    data = {"kind": "inline", "inputs": [[0.0, 1.0]] * 4, "targets": [[-1.0], [1.0]] * 2}
    dbg = make(
        data={"a": data},
        modules={"model": [{**LINEAR, "out_features": 1}, {"kind": "Sigmoid"}]},
        losses={
            "loss": {"data": "a", "chain": ["model"], "criterion": {"kind": "BCEWithLogitsLoss"}}
        },
    )
    assert suspicions(dbg)["criterion-mismatch"].detail == (
        "The model ends with Sigmoid, but BCEWithLogitsLoss already applies a sigmoid; "
        "BCEWithLogitsLoss expects targets from 0 to 1, but they are -1 to 1 (in loss)."
    )


@pytest.mark.parametrize(
    ("criterion", "last"),
    [("CrossEntropyLoss", None), ("NLLLoss", "LogSoftmax"), ("CrossEntropyLoss", "Tanh")],
)
def test_a_last_layer_that_fits(make, criterion, last):
    layers = [LINEAR, {"kind": "Tanh"}, HEAD, *([_last(last)] if last else [])]
    assert suspicions(model(make, *layers, criterion=criterion)) == {}


@pytest.mark.parametrize(
    ("output", "criterion", "words"),
    [
        ("sigmoid(model(input))", "CrossEntropyLoss", "already applies a softmax"),
        ("log_softmax(model(input), 1)", "CrossEntropyLoss", "the second one changes nothing"),
        ("relu(model(input))", "CrossEntropyLoss", "expects logits"),
        ("model(input)", "NLLLoss", "NLLLoss expects log-probabilities"),
        ("log_softmax(model(input), 1)", "NLLLoss", ""),
        ("model(input)", "CrossEntropyLoss", ""),
        ("model(input) + 0.1 * sigmoid(model(input))", "CrossEntropyLoss", ""),
        ("exp(model(input))", "NLLLoss", ""),
    ],
)
def test_the_end_of_an_output_formula_is_compared_with_the_criterion(
    make, output, criterion, words
):
    dbg = make(
        data={"a": {"kind": "iris"}},
        modules={
            "model": [{**LINEAR, "in_features": 4}, {"kind": "Tanh"}, {**HEAD, "out_features": 3}]
        },
        losses={"loss": {"data": "a", "output": output, "criterion": {"kind": criterion}}},
    )
    found = suspicions(dbg).get("criterion-mismatch")
    assert (found is not None) == bool(words)
    assert found is None or words in found.detail


@pytest.mark.parametrize(
    ("output", "is_reported"),
    [
        ("head(scaled(body(input)))", True),
        ("head(scaled(body(input)) + body(input))", False),
        ("head(body(input))", False),
    ],
)
def test_a_bias_before_a_batch_norm_of_a_formula(make, output, is_reported):
    dbg = make(
        data={"a": {"kind": "moons", "samples": 32}},
        modules={"body": [LINEAR], "scaled": [NORM], "head": [{**HEAD, "out_features": 1}]},
        losses={
            "loss": {"data": "a", "output": output, "criterion": {"kind": "BCEWithLogitsLoss"}}
        },
        optimizers={"optimizer": {"kind": "SGD", "params": ["*"], "lr": 0.1}},
    )
    assert ("bias-before-batchnorm" in suspicions(dbg)) == is_reported


@pytest.mark.parametrize(
    ("last", "is_reported"), [("ReLU", True), ("Sigmoid", True), ("GELU", False)]
)
def test_targets_that_the_last_layer_cannot_reach(make, last, is_reported):
    dbg = model(
        make,
        {"kind": "Linear", "in_features": 1, "out_features": 1},
        {"kind": last},
        criterion="MSELoss",
        data={"a": {"kind": "line", "samples": 20, "slope": 2}},
    )
    assert ("criterion-mismatch" in suspicions(dbg)) == is_reported


def test_a_bias_before_batch_norm(make):
    dbg = model(make, LINEAR, NORM, {"kind": "ReLU"}, HEAD)
    assert suspicions(dbg)["bias-before-batchnorm"].subjects == ("model.0.bias",)
    assert suspicions(model(make, {**LINEAR, "bias": False}, NORM, {"kind": "ReLU"}, HEAD)) == {}
    dbg.zero_grad()
    dbg.forward()
    dbg.backward()
    assert abs(dbg.snapshot.parameters["model.0.bias"].grad).max() < 1e-6


def test_dropout_before_batch_norm(make):
    dropout, bare = {"kind": "Dropout", "p": 0.2}, {**LINEAR, "bias": False}
    dbg = model(make, bare, dropout, {"kind": "ReLU"}, NORM, HEAD)
    assert suspicions(dbg)["dropout-before-batchnorm"].subjects == ("model.1",)
    assert suspicions(model(make, bare, NORM, {"kind": "ReLU"}, dropout, HEAD)) == {}


def test_inputs_and_targets_of_an_unusual_scale(make):
    line = {"kind": "line", "samples": 20, "slope": 2, "low": 100, "high": 101}
    one = {"kind": "Linear", "in_features": 1, "out_features": 1}
    dbg = model(make, one, criterion="MSELoss", data={"a": line})
    found = [item for item in dbg.findings if item.id == "input-scale"]
    assert [(item.value > 100, item.threshold) for item in found] == [(True, 10.0)]
    usual = {"kind": "line", "samples": 20, "slope": 2}
    assert suspicions(model(make, one, criterion="MSELoss", data={"a": usual})) == {}
    norm = {"kind": "BatchNorm1d", "num_features": 1}
    inputs = {**line, "slope": 0.01}
    assert suspicions(model(make, norm, one, criterion="MSELoss", data={"a": inputs})) == {}


def test_what_is_suspected_of_the_design_stays_while_it_runs(make):
    dbg = model(make, LINEAR, NORM, {"kind": "ReLU"}, HEAD)
    dbg.iterate(5)
    dbg.seek(3)
    assert set(suspicions(dbg)) == {"bias-before-batchnorm"}
    dbg.forward()
    assert set(suspicions(dbg)) == {"bias-before-batchnorm"}


def test_large_inputs_are_reported_once_for_all_losses_that_use_the_data_set(make):
    one = {"kind": "Linear", "in_features": 1, "out_features": 1}
    head = {"data": "a", "chain": ["model"]}
    dbg = make(
        data={"a": {"kind": "line", "samples": 20, "slope": 0.01, "low": 900, "high": 1000}},
        modules={"model": [one]},
        losses={
            "square": {**head, "criterion": {"kind": "MSELoss"}},
            "size": {**head, "expression": "mean(abs(output))"},
            "total": {"data": "a", "expression": "square + 0.1 * size"},
        },
    )
    found = [item for item in dbg.findings if item.id == "input-scale"]
    assert [item.subjects for item in found] == [("square", "size")]
    assert "inputs of square and size reach 1e+03" in found[0].detail


def test_targets_that_a_binary_criterion_does_not_expect(make):
    data = {"kind": "inline", "inputs": [[0.0, 1.0], [1.0, 0.0]], "targets": [[-1.0], [1.0]]}
    one = {"kind": "Linear", "in_features": 2, "out_features": 1}
    dbg = model(make, one, criterion="BCEWithLogitsLoss", data={"a": data})
    finding = suspicions(dbg)["criterion-mismatch"]
    assert finding.detail == (
        "BCEWithLogitsLoss expects targets from 0 to 1, but they are -1 to 1 (in loss)."
    )
    (remedy,) = dbg.remedies(finding)
    assert remedy.title == "with the targets from 0 to 1"
    assert remedy.outcome.is_clean


def test_inputs_and_targets_of_one_loss_that_are_both_large_are_both_named(make):
    data = {"kind": "inline", "inputs": [[900.0, 3.0], [100.0, 2.0]], "targets": [[3e5], [1e5]]}
    one = {"kind": "Linear", "in_features": 2, "out_features": 1}
    dbg = model(make, one, criterion="MSELoss", data={"a": data})
    finding = suspicions(dbg)["input-scale"]
    assert finding.detail.startswith("The inputs reach 900, and the targets of loss reach 3e+05;")
    (remedy,) = dbg.remedies(finding)
    assert remedy.title == "with standardized inputs, and the targets divided"
    assert remedy.outcome.is_clean


def test_a_dropout_that_drops_nothing_may_come_before_batch_norm(make):
    bare = {**LINEAR, "bias": False}
    layers = [bare, {"kind": "Dropout", "p": 0.0}, {"kind": "ReLU"}, NORM, HEAD]
    assert suspicions(model(make, *layers)) == {}

"""What more likely causes a suspicion."""


def test_an_optimizer_with_weight_decay_may_have_no_gradient_for_a_long_time(make, layers):
    loss = {"data": "a", "criterion": {"kind": "BCEWithLogitsLoss"}}
    adam = {"kind": "Adam", "lr": 0.01, "weight_decay": 0.01}
    dbg = make(
        modules={"used": layers, "idle": layers},
        losses={"loss": {**loss, "chain": ["used"]}, "other": {**loss, "chain": ["idle"]}},
        optimizers={
            "one": {**adam, "params": ["used.*"]},
            "two": {**adam, "params": ["idle.*"]},
        },
        loop=[
            {"op": "zero_grad", "optimizer": "one"},
            {"op": "forward", "loss": "loss"},
            {"op": "backward", "loss": "loss"},
            {"op": "step", "optimizer": "one"},
        ],
    )
    dbg.iterate(60)  # a warning of NumPy would fail the test
    assert "weight-decay" not in {finding.id for finding in dbg.findings}

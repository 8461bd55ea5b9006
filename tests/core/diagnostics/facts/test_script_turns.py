"""Two networks whose losses take turns: which of them an optimizer moves by which loss."""

from __future__ import annotations

import pytest

from gradstep.debugger import Debugger
from tests.core.diagnostics.facts.sent_loops import Loop, debug

D = ("netD.0.weight", "netD.0.bias")
G = ("netG.weight",)
TEXT = """import torch

for real in batches:
    optimizer.zero_grad()
    d_loss = criterion(netD(real), 1) + criterion(netD(fake.detach()), 0)
    d_loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    g_loss = criterion(netD(netG(noise)), 1)
    g_loss.backward()
    optimizer.step()
"""


class Networks(Loop):
    """A script with a generator and a discriminator, whose losses take turns."""

    def __init__(self, **holdings):
        super().__init__(*D, *G, held=())
        self.holdings = holdings
        self.module("netD", ["", "Sequential", "", True], ["0", "Linear", "", True])
        self.module("netG", ["", "Linear", "", True])
        for name, held in holdings.items():
            self.optimizer(name, "SGD", list(held), lr=1.0)
        self.source("/home/ada/train.py", TEXT)

    def turn(self, loss, optimizer, reached, *, line, clears=True):
        """Compute the gradients of a loss, and step an optimizer."""
        if clears:
            self.zero(optimizer, names=(*D, *G), line=line - 2)
        self.event("backward", loss, line, self.gradients(*reached), loss=1.0)
        self.step(optimizer, self.holdings[optimizer], line=line + 1)
        return self


def by_turns(networks, *, times=3, first="optimizer", second="optimizer", wide=(*D, *G), repeats=1):
    for iteration in range(times):
        networks.then(iteration)
        for _ in range(repeats):
            networks.turn("d_loss", first, D, line=6)
        networks.turn("g_loss", second, wide, line=10)
    return networks


@pytest.mark.parametrize("repeats", [1, 5])
def test_a_step_that_moves_two_networks_by_turns_is_a_question(repeats):
    debugger = debug(by_turns(Networks(optimizer=(*G, *D)), repeats=repeats))
    (finding,) = debugger.findings
    assert (finding.id, finding.severity) == ("one-step-of-two", "question")
    last = 8 * (repeats + 1)  # with the Forwards
    assert finding.detail == (
        f"Backward #{last - 5} (train.py:6) gave a gradient to netD only. Backward #{last - 1} "
        f"(train.py:10), of another loss, gave one to netD and to netG, and Step #{last} "
        "(train.py:11) of optimizer moved both: two losses take turns moving netD."
    )
    assert finding.question.text == (
        "Is the first network meant to follow the second one's loss, too?"
    )


def test_the_answer_that_it_is_a_mistake_proposes_the_line_to_add():
    debugger = debug(by_turns(Networks(optimizer=(*G, *D))))
    debugger.answer("shared_optimizer", is_intended=False)
    (finding,) = debugger.findings
    assert finding.severity == "fact"
    assert [line for line in finding.edit.splitlines() if line.startswith(("+ ", "- "))] == [
        "+    netD.zero_grad()"
    ]
    debugger.answer("shared_optimizer", is_intended=True)
    assert [item.severity for item in debugger.findings] == ["info"]


def test_gradients_that_are_cleared_before_the_step_are_not_followed():
    networks = Networks(optimizer=(*G, *D))
    for iteration in range(3):
        networks.then(iteration).turn("d_loss", "optimizer", D, line=6)
        networks.zero("optimizer", names=(*D, *G), line=8)
        networks.event("backward", "g_loss", 10, networks.gradients(*D, *G), loss=1.0)
        networks.zero("netD", names=D, line=11).step("optimizer", (*G, *D), line=12)
    assert debug(networks).findings == ()


def test_two_phases_one_after_the_other_are_no_turns():
    networks = Networks(optimizer=(*G, *D))
    for iteration in range(8):
        networks.then(iteration)
        if iteration < 4:
            networks.turn("d_loss", "optimizer", D, line=6)
        else:
            networks.turn("g_loss", "optimizer", (*D, *G), line=10)
    assert debug(networks).findings == ()


def test_a_network_that_also_has_a_loss_of_its_own_is_no_question():
    networks = Networks(opt_d=D, opt_g=G, opt_both=(*D, *G))
    for iteration in range(3):
        networks.then(iteration)
        networks.turn("d_loss", "opt_d", D, line=6)
        networks.turn("g_loss", "opt_g", (*D, *G), line=10)
        networks.turn("info_loss", "opt_both", (*D, *G), line=14)
    assert debug(networks).findings == ()


def test_parts_of_one_network_are_no_networks():
    loop = Loop("model.head.weight", held=("model.weight", "model.bias", "model.head.weight"))
    held = ("model.weight", "model.bias", "model.head.weight")
    for iteration in range(3):
        for line, names in ((6, held[1:]), (10, held)):
            loop.then(iteration).zero(names=held, line=line - 2)
            loop.event("backward", "loss", line, loop.gradients(*names), loss=1.0)
            loop.step("optimizer", held, line=line + 1)
    assert debug(loop).findings == ()


def test_two_optimizers_of_one_network_leave_the_other_as_it_is():
    networks = by_turns(Networks(opt_d=D, opt_g=D), first="opt_d", second="opt_g")
    (finding,) = debug(networks).findings
    assert (finding.id, finding.severity) == ("optimizer-of-other-network", "fact")
    assert finding.detail == (
        "opt_g and opt_d hold the same parameters. Backward #15 (train.py:10) gave netG a "
        "gradient, but no optimizer holds it: Step #16 (train.py:11) of opt_g moved the parameters "
        "that Backward #11 (train.py:6) and a Step of opt_d had moved."
    )
    assert finding.remedy == "Pass the parameters of netG to opt_g."


def test_a_network_that_no_optimizer_holds_is_a_question():
    debugger = debug(by_turns(Networks(optimizer=D)))
    (finding,) = debugger.findings
    assert (finding.id, finding.severity) == ("network-left-out", "question")
    assert "Backward #15 (train.py:10) gave netG a gradient, and no optimizer" in finding.detail
    debugger.answer("untrained_network", is_intended=False)
    (finding,) = debugger.findings
    assert finding.remedy == (
        "Create an optimizer for netG, and step that one after the Backward (train.py:10)."
    )


def test_a_network_that_is_updated_by_hand_is_not_left_out():
    networks = Networks(optimizer=D)
    for iteration in range(3):
        by_turns(networks, times=1).then(iteration)
        networks.by_hand("update", netG__weight=[float(iteration), 1.0])
    assert debug(networks).findings == ()


def test_a_tensor_of_no_module_is_not_left_out():
    networks = Networks(optimizer=D)
    networks.tensor("noise", [1.0, 2.0])
    assert debug(by_turns(networks, wide=(*D, "noise"))).findings == ()


def test_the_turns_are_found_again_in_a_session(tmp_path):
    debug(by_turns(Networks(opt_d=D, opt_g=D), first="opt_d", second="opt_g")).save(
        tmp_path / "a.gradstep"
    )
    opened = Debugger.open(tmp_path / "a.gradstep")
    assert [item.id for item in opened.findings] == ["optimizer-of-other-network"]

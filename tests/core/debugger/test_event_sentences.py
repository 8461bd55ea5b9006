"""What an Operation has just done, in a sentence."""

import pytest

from gradstep.debugger import Debugger
from gradstep.debugger.event_sentences import EventFacts, event_sentence
from gradstep.history.reads_writes import reads_writes_of
from gradstep.history.records.event import Event, Outcome
from gradstep.program.gallery import scenarios
from gradstep.program.operation import (
    AddLoss,
    Backward,
    ClipGradNorm,
    ClipGradValue,
    Forward,
    Freeze,
    LoadState,
    RebuildModule,
    ReplaceOptimizer,
    ScriptCall,
    SetBatchSize,
    SetHyperparameter,
    SetMode,
    SetValue,
    Skip,
    Step,
    ZeroGrad,
)
from tests.core.debugger.conftest import LINE, NETWORK, changed, open_program


def sentences(dbg, *operations):
    """Apply Operations, and return the sentence of each."""
    found = []
    for operation in operations:
        dbg.apply(operation)
        found.append(dbg.snapshot.sentence)
    return found


def scenario(start):
    path = next(item.path for item in scenarios() if item.path.name.startswith(start))
    return Debugger.open(path)


def iteration(dbg, count=1):
    """Apply the loop line by line, and return the sentence of each."""
    wanted = dbg.program.iteration + count
    found = []
    while dbg.program.iteration < wanted:
        found += sentences(dbg, dbg.next_operation)
    return found


def test_the_four_calls_say_what_they_wrote_and_what_they_left_alone():
    dbg = scenario("01")
    assert dbg.snapshot.sentence == "This is the start: x is [1, 2], and x.grad is None."
    assert iteration(dbg, 2) == [
        "Zero Grad changed nothing: every .grad was already None.",
        "Forward computed loss = 300 and recorded its graph. x and x.grad did not change.",
        "Backward wrote x.grad = [100, 100]. x did not move.",
        "Step moved x from [1, 2] to [0.9, 1.9]. x.grad is still there.",
        "Zero Grad set x.grad to None. Nothing else changed.",
        "Forward computed loss = 280 and recorded its graph. x and x.grad did not change.",
        "Backward wrote x.grad = [100, 100]. x did not move.",
        "Step moved x from [0.9, 1.9] to [0.8, 1.8]. x.grad is still there.",
    ]


def test_a_second_backward_is_said_to_add():
    first, second = Backward(retain_graph=True), Backward()
    assert sentences(open_program(LINE), Forward(), first, second)[1:] == [
        "Backward wrote x.grad = [100, 100]. x did not move.",
        "Backward added [100, 100] to x.grad, which is now [200, 200]. x did not move.",
    ]


def test_a_failed_operation_says_why():
    early, _, _, freed = sentences(
        open_program(LINE), Backward(), Forward(), Backward(), Backward()
    )
    assert early == "Backward failed: loss has not been computed yet. Nothing changed."
    assert freed == (
        "Backward failed: trying to backward through the graph a second time: the values saved by "
        "MulBackward0 were freed by the first backward. Nothing changed."
    )


def test_many_tensors_are_summed_up():
    assert iteration(scenario("03")) == [
        "Zero Grad changed nothing: every .grad was already None.",
        "Forward computed loss = 2790 from 128 rows and recorded its graph. "
        "No parameter and no gradient changed.",
        "Backward wrote the gradients of 4 parameters. No parameter moved.",
        "Step moved 4 parameters, and updated their step, exp_avg and exp_avg_sq. "
        "The gradients are still there.",
    ]


def test_gradients_that_only_some_parameters_get_are_counted():
    backward, step = iteration(scenario("04"))[2:4]
    assert backward == (
        "Backward of loss_a wrote the gradients of 4 of 6 parameters. No parameter moved."
    )
    assert step == (
        "Step moved 4 parameters, and updated their momentum_buffer. "
        "2 of 6 parameters had no gradient and were skipped. The gradients are still there."
    )


def test_a_backward_that_writes_some_and_adds_to_others_says_both():
    dbg = scenario("11")
    sentences(dbg, *[ZeroGrad("optimizer_a"), Forward("loss_a"), Forward("loss_b")])
    assert sentences(dbg, Backward("loss_a"), Backward("loss_b"))[1] == (
        "Backward of loss_b wrote the gradients of 2 parameters and added to the gradients of "
        "4 others. No parameter moved."
    )


def test_two_small_tensors_are_both_written_out_in_the_order_of_the_program():
    assert iteration(scenario("18"))[2:4] == [
        "Backward wrote w.grad = [-0.4286, -0.6428] and b.grad = -0.2143. No parameter moved.",
        "Step moved w from [0.5, -1] to [0.5129, -0.9807] and b from 0.25 to 0.2564. "
        "The gradients are still there.",
    ]


def test_a_large_tensor_is_named_with_its_shape_and_norm():
    document = changed(
        LINE, tensors={"w": {"value": [3.0] * 16, "requires_grad": True}},
        losses={"loss": {"expression": "sum(w * w)"}},
        optimizers={"optimizer": {"kind": "SGD", "params": ["w"], "lr": 0.1}},
    )  # fmt: skip
    assert sentences(open_program(document), Forward(), Backward(), Step())[1:] == [
        "Backward wrote w.grad (16 elements, norm 24). w did not move.",
        "Step moved w. w.grad is still there.",
    ]


def test_a_step_that_moves_nothing_says_so():
    still = changed(LINE, losses={"loss": {"expression": "sum(0 * x)"}})
    dbg = open_program(still)
    assert sentences(dbg, Step(), Forward(), Backward(), Step())[::3] == [
        "Step moved nothing: every .grad is None.",
        "Step left x at [1, 2]. x.grad is still there.",
    ]


def test_a_step_with_a_closure_says_that_it_computed_the_loss():
    document = changed(
        LINE,
        losses={"loss": {"expression": "sum(x * x)"}},
        optimizers={"optimizer": {"kind": "LBFGS", "params": ["x"], "lr": 1, "max_iter": 1}},
    )
    (sentence,) = sentences(open_program(document), Step())
    assert sentence.startswith(
        "Step computed loss and the gradients itself, and moved x from [1, 2] to "
    )


def test_running_averages_are_no_parameters():
    forward = iteration(scenario("15"))[1]
    assert forward == (
        "Forward computed loss = 0.9584 from 16 rows and recorded its graph. "
        "It updated 3 buffers. No parameter moved."
    )


def test_a_schedule_says_what_became_of_the_learning_rate():
    early, *_, late = iteration(scenario("12"))
    assert early == (
        "Scheduler Step changed lr of optimizer from 0.5 to 0.4. "
        "Detected call of `lr_scheduler.step()` before `optimizer.step()`. No parameter moved."
    )
    assert late.startswith("Step moved x from [4, -3]")


def test_clipping_says_by_how_much():
    dbg = scenario("17")
    sentences(dbg, Forward(), Backward())
    assert sentences(dbg, ClipGradNorm(1.0), ClipGradNorm(5.0), ClipGradValue(0.5)) == [
        "Clip Grad Norm scaled x.grad from 108 to 1: the total norm was 108, now 1. "
        "x did not move.",
        "Clip Grad Norm changed nothing: the total norm was 1, which is not above 5.",
        "Clip Grad Value clamped x.grad from 1 to 0.5. x did not move.",
    ]
    assert sentences(dbg, ZeroGrad(), ClipGradNorm(1.0))[1] == (
        "Clip Grad Norm changed nothing: every .grad is None."
    )


def test_what_the_user_changes_by_hand_is_said():
    assert sentences(
        open_program(LINE),
        SetHyperparameter("lr", 0.5),
        SetHyperparameter("lr", 0.5),
        SetValue("x", 3.0, (0,)),
        Freeze("x"),
        Freeze("x", frozen=False),
        Skip(Step()),
        ReplaceOptimizer("Adam"),
        SetHyperparameter("lr", -1.0),
    ) == [
        "lr of optimizer was set from 0.001 to 0.5. Nothing else changed.",
        "lr of optimizer was set to 0.5, which it was already. Nothing changed.",
        "Set Value changed x from [1, 2] to [3, 2]. Nothing else changed.",
        "Freeze set requires_grad of x to False: Backward no longer writes x.grad.",
        "Thaw set requires_grad of x to True: Backward writes x.grad.",
        "Step was skipped. Nothing changed.",
        "Replace Optimizer replaced optimizer by Adam, whose state is empty. No parameter moved.",
        "Set lr failed: invalid learning rate: -1.0. Nothing changed.",
    ]


def test_a_call_of_a_script_that_failed_is_named_as_an_operation():
    failed = Outcome(ok=False, error="RuntimeError", message="the shapes differ")
    facts = EventFacts(Event(1, 0, ScriptCall("forward"), failed), reads_writes_of(1, (), (), ()))
    assert event_sentence(facts) == "Forward failed: the shapes differ. Nothing changed."


def test_other_operations_have_sentences_too():
    dbg = open_program(NETWORK)
    assert sentences(
        dbg,
        SetBatchSize("a", None),
        SetBatchSize("a", 4),
        SetMode(False, "model"),
        RebuildModule("model"),
        Forward(),
        Forward(batch="held"),
        LoadState(3),
        LoadState(3, ("data_order",)),
    )[:4] == [
        "Set Batch Size: the next batches of a have all rows.",
        "Set Batch Size: the next batches of a have 4 rows.",
        "Set Mode put model in evaluation mode. No value changed.",
        "Rebuild Module replaced model by one with 4 new tensors; "
        "optimizer still holds the old tensors.",
    ]
    assert sentences(dbg, LoadState(3), LoadState(3, ("data_order",))) == [
        "Load State brought everything back to the state after Event 3.",
        "Load State brought data order back to the state after Event 3.",
    ]
    held = sentences(dbg, Forward(), Forward(batch="held"))[1]
    assert "from the same 4 rows" in held


def test_a_running_total_says_what_it_keeps_alive():
    dbg = scenario("20")
    sentences(dbg, Forward())
    assert sentences(dbg, AddLoss("loss", "running_loss")) == [
        "Add Loss added loss to running_loss, which is now 0.9152. "
        "It keeps 1 graph alive (7 nodes)."
    ]


@pytest.mark.parametrize("item", scenarios(), ids=lambda item: item.path.stem)
def test_every_event_of_every_lesson_has_a_sentence_of_its_own(item):
    dbg = Debugger.open(item.path)
    length = len(dbg.program.loop_operations())
    said = []
    for _ in range(2 * length):
        event = dbg.apply(dbg.next_operation)
        said.append(dbg.capture_snapshot(()).sentence)
        assert event.outcome.ok
        assert said[-1].endswith(".")
        assert "  " not in said[-1]
        assert ".." not in said[-1]
    assert len(set(said)) >= length - 1  # two optimizers clear nothing in the same words


def test_inside_an_operation_each_micro_step_has_its_sentence():
    dbg = open_program(LINE)
    said = []
    for operation in (Forward(), Backward(), Step(), ZeroGrad()):
        dbg.step_into(operation)
        while dbg.position[1]:
            said.append(dbg.snapshot.sentence)
            dbg.step_into()
    assert said == [
        "Inside Forward: Mul computed [100, 200].",
        "Inside Forward: Sum computed 300.",
        "Inside Backward: SumBackward0 passed the gradient [1, 1] on to MulBackward0.",
        "Inside Backward: MulBackward0 passed the gradient [100, 100] on to x.",
        "Inside Backward: it wrote x.grad, which is now [100, 100].",
        "Inside Step: it begins with group 0, lr = 0.001.",
        "Inside Step: next comes x.",
        "Inside Step: update of x is [0.1, 0.1].",
        "Inside Step: x is now [0.9, 1.9].",
        "Inside Zero Grad: x.grad is now None.",
    ]
    assert dbg.snapshot.sentence == "Zero Grad set x.grad to None. Nothing else changed."


def test_a_walk_through_a_second_backward_adds():
    dbg = open_program(LINE)
    sentences(dbg, Forward(), Backward(retain_graph=True))
    said = []
    dbg.step_into(Backward())
    while dbg.position[1]:
        said.append(dbg.snapshot.sentence)
        dbg.step_into()
    assert said[-1] == "Inside Backward: it added to x.grad, which is now [200, 200]."


def test_a_module_is_said_to_be_called():
    dbg = open_program(NETWORK)
    dbg.step_into(Forward())
    assert dbg.snapshot.sentence == "Inside Forward: model was called."

"""Planes: coordinates of parameters, and parameters of coordinates."""

import numpy as np
import pytest

from gradstep.autograd.creation import tensor
from gradstep.debugger.landscape.plane import (
    DirectionPlane,
    ElementPlane,
    gradient_reader,
    parse_element,
    reader,
)
from gradstep.errors import OperationError
from gradstep.program.operation import SetValue


@pytest.fixture
def tensors():
    return {
        "w": tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True),
        "b": tensor(5.0, requires_grad=True),
    }


def elements():
    return ElementPlane([("w", (0, 1)), ("b", ())], ("w[0, 1]", "b"))


def test_the_coordinates_of_elements_are_their_values(tensors):
    plane = elements()
    assert plane.project(reader(tensors)) == (2.0, 5.0)
    assert plane.columns == ("element/w[0,1]", "element/b[]")
    plane.write(tensors, (7.0, -1.0))
    assert tensors["w"].tolist() == [[1, 7], [3, 4]]
    assert tensors["b"].tolist() == -1
    assert np.isnan(plane.project(reader({"b": tensors["b"]}))[0])


def test_a_change_is_projected_without_an_origin(tensors):
    (tensors["w"] * tensors["w"]).sum().backward()
    assert elements().project_change(gradient_reader(tensors)) == (-4.0, 0.0)


def test_a_point_of_elements_is_written_by_one_operation_each(tensors):
    found = elements().operations(tensors, (0.1, 2.0))
    assert found == (
        SetValue("w", float(np.float32(0.1)), (0, 1), out_of_loop=True),
        SetValue("b", 2.0, (), out_of_loop=True),
    )
    assert elements().after(found[0], (9.0, 9.0)) == (float(np.float32(0.1)), 9.0)
    assert elements().after(SetValue("w", [[1, 8], [0, 0]]), (9.0, 9.0)) == (8.0, 9.0)
    assert elements().after(SetValue("other", 3.0), (9.0, 9.0)) == (9.0, 9.0)


def test_coordinates_along_oblique_directions_are_found_again(tensors):
    directions = [
        {"w": np.array([[1.0, 0], [0, 0]]), "b": np.array(0.0)},
        {"w": np.array([[1.0, 0], [0, 2]]), "b": np.array(1.0)},
    ]
    origin = {name: array.detach().numpy() for name, array in tensors.items()}
    plane = DirectionPlane(origin, directions, ("one", "two"))
    assert plane.project(reader(tensors)) == pytest.approx((0, 0))
    plane.write(tensors, (0.5, -0.25))
    assert tensors["w"].tolist() == [[1.25, 2], [3, 3.5]]
    assert tensors["b"].tolist() == 4.75
    assert plane.project(reader(tensors)) == pytest.approx((0.5, -0.25))
    found = plane.operations(tensors, (0.0, 0.0))
    assert found == (
        SetValue("w", [[1.0, 2.0], [3.0, 4.0]], out_of_loop=True),
        SetValue("b", 5.0, out_of_loop=True),
    )


def test_too_many_numbers_are_not_written():
    big = {"w": tensor(np.zeros((101, 100)), requires_grad=True)}
    origin = {"w": np.zeros((101, 100))}
    plane = DirectionPlane(origin, [origin, origin], ("one", "two"))
    with pytest.raises(OperationError, match="10,100 numbers"):
        plane.operations(big, (0.0, 0.0))


def test_signatures_differ_by_what_is_held_alone(tensors):
    plane, names = elements(), ("w", "b")
    before = plane.signature(tensors, names)
    plane.write(tensors, (70.0, 80.0))
    assert plane.signature(tensors, names) == before
    tensors["w"]._array[0, 0] = 9
    assert plane.signature(tensors, names) != before


@pytest.mark.parametrize(
    ("text", "expected"),
    [("w[1,0]", ("w", (1, 0))), ("w[1, 0]", ("w", (1, 0))), ("b[]", ("b", ())), ("b", ("b", ()))],
)
def test_elements_are_named_as_in_the_curves(tensors, text, expected):
    assert parse_element(text, tensors) == expected


@pytest.mark.parametrize("text", ["", "v[0]", "w[2,0]", "w[0]", "w[a,b]", "w[-1,0]", "[0]", "w]["])
def test_other_elements_are_rejected(tensors, text):
    with pytest.raises(OperationError, match="no element"):
        parse_element(text, tensors)

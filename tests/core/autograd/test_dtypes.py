"""Element types, and how they combine."""

from __future__ import annotations

import numpy as np
import pytest

import gradstep
from gradstep.errors import ArgumentTypeError, TensorError

T = gradstep.tensor

RESULTS = {
    "int divided": (lambda: T([1, 2]) / 2, "float32"),
    "int and float number": (lambda: T([1, 2]) + 1.5, "float32"),
    "0-d does not promote": (lambda: T([1.0]) * T(2.0, dtype=gradstep.float64), "float32"),
    "0-d of a higher category does": (lambda: T([1]) * T(2.0, dtype=gradstep.float64), "float64"),
    "int32 and 0-d int64": (lambda: T([1], dtype=gradstep.int32) + T(5), "int32"),
    "both 0-d": (lambda: T(1.0) * T(2.0, dtype=gradstep.float64), "float64"),
    "float32 and float64": (lambda: T([1.0]) + T([1.0]).double(), "float64"),
    "int64 and float32": (lambda: T([1]) * T([1.5]), "float32"),
    "float16 and int64": (lambda: T([1.0]).half() * T([3]), "float16"),
    "bool and int": (lambda: T([True]) + 1, "int64"),
    "bool and float": (lambda: T([True]) * 2.5, "float32"),
    "sum of ints": (lambda: T([1], dtype=gradstep.int32).sum(), "int64"),
    "sum of bools": (lambda: T([True, True]).sum(), "int64"),
    "int power": (lambda: T([2]) ** 2, "int64"),
    "exp of ints": (lambda: T([1]).exp(), "float32"),
    "a list of floats": (lambda: T([1.0]), "float32"),
    "an array of doubles": (lambda: T(np.ones(2)), "float64"),
    "a list of ints": (lambda: T([1]), "int64"),
    "comparison": (lambda: T([1.0]) > 0, "bool"),
}


@pytest.mark.parametrize("name", RESULTS)
def test_the_result_has_torchs_type(name):
    make, expected = RESULTS[name]
    assert make().dtype.name == expected


def test_gradients_have_the_type_of_their_leaf():
    x = T([1.0, 2.0], requires_grad=True)
    y = T([1.0, 2.0], dtype=gradstep.float64, requires_grad=True)
    (x * y).sum().backward()
    assert (x.grad.dtype, y.grad.dtype) == (gradstep.float32, gradstep.float64)


def test_types_may_be_given_as_ours_numpys_pythons_or_by_name():
    for kind in (gradstep.float64, np.float64, np.dtype("f8"), "float64", gradstep.double):
        assert gradstep.zeros(1, dtype=kind).dtype == gradstep.float64
    assert gradstep.zeros(1, dtype=float).dtype == gradstep.float32
    assert gradstep.zeros(1, dtype=int).dtype == gradstep.int64


def test_the_default_type_can_be_set():
    try:
        gradstep.set_default_dtype(gradstep.float64)
        assert T([1.0]).dtype == gradstep.get_default_dtype() == gradstep.float64
    finally:
        gradstep.set_default_dtype(gradstep.float32)
    with pytest.raises(ArgumentTypeError, match="floating-point"):
        gradstep.set_default_dtype(gradstep.int64)


def test_unknown_dtypes_and_values_that_no_tensor_can_hold_are_rejected():
    with pytest.raises(ArgumentTypeError, match="is not a dtype"):
        gradstep.zeros(1, dtype="float33")
    with pytest.raises(ArgumentTypeError, match="complex128"):
        T(np.ones(1, complex))
    with pytest.raises(ArgumentTypeError, match="give numbers"):
        T("text")


def test_only_floats_can_require_grad():
    with pytest.raises(TensorError, match="Only Tensors of floating point"):
        T([1], requires_grad=True)


def test_only_the_cpu_is_available():
    assert gradstep.zeros(1, device="cpu").device == gradstep.device("cpu")
    assert T([1.0]).to("cpu").cpu().tolist() == [1.0]
    with pytest.raises(TensorError, match="device 'cuda' is not available"):
        T([1.0]).to("cuda")


def test_conversion_keeps_what_is_right_already():
    x = T([1.0])
    assert x.float() is x
    assert x.to(gradstep.float32, copy=True) is not x
    assert x.to(T([1])).dtype == gradstep.int64
    assert x.long().dtype == gradstep.int64
    assert x.bool().tolist() == [True]
    assert x.type(gradstep.float64).type_as(x).dtype == gradstep.float32

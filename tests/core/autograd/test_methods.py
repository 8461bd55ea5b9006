"""The methods of Tensor that are declared, and those that are installed, are the same."""

from __future__ import annotations

import ast
import inspect

import pytest

from gradstep.autograd import tensor
from gradstep.autograd.methods import METHODS

INSTALLED = {name: method for method, names in METHODS for name in names.split()}


def declarations():
    """The functions that the class declares for type checkers, and further names of them."""
    [class_] = [
        part
        for part in ast.parse(inspect.getsource(tensor)).body
        if isinstance(part, ast.ClassDef) and part.name == "Tensor"
    ]
    [block] = [part for part in class_.body if isinstance(part, ast.If)]
    functions = {part.name: part for part in block.body if isinstance(part, ast.FunctionDef)}
    names = {
        target.id: functions[part.value.id]
        for part in block.body
        if isinstance(part, ast.Assign)
        for target in part.targets
    }
    return {**functions, **names}


def parameters(function):
    """The parameters of a declared function but the first, with their defaults."""
    declared = ast.unparse(function.args).replace(" ", "")
    return declared.partition(",")[2].replace("dtypes.", "")


def operation_of(method):
    """The definition of the operation behind a method."""
    function = inspect.unwrap(method.fget if isinstance(method, property) else method)
    [found] = [
        part
        for part in ast.parse(inspect.getsource(inspect.getmodule(function))).body
        if isinstance(part, ast.FunctionDef) and part.name == function.__name__
    ]
    return found


@pytest.mark.parametrize("name", sorted({*INSTALLED, *declarations()} - {"__repr__"}))
def test_a_method_is_declared_as_its_operation_is_defined(name):
    declared, defined = declarations()[name], operation_of(INSTALLED[name])
    assert parameters(declared) == parameters(defined)

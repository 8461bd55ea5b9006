"""Compile expressions safely, by a whitelist of syntax.

Python's `eval` is not used. The text is parsed, every node of the syntax tree must be on the
whitelist, and each becomes a closure over the values of the names. An `ExpressionLanguage` lists
the names, functions and operators, so that losses and breakpoints share one compiler.
"""

from __future__ import annotations

import ast
import operator
import warnings
from dataclasses import dataclass, field
from math import isfinite
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

from gradstep.errors import ExpressionError, GradStepError
from gradstep.program.expressions.syntax_errors import (
    from_syntax_error,
    index_value,
    operator_symbol,
    reject,
    syntax_name,
)
from gradstep.program.schema.limits import MAX_EXPRESSION
from gradstep.program.suggestions import nearest

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

__all__ = [
    "ARITHMETIC",
    "COMPARISONS",
    "Expression",
    "ExpressionFunction",
    "ExpressionLanguage",
    "compile_expression",
]

Values: TypeAlias = "Mapping[str, Any]"
Evaluator: TypeAlias = "Callable[[Values], Any]"

_MAX_DEPTH = 200
_MAX_LITERAL = 2**53


@dataclass(frozen=True, slots=True)
class ExpressionFunction:
    """A function that expressions may call.

    Attributes:
        call: The function, called with the values of the arguments.
        least: The minimum number of arguments.
        most: The maximum number of arguments.
        texts: Whether an argument may be a quoted string, such as a tensor's name.
        site: Whether `call` is called at compile time instead, once per call site, with strings as
            they are and other arguments as closures. It returns the closure of the call site, or
            raises an ExpressionError, to which the column is added.
    """

    call: Callable[..., Any]
    least: int = 1
    most: int = 1
    texts: bool = False
    site: bool = False


def _power(base: Any, exponent: Any) -> Any:  # noqa: ANN401 - numbers and tensors alike
    """Raise numbers to powers as floats, since a power of large integers could take forever."""
    if isinstance(base, (int, float)) and isinstance(exponent, (int, float)):
        raised = float(base) ** float(exponent)
        if isinstance(raised, complex):
            raise ExpressionError(
                f"{base} ** {exponent} is not a real number", "use a base that is not negative"
            )
        return raised
    return base**exponent


ARITHMETIC: Mapping[type[ast.AST], Callable[..., Any]] = MappingProxyType(
    {
        ast.Add: operator.add,
        ast.Sub: operator.sub,
        ast.Mult: operator.mul,
        ast.Div: operator.truediv,
        ast.Pow: _power,
        ast.MatMult: operator.matmul,
        ast.USub: operator.neg,
        ast.UAdd: operator.pos,
    }
)
"""`+ - * / ** @` and the signs."""

COMPARISONS: Mapping[type[ast.AST], Callable[..., Any]] = MappingProxyType(
    {
        ast.Lt: operator.lt,
        ast.LtE: operator.le,
        ast.Gt: operator.gt,
        ast.GtE: operator.ge,
        ast.Eq: operator.eq,
        ast.NotEq: operator.ne,
    }
)
"""`< <= > >= == !=`; with them come `and`, `or`, `not`."""


@dataclass(frozen=True, slots=True)
class ExpressionLanguage:
    """The functions, names, operators and constants that an expression may use.

    Attributes:
        functions: The functions by name.
        names: The names; their values are passed at each evaluation.
        operators: The functions that compute the operators, by syntax node.
        constants: The constants by name.
        reference: The function that quotes a name: `tensor("a.0.b")` is the name "a.0.b", which is
            not an identifier. Empty for a language without one.
        callables: Names that are called with one value, such as modules; what they stand for is
            passed at each evaluation, like the values of the names.
        logic: Whether `and`, `or`, `not`, True and False are allowed.
        methods: Whether functions of values can be written as methods, as in `a.norm()`.
    """

    functions: Mapping[str, ExpressionFunction]
    names: Collection[str]
    operators: Mapping[type[ast.AST], Callable[..., Any]] = field(
        default_factory=lambda: ARITHMETIC
    )
    constants: Mapping[str, Any] = field(default_factory=dict)
    reference: str = ""
    callables: Collection[str] = ()
    logic: bool = False
    methods: bool = False


@dataclass(frozen=True, slots=True)
class Expression:
    """A compiled expression.

    Attributes:
        text: The source text.
        names: The names it uses, in order of appearance, without constants and functions.
        texts: The quoted strings it uses, in order of appearance.
        functions: The functions it calls.
        callables: The modules it calls, in order of appearance.
        closure: Computes its value from the values of the names.
    """

    text: str
    names: tuple[str, ...]
    texts: tuple[str, ...]
    functions: frozenset[str]
    callables: tuple[str, ...]
    closure: Evaluator

    def __call__(self, values: Values) -> Any:  # noqa: ANN401 - a number, a tensor, a truth value
        """Evaluate it.

        Args:
            values: The value of every name that it uses.

        Raises:
            ExpressionError: If it cannot be computed from these values.
            TensorError: If the shapes or dtypes of tensors do not match.
        """
        try:
            value = self.closure(values)
            return float(value) if type(value) is int and abs(value) > _MAX_LITERAL else value
        except GradStepError:
            raise
        except KeyError as error:
            raise ExpressionError(f"{error.args[0]!r} has no value yet in {self.text!r}") from None
        except OverflowError:
            raise ExpressionError(f"a number is too large in {self.text!r}") from None
        except MemoryError:
            raise ExpressionError(
                f"not enough memory to compute {self.text!r}", "use smaller tensors"
            ) from None
        except (ArithmeticError, AttributeError, TypeError, ValueError, IndexError) as error:
            raise ExpressionError(f"cannot compute {self.text!r}: {error}") from None


def compile_expression(text: str, language: ExpressionLanguage) -> Expression:
    """Compile an expression.

    Args:
        text: The expression, one line of at most 2000 characters.
        language: The language that it may use.

    Returns:
        The expression, which can be evaluated any number of times.

    Raises:
        ExpressionError: If the text is not in the language; names the column and the reason.

    Example:
        >>> compile_expression("2 * a + 1", ExpressionLanguage({}, ["a"]))({"a": 20})
        41
        >>> compile_expression("a.b", ExpressionLanguage({}, ["a"]))
        Traceback (most recent call last):
        gradstep.errors.ExpressionError: column 1: attributes are not allowed
    """
    if len(text) > MAX_EXPRESSION:
        raise ExpressionError(
            f"the expression has {len(text)} characters", f"use at most {MAX_EXPRESSION}"
        )
    if not text.strip():
        raise ExpressionError("the expression is empty", "write one, such as sum(x)")
    if "\0" in text:  # a SyntaxError or a ValueError, depending on the Python version
        raise ExpressionError("a null character is not allowed", column=text.index("\0") + 1)
    try:
        # The parser rejects deep nesting with one of three errors, depending on the Python version.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text.strip(), mode="eval").body
    except SyntaxError as error:
        raise from_syntax_error(text.strip(), error) from None
    except UnicodeEncodeError as error:
        column = error.start + 1
        raise ExpressionError("a lone surrogate is not allowed", column=column) from None
    except (RecursionError, MemoryError):
        raise ExpressionError("nested too deeply", "use fewer brackets") from None
    except ValueError as error:
        raise ExpressionError(f"cannot read the expression: {error}") from None
    compiler = _Compiler(language)
    closure = compiler.compile(tree, 0)
    return Expression(
        text.strip(),
        tuple(compiler.names),
        tuple(compiler.texts),
        frozenset(compiler.functions),
        tuple(compiler.callables),
        closure,
    )


class _Compiler:
    """Turns a syntax tree into closures and collects the names that it uses."""

    def __init__(self, language: ExpressionLanguage) -> None:
        self.language = language
        self.names: dict[str, None] = {}
        self.texts: dict[str, None] = {}
        self.functions: set[str] = set()
        self.callables: dict[str, None] = {}
        self._visitors: Mapping[type[ast.expr], Callable[[Any, int], Evaluator]] = {
            ast.Constant: self._constant,
            ast.Name: self._name,
            ast.UnaryOp: self._unary,
            ast.BinOp: self._binary,
            ast.Call: self._call,
            ast.Subscript: self._subscript,
        }
        if ast.Lt in language.operators:
            self._visitors |= {ast.Compare: self._comparison}
        if language.logic:
            self._visitors |= {ast.BoolOp: self._bool_op}

    def compile(self, node: ast.expr, depth: int) -> Evaluator:
        """Return the closure of a node; reject syntax outside the language."""
        if depth > _MAX_DEPTH:
            reject(node, "nested too deeply", "use fewer brackets")
        visit = self._visitors.get(type(node))
        if visit is None:
            reject(node, f"{syntax_name(node)} not allowed")
        return visit(node, depth)

    def _constant(self, node: ast.Constant, _depth: int) -> Evaluator:
        value = node.value
        if isinstance(value, str):
            reject(node, "a string is allowed only where a function takes a name")
        if isinstance(value, bool) and ast.BoolOp not in self._visitors:
            reject(node, f"{value} is not a number")
        if not isinstance(value, (int, float)):
            reject(node, f"{value!r} is not a real number")
        if not isfinite(value) if isinstance(value, float) else value > _MAX_LITERAL:
            reject(node, "the number is too large", "use one below 2**53, or a float")
        return lambda _: value

    def _name(self, node: ast.Name, _depth: int) -> Evaluator:
        return self._named(node, node.id)

    def _named(self, node: ast.expr, name: str) -> Evaluator:
        if name in self.language.constants:
            constant = self.language.constants[name]
            return lambda _: constant
        if name not in self.language.names:
            if name in self.language.functions:
                reject(node, f"{name} is a function", f"call it: {name}(...)")
            if name in self.language.callables:
                reject(node, f"{name} is a module", f"call it: {name}(input)")
            known = [*self.language.names, *self.language.constants]
            reject(node, f"there is no {name!r}", nearest(name, known))
        self.names[name] = None
        return operator.itemgetter(name)

    def _unary(self, node: ast.UnaryOp, depth: int) -> Evaluator:
        if isinstance(node.op, ast.Not) and ast.BoolOp in self._visitors:
            return _negation(self.compile(node.operand, depth + 1))
        return self._apply(node, node.op, [node.operand], depth)

    def _binary(self, node: ast.BinOp, depth: int) -> Evaluator:
        return self._apply(node, node.op, [node.left, node.right], depth)

    def _bool_op(self, node: ast.BoolOp, depth: int) -> Evaluator:
        return _boolean(node.op, [self.compile(part, depth + 1) for part in node.values])

    def _comparison(self, node: ast.Compare, depth: int) -> Evaluator:
        calls = [self._operator(node, op) for op in node.ops]
        sides = [self.compile(part, depth + 1) for part in (node.left, *node.comparators)]
        return _comparing(calls, sides)

    def _apply(self, node: ast.expr, op: ast.AST, parts: list[ast.expr], depth: int) -> Evaluator:
        call = self._operator(node, op)
        closures = [self.compile(part, depth + 1) for part in parts]
        # Constant subexpressions are folded now, so that an error can name the column.
        if all(isinstance(part, _NUMERIC) for part in ast.walk(node)):
            value = _folded(node, call, closures)
            return lambda _: value
        if len(closures) == 1:
            only = closures[0]
            return lambda values: call(only(values))
        left, right = closures
        return lambda values: call(left(values), right(values))

    def _operator(self, node: ast.expr, op: ast.AST) -> Callable[..., Any]:
        call = self.language.operators.get(type(op))
        if call is None:
            reject(node, f"the operator {operator_symbol(op)} is not allowed")
        return call

    def _call(self, node: ast.Call, depth: int) -> Evaluator:
        if isinstance(node.func, ast.Attribute) and self.language.methods:
            node = self._method(node, node.func)
        if not isinstance(node.func, ast.Name):
            reject(node, "only a function's name can be called")
        name = node.func.id
        if name == self.language.reference:
            return self._reference(node)
        function = self.language.functions.get(name)
        if function is None and name in self.language.callables:
            return self._called(node, name, depth)
        if function is None:
            known = [*self.language.functions, *self.language.callables]
            reject(node, f"there is no function {name!r}", nearest(name, known))
        self.functions.add(name)
        if node.keywords:
            reject(node, "named arguments are not allowed", "give the values alone")
        given = len(node.args)
        if not function.least <= given <= function.most:
            wanted = (
                f"{function.least}"
                if function.least == function.most
                else f"{function.least} to {function.most}"
            )
            plural = "" if function.most == 1 else "s"
            reject(node, f"{name} takes {wanted} argument{plural}, not {given}")
        if function.site:
            return self._site(node, function, depth)
        arguments = [self._argument(part, function, depth) for part in node.args]
        call = function.call
        if given == 1:
            only = arguments[0]
            return lambda values: call(only(values))
        return lambda values: call(*[argument(values) for argument in arguments])

    def _method(self, node: ast.Call, method: ast.Attribute) -> ast.Call:
        """Return `norm(a)` for `a.norm()`."""
        function = self.language.functions.get(method.attr)
        if function is not None and function.site:
            reject(node, f"{method.attr} is not a method", f"write {method.attr}(...)")
        name = ast.copy_location(ast.Name(method.attr), node)
        return ast.copy_location(ast.Call(name, [method.value, *node.args], node.keywords), node)

    def _called(self, node: ast.Call, name: str, depth: int) -> Evaluator:
        if len(node.args) != 1 or node.keywords:
            reject(node, f"{name} takes one value", f"write {name}(...)")
        self.callables[name] = None
        argument = self.compile(node.args[0], depth + 1)
        return lambda values: values[name](argument(values))

    def _reference(self, node: ast.Call) -> Evaluator:
        name = self.language.reference
        only = node.args[0] if len(node.args) == 1 and not node.keywords else None
        if not isinstance(only, ast.Constant) or not isinstance(only.value, str):
            reject(node, f"{name} takes one name in quotes", f'write {name}("...")')
        return self._named(node, only.value)

    def _argument(self, node: ast.expr, function: ExpressionFunction, depth: int) -> Evaluator:
        text = self._text(node, function)
        return self.compile(node, depth + 1) if text is None else lambda _: text

    def _site(self, node: ast.Call, function: ExpressionFunction, depth: int) -> Evaluator:
        arguments: list[str | Evaluator] = []
        for part in node.args:
            text = self._text(part, function)
            arguments.append(self.compile(part, depth + 1) if text is None else text)
        try:
            closure: Evaluator = function.call(*arguments)
        except ExpressionError as error:
            reject(node.args[0] if node.args else node, error.message, error.remedy)
        return closure

    def _text(self, node: ast.expr, function: ExpressionFunction) -> str | None:
        if function.texts and isinstance(node, ast.Constant) and isinstance(node.value, str):
            self.texts[node.value] = None
            return node.value
        return None

    def _subscript(self, node: ast.Subscript, depth: int) -> Evaluator:
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        places = tuple(index_value(part) for part in parts)
        if not places:
            reject(node, "an index is missing")
        inner = self.compile(node.value, depth + 1)
        place = places if len(places) > 1 else places[0]
        return lambda values: inner(values)[place]


_NUMERIC = (ast.Constant, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop)


def _folded(node: ast.expr, call: Callable[..., Any], closures: list[Evaluator]) -> Any:  # noqa: ANN401
    try:
        return call(*[closure({}) for closure in closures])
    except OverflowError:
        reject(node, "the number is too large", "use smaller ones")
    except ZeroDivisionError:
        reject(node, "division by zero")
    except TypeError:
        reject(node, "this operator does not apply to numbers")
    except ExpressionError as error:
        reject(node, error.message, error.remedy)


def _boolean(op: ast.boolop, parts: list[Evaluator]) -> Evaluator:
    """Return a closure that computes whether all parts are true, or any."""
    if isinstance(op, ast.And):
        return lambda values: all(_is_true(part(values)) for part in parts)
    return lambda values: any(_is_true(part(values)) for part in parts)


def _negation(part: Evaluator) -> Evaluator:
    """Return a closure that computes whether a part is false."""
    return lambda values: not _is_true(part(values))


def _comparing(calls: list[Callable[..., Any]], sides: list[Evaluator]) -> Evaluator:
    """Return a closure for a chain of comparisons, which evaluates each side at most once."""
    if len(calls) == 1:
        (call,), (left, right) = calls, sides
        return lambda values: call(left(values), right(values))

    def compare(values: Values) -> bool:
        first = sides[0](values)
        for call, side in zip(calls, sides[1:], strict=True):
            second = side(values)
            if not _is_true(call(first, second)):
                return False
            first = second
        return True

    return compare


def _is_true(value: Any) -> bool:  # noqa: ANN401 - a number, an array, a truth value
    try:
        return bool(value)
    except ValueError:
        raise ExpressionError(
            "an array of several values is neither true nor false",
            "put any(...) or all(...) around it",
        ) from None

"""What msgspec says of a value, in plain words and with what to write instead."""

from __future__ import annotations

import re

from gradstep.pluralize import pluralize

__all__ = ["in_words"]

_KINDS = {
    "int": "a whole number",
    "float": "a number",
    "str": "a text",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}
_OTHER = re.compile(r"Expected `(?P<wanted>[\w |]+)`, got `(?P<found>\w+)`\Z")
_RANGE = re.compile(r"Expected `(?P<kind>\w+)` (?P<sign>>=|<=|>|<) (?P<bound>[-+.\de]+)\Z")
_LENGTH = re.compile(r"Expected `(?P<kind>\w+)` of length (?P<sign>>=|<=) (?P<bound>\d+)\Z")
_EXACT = re.compile(r"Expected `array` of length (?P<wanted>\d+), got (?P<found>\d+)\Z")
_MISSING = re.compile(r"Object missing required field `(?P<name>\w+)`\Z")
_BOUNDS = {">=": "of at least", "<=": "of at most", ">": "above", "<": "below"}


def in_words(message: str) -> tuple[str, str]:
    """Return what is wrong, and what to write instead.

    Args:
        message: What msgspec said, without the place.

    Example:
        >>> in_words("Expected `int | null`, got `str`")
        ('a text where a whole number or null is needed', 'write a whole number or null')
        >>> in_words("Expected `int` >= 0")
        ('the number is too small', 'write a whole number of at least 0')
        >>> in_words("Expected `array` of length <= 1000")
        ('the list is too long', 'write a list of at most 1,000 members')
        >>> in_words("Object missing required field `criterion`")
        ('no field `criterion`', 'add it')
    """
    if other := _OTHER.match(message):
        wanted = _either(other["wanted"])
        return f"{_KINDS.get(other['found'], other['found'])} where {wanted} is needed", (
            f"write {wanted}"
        )
    if bound := _RANGE.match(message):
        size = "small" if bound["sign"].startswith(">") else "large"
        number = float(bound["bound"])
        text = f"{number:,.0f}" if number.is_integer() else bound["bound"]
        return f"the number is too {size}", (
            f"write {_KINDS[bound['kind']]} {_BOUNDS[bound['sign']]} {text}"
        )
    if length := _LENGTH.match(message):
        kind, unit = ("list", "member") if length["kind"] == "array" else ("text", "character")
        size = "short" if length["sign"] == ">=" else "long"
        many = pluralize(int(length["bound"]), unit)
        return f"the {kind} is too {size}", f"write a {kind} {_BOUNDS[length['sign']]} {many}"
    if exact := _EXACT.match(message):
        many = pluralize(int(exact["wanted"]), "member")
        return f"the list has {pluralize(int(exact['found']), 'member')}", f"write a list of {many}"
    if missing := _MISSING.match(message):
        return f"no field `{missing['name']}`", "add it"
    return message, ""


def _either(kinds: str) -> str:
    words = [_KINDS.get(kind, kind) for kind in kinds.split(" | ")]
    if "a number" in words and "a whole number" in words:
        words.remove("a whole number")
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"

"""Changes to what a script sends, or a session holds: of bytes, of values, of the order."""

from __future__ import annotations

import json

from tests.core.script.sent_frames import frame

_NUMBERS = (0, -1, 1, 3, 2**31 - 1, 2**31, 2**63 - 1, 1e308, -0.5)
_TEXTS = (
    *("", "x" * 256, "x" * 257, "\0", "a/b/c", ".grad", "nan", "w", "w.grad", "loss", "optimizer"),
    *("optimizer/w/momentum_buffer", "optimizer/lr", "loss.graph", "train.py", "torch.optim"),
    *("zero_grad", "forward", "backward", "step", "scaler_step", "clip_grad_norm", "set_option"),
    *("scheduler_step", "update_by_hand", "Adam", "Rprop", "Lion", "float16", "bool", "complex64"),
)
_OTHERS = (None, True, [], {}, [[]], {"a": 1}, [0], [2**31 - 1] * 3, [1] * 40)


def mutated_tree(draw, value, leaf=None):
    """Return a value with one change somewhere in its lists and dicts.

    Args:
        draw: A `random.Random`.
        value: The value.
        leaf: Changes what is neither a list nor a dict; None for the default.
    """
    if isinstance(value, dict) and value:
        key = draw.choice(list(value))
        match draw.randrange(10):
            case 0:
                return {name: item for name, item in value.items() if name != key}
            case 1:
                return {**value, draw.choice(_TEXTS): value[key]}
            case _:
                return {**value, key: mutated_tree(draw, value[key], leaf)}
    if isinstance(value, list) and value:
        items, at = list(value), draw.randrange(len(value))
        match draw.randrange(10):
            case 0:
                del items[at]
            case 1:
                items.insert(at, draw.choice(items))
            case 2:
                draw.shuffle(items)
            case _:
                items[at] = mutated_tree(draw, items[at], leaf)
        return items
    return (leaf or mutated_leaf)(draw, value)


def mutated_leaf(draw, value):
    """Return another value, most often of the same type."""
    if draw.random() < 0.1:
        return draw.choice((*_NUMBERS, *_TEXTS, *_OTHERS))
    if isinstance(value, str):
        return draw.choice(_TEXTS)
    if isinstance(value, (int, float)):
        return draw.choice(_NUMBERS)
    return draw.choice(_OTHERS)


def mutated_stream(draw, stream):
    """Return the bytes of frames with one to three changes."""
    if draw.random() < 0.3:
        return mutated_bytes(draw, stream)
    found = _frames(stream)
    for _ in range(draw.choice((1, 1, 1, 2, 3))):
        at = draw.randrange(len(found))
        header, body = found[at]
        match draw.randrange(10):
            case 0:
                del found[at]
            case 1:
                found.insert(draw.randrange(len(found)), found[at])
            case 2:
                other = draw.randrange(len(found))
                found[at], found[other] = found[other], found[at]
            case 3 | 4 if body:
                found[at] = header, mutated_bytes(draw, body)
            case _:
                found[at] = mutated_tree(draw, header), body
    return b"".join(frame(header, body) for header, body in found)


def mutated_bytes(draw, data):
    """Return bytes with one to three of them, or runs of them, changed."""
    data = bytearray(data)
    for _ in range(draw.randrange(1, 4)):
        at = draw.randrange(len(data) + 1)
        match draw.randrange(4):
            case 0:
                data[at : at + 1] = [draw.randrange(256)]
            case 1:
                del data[at : at + draw.randrange(1, 40)]
            case 2:
                data[at:at] = data[draw.randrange(len(data) + 1) :][:20]
            case 3:
                data[at : at + 4] = draw.choice((b"\xff" * 4, bytes(4), b"\0\0\x80\x7f"))
    return bytes(data)


def _frames(stream):
    at, found = 0, []
    while at < len(stream):
        start = at + 8
        header, body = (int.from_bytes(stream[i : i + 4], "little") for i in (at, at + 4))
        at = start + header + body
        found.append((json.loads(stream[start : start + header]), stream[start + header : at]))
    return found

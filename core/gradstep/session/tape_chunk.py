"""The tape of a script as MessagePack: facts about the run, and its Events in chunks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from gradstep.errors import SessionError
from gradstep.program.notice import Notice
from gradstep.program.operation import Operation
from gradstep.script.tape import (
    Norms,
    ScriptRun,
    Tape,
    TapeRow,
    TrackedModule,
    TrackedOptimizer,
    joined_tapes,
)
from gradstep.session.tree import decode_tree, encode_tree

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from gradstep.session.arrays import ArrayReader, ArrayWriter

__all__ = ["decode_tape", "encode_rows_of_tape", "encode_run", "key_of_rows"]

_CHUNK = 256
_POSITION_BITS = 40
"""Of the key of a chunk of rows: the number of Events before; above them that of the branch."""
_LARGEST = 2**31
"""Above the number of any iteration."""
_OPERATIONS = msgspec.msgpack.Decoder(Operation)
_DAMAGED = "the file is damaged; open a copy or an autosave of it"


def encode_run(run: ScriptRun, arrays: ArrayWriter) -> bytes:
    """Return the bytes of the facts about a run."""
    tree = {
        "script": run.script,
        "arguments": list(run.arguments),
        "python": run.python,
        "backend": run.backend,
        "initial": run.initial,
        "trained": sorted(run.trained),
        "buffers": sorted(run.buffers),
        "modules": [[item.name, [list(row) for row in item.tree]] for item in run.modules],
        "optimizers": [
            [item.name, item.kind, item.module, [list(g) for g in item.groups], list(item.options)]
            for item in run.optimizers.values()
        ],
        "schedulers": run.schedulers,
        "losses": list(run.losses),
        "met": run.met,
        "holding": {name: list(events) for name, events in run.holding.items()},
        "graphs": [[list(node) for node in graph] for graph in run.graphs],
        "measured": [list(names) for names in run.measured],
        "broadcasts": run.broadcasts,
        "sources": run.sources,
        "notices": [list(notice) for notice in run.notices],
        "answers": run.answers,
        "status": run.status,
        "error": run.error,
        "lost": run.lost,
        "breaks_off": run.breaks_off,
    }
    return encode_tree(tree, arrays)


def encode_rows_of_tape(
    rows: Sequence[TapeRow], arrays: ArrayWriter
) -> Iterator[tuple[int, bytes]]:
    """Yield the number of the first Event of each chunk, and the bytes of the chunk."""
    for first in range(0, len(rows), _CHUNK):
        yield (
            first,
            encode_tree(
                [
                    [
                        msgspec.msgpack.encode(row.operation),
                        list(row.reads),
                        list(row.writes),
                        *(row.loss, row.message, row.failed, row.iteration, row.epoch),
                        *(row.values, row.options, row.graph),
                        None if row.norms is None else [row.norms.group, _bytes(row.norms)],
                    ]
                    for row in rows[first : first + _CHUNK]
                ],
                arrays,
            ),
        )


def _bytes(norms: Norms) -> bytes:
    return norms.values.astype("<f4").tobytes()


def key_of_rows(branch: int, first: int) -> int:
    """Return the key of the chunk of a branch's tape that begins after so many Events.

    Example:
        >>> key_of_rows(0, 256), key_of_rows(2, 256) >> 40
        (256, 2)
    """
    return (branch << _POSITION_BITS) + first


def decode_tape(
    run: bytes,
    chunks: Iterable[tuple[int, bytes]],
    arrays: ArrayReader,
    forks: Mapping[int, tuple[int | None, int]],
) -> Tape:
    """Return the tape that was encoded, of the first branch; it knows those of the others.

    Args:
        run: The facts about the run.
        chunks: The rows by their keys, in order.
        arrays: Reads the values.
        forks: The branch that each branch left, and the last Event that both share.

    Raises:
        SessionError: The bytes are not a tape.
    """
    try:
        tapes = {0: Tape(_run(decode_tree(run, arrays.get)), has_ended=True)}
        tuples: dict[tuple[str, ...], tuple[str, ...]] = {}
        operations: dict[bytes, Operation] = {}
        for key, body in chunks:
            branch, first = divmod(key, 1 << _POSITION_BITS)
            if branch and branch not in forks:
                continue  # of a branch that was removed
            tape = _tape_of(branch, tapes, forks)
            if first != len(tape.rows):
                raise SessionError(
                    f"the script's Events before {first + 1:,} are missing", _DAMAGED
                )
            tape.rows += [_row(item, tuples, operations) for item in decode_tree(body, arrays.get)]
        for branch in forks:
            _check(_tape_of(branch, tapes, forks))
    except (LookupError, TypeError, ValueError, AttributeError, msgspec.MsgspecError) as error:
        raise SessionError(
            f"the session's script cannot be read: {type(error).__name__}", _DAMAGED
        ) from error
    return joined_tapes(tapes)


def _tape_of(
    branch: int, tapes: dict[int, Tape], forks: Mapping[int, tuple[int | None, int]]
) -> Tape:
    """Return the tape of a branch; it begins as that of the branch that it left.

    Raises:
        LookupError, ValueError: There is no such branch.
    """
    if branch not in tapes:
        parent, forked_at = forks[branch]
        _require(parent is not None and parent < branch, branch)
        left = _tape_of(parent or 0, tapes, forks)
        _require(forked_at <= len(left.rows), forked_at)
        tapes[branch] = left.fork(forked_at, branch)
        tapes[branch].has_ended = True
    return tapes[branch]


def _check(tape: Tape) -> None:
    """Check that everything on a tape refers to something that exists: it is not trusted.

    Raises:
        LookupError, TypeError, ValueError: It does not.
    """
    run = tape.run
    for name, array in run.initial.items():
        _require(type(name) is str and "/" not in name and _is_array(array), name)
    for known in run.optimizers.values():
        held = [name for group in known.groups for name in group]
        _require(_are_texts((known.name, known.kind, known.module)) and "/" not in known.name, held)
        _require(run.initial.keys() >= set(held) and len(known.groups) == len(known.options), held)
        _require(all(map(_are_options, known.options)), known.name)
        _require(len(set(held)) == len(held), held)
    _require(_are_texts((*run.trained, *run.buffers, *(item.name for item in run.modules))), "")
    _require(run.initial.keys() >= {name for names in run.measured for name in names}, "")
    _require(not any("/" in loss for loss in run.losses), run.losses)
    _require(run.status is None or type(run.status) is int, run.status)
    for row in tape.rows:
        _require(row.graph is None or 0 <= row.graph < len(run.graphs), row.graph)
        if row.norms is not None:
            _require(len(run.measured[row.norms.group]) == row.norms.values.shape[1], row.norms)
        _require(max(abs(row.iteration), abs(row.epoch)) < _LARGEST, row.iteration)
        for address, array in row.values.items():
            is_whole = array is not None or address.endswith(".grad") or "/" in address
            _require(_is_known(address, run) and is_whole, address)
            _require(array is None or _is_array(array), address)
        for name, groups in row.options.items():
            _require(name in run.optimizers and all(map(_are_options, groups)), name)
    for address in {address for row in tape.rows for address in (*row.reads, *row.writes)}:
        _require(_is_known(address, run) or _is_option(address, run), address)


def _is_known(address: str, run: ScriptRun) -> bool:
    """Return whether a value can have an address: a tensor's, its gradient's, or a state's."""
    optimizer, slash, rest = address.partition("/")
    name = rest.rpartition("/")[0] if slash else address.removesuffix(".grad")
    return name in run.initial and (not slash or optimizer in run.optimizers)


def _is_option(address: str, run: ScriptRun) -> bool:
    """Return whether an address is an optimizer's option, or anything but a value."""
    optimizer, slash, rest = address.partition("/")
    if not slash:
        return not address.endswith(".grad")
    group = rest.rpartition("/")[0]
    return optimizer in run.optimizers and (not group or group.isdecimal())


def _is_array(value: object) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind in "biuf"


def _are_texts(values: Iterable[object]) -> bool:
    return all(type(value) is str for value in values)


def _are_options(group: object) -> bool:
    return isinstance(group, dict) and _are_texts(group)


def _require(is_sound: object, what: object) -> None:
    if not is_sound:
        raise ValueError(what)


def _run(tree: Any) -> ScriptRun:  # noqa: ANN401 - read from a file
    return ScriptRun(
        str(tree["script"]),
        tuple(map(str, tree["arguments"])),
        str(tree["python"]),
        str(tree["backend"]),
        dict(tree["initial"]),
        set(tree["trained"]),
        set(tree["buffers"]),
        [
            TrackedModule(name, tuple((str(a), str(b), str(c), bool(d)) for a, b, c, d in rows))
            for name, rows in tree["modules"]
        ],
        {
            name: TrackedOptimizer(
                name, kind, module, tuple(tuple(group) for group in groups), tuple(options)
            )
            for name, kind, module, groups, options in tree["optimizers"]
        },
        {str(key): str(value) for key, value in tree["schedulers"].items()},
        dict.fromkeys(map(str, tree["losses"])),
        {str(key): int(value) for key, value in tree.get("met", {}).items()},
        {str(key): tuple(map(int, events)) for key, events in tree.get("holding", {}).items()},
        [_graph(nodes) for nodes in tree["graphs"]],
        [tuple(map(str, names)) for names in tree.get("measured", ())],
        {str(key): str(value) for key, value in tree.get("broadcasts", {}).items()},
        {str(key): str(value) for key, value in tree["sources"].items()},
        [
            Notice(str(what), str(name), str(target), int(event))
            for what, name, target, event in tree.get("notices", ())
        ],
        {str(key): value is True for key, value in tree.get("answers", {}).items()},
        status=tree["status"],
        error=str(tree["error"]),
        lost=str(tree["lost"]),
        breaks_off=tree.get("breaks_off") is True,
    )


def _graph(nodes: Any) -> tuple[tuple[str, tuple[int, ...], str], ...]:  # noqa: ANN401 - likewise
    found = tuple((str(name), tuple(map(int, below)), str(leaf)) for name, below, leaf in nodes)
    for number, (_, below, _) in enumerate(found):
        if any(not number < to < len(found) for to in below):
            raise ValueError(number)
    return found


def _row(
    item: Any,  # noqa: ANN401 - likewise
    tuples: dict[tuple[str, ...], tuple[str, ...]],
    operations: dict[bytes, Operation],
) -> TapeRow:
    encoded, reads, writes, loss, message, failed, iteration, epoch, *rest = item
    values, options, graph, norms = rest if len(rest) > 3 else (*rest, None)  # noqa: PLR2004 - older
    operation = operations.get(encoded)
    if operation is None:
        operation = operations[encoded] = _OPERATIONS.decode(encoded)
    reads, writes = tuple(map(str, reads)), tuple(map(str, writes))
    return TapeRow(
        operation,
        tuples.setdefault(reads, reads),
        tuples.setdefault(writes, writes),
        None if loss is None else float(loss),
        str(message),
        bool(failed),
        int(iteration),
        int(epoch),
        dict(values),
        dict(options),
        None if graph is None else int(graph),
        None if norms is None else _norms(*norms),
    )


def _norms(group: int, body: bytes) -> Norms:
    _require(group >= 0, group)
    return Norms(int(group), np.frombuffer(body, "<f4").reshape(3, -1))

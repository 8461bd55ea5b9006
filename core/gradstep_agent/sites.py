"""Where in the user's code something happens, looked up by the position in the bytecode.

A loop comes to the same calls again and again; their lines are computed once.
"""

from __future__ import annotations

import ast
import dis
import linecache
import sys
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from gradstep_agent.changing_lines import Place, changing_line
from gradstep_agent.computed_losses import computed_loss, line_of_loss
from gradstep_agent.syntax import calls_its_variables, syntax_of

if TYPE_CHECKING:
    from types import CodeType, FrameType

    from gradstep_agent.computed_losses import ComputedLoss


class Site:
    """A call in the user's code.

    Attributes:
        file: The file that it is in; "" outside of the user's code.
        line: Its line.
        places: The numbers of the places that were described, by what is done there.
        loss: The name of what is differentiated here; "" until that is known.
        computed: The loss that was computed before a Zero Grad here; None for none,
        detail: and how that is reported, once `look_for_loss` was called.
        may_divide_by_zero: Whether what a Backward here has saved may explain a NaN.
        passes: How many Backward passes were seen here.
        next_look: The number of passes at which a graph is walked again.
        recent: The function, target, detail and place of the last Event here without values.
        revision: The registry's revision when a graph was last walked here.
        leaves: The leaves of each graph that was walked here,
        leaves_vary: and whether they are others by turns.
    """

    __slots__ = (
        "_callers",
        "_code",
        "_loops",
        "_over_optimizers",
        "computed",
        "detail",
        "file",
        "leaves",
        "leaves_vary",
        "line",
        "loss",
        "may_divide_by_zero",
        "next_look",
        "passes",
        "places",
        "recent",
        "revision",
    )

    def __init__(self, code: CodeType | None, file: str, line: int) -> None:
        self._code = code  # while it is alive, no other code has its id
        self._loops: dict[int, str] | None = None
        self._over_optimizers: tuple[int, int] | None = None
        self.file = file
        self.line = line
        self.places: dict[Any, int] = {}
        self.loss = ""
        self.passes = self.next_look = self.revision = 0
        self.may_divide_by_zero = self.leaves_vary = False
        self.leaves: set[tuple[str, ...]] = set()
        self._callers: set[tuple[CodeType, int]] = set()
        self.recent: tuple[Any, Any, Any, int] = (None, None, None, -1)
        self.computed: ComputedLoss | None = None
        self.detail: tuple[tuple[str, Any], ...] | None = None

    def place(self) -> Place | None:
        """Return the code and the line; None outside of the user's code."""
        return None if self._code is None else Place(self._code, self.line)

    def is_called_from_elsewhere(self, frame: FrameType | None) -> bool:
        """Return whether the function that this is in is called from a new place, and note that.

        Args:
            frame: A frame that is at this site.
        """
        caller = None if frame is None else frame.f_back
        if caller is None or (caller.f_code, caller.f_lasti) in self._callers:
            return False
        self._callers.add((caller.f_code, caller.f_lasti))
        return True

    def look_for_loss(self) -> tuple[tuple[str, Any], ...]:
        """Return the detail of a Zero Grad here: which loss was computed before it, and where."""
        if self.detail is None:
            self.computed = None if self._code is None else computed_loss(self._code, self.line)
            loss = self.computed
            self.detail = () if loss is None else (("loss", loss.name), ("loss_line", loss.line))
        return self.detail

    def line_of_loss(self) -> int:
        """Return the line that computes what is differentiated here; 0 where none is known."""
        return 0 if self._code is None else line_of_loss(self._code, self.line, self.loss)

    def loops(self) -> dict[int, str]:
        """Return the variables of the loops around this site by their lines, innermost first."""
        if self._loops is None:
            self._loops = {} if self._code is None else _loops_around(self._code, self.line)
        return self._loops

    def loop_over_optimizers(self, frame: FrameType) -> tuple[int, int]:
        """Return the positions in the bytecode of a loop that calls its variables one by one.

        Such as `for optimizer in optimizers: optimizer.step()`, which is part of an iteration.

        Args:
            frame: A frame that is at this site.

        Returns:
            The first and the last position; (0, -1) where there is no such loop around this site.
        """
        if self._over_optimizers is None:
            self._over_optimizers = _loop_over_optimizers(frame)
        return self._over_optimizers


class Sites:
    """Finds the sites of frames.

    Attributes:
        known: The sites so far, by the id of their code and the position in it.
    """

    def __init__(self) -> None:
        self.known: dict[tuple[int, int], Site] = {}
        self._nowhere = Site(None, "", 0)
        self._changing: dict[tuple[Any, ...], Site | None] = {}

    def at(self, frame: FrameType | None) -> Site:
        """Return where a frame is now."""
        if frame is None:
            return self._nowhere
        code = frame.f_code
        key = (id(code), frame.f_lasti)
        site = self.known.get(key)
        if site is None:
            linecache.lazycache(code.co_filename, frame.f_globals)  # also what an archive has
            site = self.known[key] = Site(code, shown_file(code), frame.f_lineno)
        return site

    def changing(
        self, what: str, names: tuple[str, ...], before: Site | None, after: Site | None
    ) -> Site | None:
        """Return the line that has changed tensors between two Operations.

        Args:
            what: "update" of values, or "clear" or "gradient" of gradients.
            names: What was changed.
            before: Where the Operation before is called; None if there is none.
            after: Where the one is called that comes next; None at the end.

        Returns:
            The line; None where the source does not say.
        """
        key = (what, names, before, after)
        if key not in self._changing:
            places = [None if one is None else one.place() for one in (before, after)]
            found = changing_line(what, names, *places)
            site = None
            if found is not None:
                site = Site(found[0], shown_file(found[0]), found[1])
            self._changing[key] = site
        return self._changing[key]

    def at_position(self, code: CodeType, position: int) -> Site:
        """Return the site at a position in the bytecode."""
        key = (id(code), position)
        site = self.known.get(key)
        if site is None:
            lines = [line for start, line in dis.findlinestarts(code) if start <= position and line]
            site = self.known[key] = Site(code, shown_file(code), lines[-1] if lines else 0)
        return site


def shown_file(code: CodeType) -> str:
    """Return the name of the file that some code is in; for a cell in Jupyter "<cell In[3]>".

    Jupyter calls it "/tmp/ipykernel_12/3456.py", where there is no file.
    """
    file = code.co_filename
    get_shell = getattr(sys.modules.get("IPython"), "get_ipython", None)
    shell = get_shell() if get_shell is not None else None
    describe = getattr(getattr(shell, "compile", None), "format_code_name", None)
    described = describe(file) if describe is not None else None
    if described is None:
        return file
    name = f"<{described[0].lower()} {described[1]}>"
    if file in linecache.cache:
        linecache.cache[name] = linecache.cache[file]  # by which its text is found
    return name


def _loops_around(code: CodeType, line: int) -> dict[int, str]:
    """Return the variables of the loops around a line of some code, read from its source."""
    tree = syntax_of(code.co_filename)
    first = 0 if code.co_name == "<module>" else code.co_firstlineno
    loops = [
        node
        for node in ast.walk(tree)
        if isinstance(node, (ast.For, ast.While))
        and first <= node.lineno <= line <= _last(node)
        and not calls_its_variables(node)  # which is part of an iteration
    ]
    loops.sort(key=lambda node: node.lineno, reverse=True)
    return {node.lineno: _variable(node) for node in loops}


@lru_cache(maxsize=64)
def variables_of_loops(code: CodeType, line: int) -> frozenset[str]:
    """Return the variables that mean one item after another in the loops around a line.

    They are the targets of the loops, and what is set to an item as in `model = models[i]`.
    """
    first = 0 if code.co_name == "<module>" else code.co_firstlineno
    targets: list[ast.AST] = []
    for node in ast.walk(syntax_of(code.co_filename)):
        if not first <= getattr(node, "lineno", -1) <= line <= (node.end_lineno or line):  # type: ignore[attr-defined]
            continue
        if isinstance(node, (ast.ListComp, ast.GeneratorExp)):  # its variables may be the frame's
            targets += [part.target for part in node.generators]
        elif isinstance(node, (ast.For, ast.While)):
            targets += [node.target] if isinstance(node, ast.For) else []
            for inner in ast.walk(node):
                if isinstance(inner, ast.Assign) and _is_of_items(inner.value):
                    targets += inner.targets
    return frozenset(
        name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)
    )


def _is_of_items(value: ast.expr) -> bool:
    """Return whether an expression is an item of something, or several."""
    items = value.elts if isinstance(value, ast.Tuple) else [value]
    return all(isinstance(item, ast.Subscript) for item in items)


def _last(node: ast.For | ast.While) -> int:
    """Return the last line of a loop's body; its `else` is not part of an iteration."""
    return node.body[-1].end_lineno or node.lineno


def _variable(node: ast.For | ast.While) -> str:
    """Return the variable of a loop; "" for none, and for that of the phases of an epoch.

    Such as in `for phase in ["train", "val"]`.
    """
    if isinstance(node, ast.While) or _is_of_words(node.iter):
        return ""
    set_here = [
        found
        for found in ast.walk(node.target)
        if isinstance(found, (ast.Name, ast.Attribute)) and isinstance(found.ctx, ast.Store)
    ]
    names = [found.id for found in set_here if isinstance(found, ast.Name)]
    return names[0] if names else next((ast.unparse(found) for found in set_here), "")


def _is_of_words(items: ast.expr) -> bool:
    return isinstance(items, (ast.List, ast.Tuple)) and all(
        isinstance(one, ast.Constant) and isinstance(one.value, str) for one in items.elts
    )


_REPEATS = (ast.For, ast.While, ast.ListComp, ast.GeneratorExp)


def _loop_over_optimizers(frame: FrameType) -> tuple[int, int]:
    """Return the positions of the innermost loop at a frame's line, if it calls its variables."""
    line = frame.f_lineno
    loops = [
        node
        for node in ast.walk(syntax_of(frame.f_code.co_filename))
        if isinstance(node, _REPEATS) and node.lineno <= line <= (node.end_lineno or node.lineno)
    ]
    if not loops or not calls_its_variables(loops[-1]):  # inner ones come later
        return 0, -1
    lines = range(loops[-1].lineno, (loops[-1].end_lineno or loops[-1].lineno) + 1)
    code = frame.f_code
    starts = list(dis.findlinestarts(code))
    ends = [*(start for start, _ in starts[1:]), len(code.co_code)]
    inside = [at for at, (_, number) in enumerate(starts) if number in lines]
    return starts[inside[0]][0], ends[inside[-1]] - 1

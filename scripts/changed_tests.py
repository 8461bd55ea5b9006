"""Print the tests of what changed, one path a line: those that `make check` runs.

Changed is what differs from the branch point with the upstream branch, uncommitted and untracked
files included; where that is nothing, the last commit. The tests of a source file are its own
doctests, the test module or folder that mirrors it, and the test modules that import it; those of
any other file are the test modules that name it.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

ROOTS = {
    "core/gradstep": "tests/core",
    "core/gradstep_agent": "tests/gradstep_agent",
    "core/gradstep_torch": "tests/gradstep_torch",
    "gradstep_gui": "tests/gui",
}


def git(*arguments: str) -> list[str]:
    """Return the lines that git prints; none where it fails."""
    done = subprocess.run(["git", *arguments], capture_output=True, text=True, check=False)
    return done.stdout.splitlines() if done.returncode == 0 else []


def changed_files() -> set[str]:
    """Return the paths that differ from the upstream branch, or from the commit before."""
    base = (git("merge-base", "HEAD", "@{upstream}") or git("rev-parse", "HEAD"))[0]
    changed = {*git("diff", "--name-only", base), *git("ls-files", "-o", "--exclude-standard")}
    return changed or set(git("diff", "--name-only", "HEAD~1"))


def module_of(path: str) -> str:
    """Return the dotted name of a source file.

    Example:
        >>> module_of("core/gradstep/nn/__init__.py"), module_of("gradstep_gui/cli.py")
        ('gradstep.nn', 'gradstep_gui.cli')
    """
    inside = path.removeprefix("core/").removesuffix(".py").removesuffix("/__init__")
    return inside.replace("/", ".")


def imports_of(source: str) -> set[str]:
    r"""Return the modules that a source imports, and what it takes from them, in dotted names.

    Example:
        >>> sorted(imports_of("import a.b\nfrom c import d"))
        ['a.b', 'c', 'c.d']
    """
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found.update(name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
            found.update(f"{node.module}.{name.name}" for name in node.names)
    return found


def mirrors_of(path: str) -> set[str]:
    """Return where the tests of a source file stand by its place in the tree."""
    for root, tests in ROOTS.items():
        if path.startswith(root + "/"):
            inside = Path(tests, path.removeprefix(root + "/"))
            return {str(inside.with_name(f"test_{inside.name}")), str(inside.with_suffix(""))}
    return set()


def tests_of(changed: set[str], tests: dict[str, str]) -> set[str]:
    """Return the test modules and doctests that belong to changed files.

    Args:
        changed: Paths of files.
        tests: The source of each test module, by its path.
    """
    chosen = changed & set(tests)
    sources = {path for path in changed if path.endswith(".py") and not path.startswith("tests/")}
    modules = {module_of(path) for path in sources}
    others = {Path(path).name for path in changed - sources if not path.endswith(".py")}
    for path, source in tests.items():
        if imports_of(source) & modules or any(name in source for name in others):
            chosen.add(path)
    mirrors = set().union(*map(mirrors_of, sources))
    chosen |= {path for path in tests if mirrors & {path, *map(str, Path(path).parents)}}
    return chosen | {path for path in sources if any(map(path.startswith, ROOTS))}


def main() -> None:
    """Print what exists of it."""
    tests = {str(path): path.read_text("utf-8") for path in Path("tests").rglob("test_*.py")}
    existing = {path for path in tests_of(changed_files(), tests) if Path(path).exists()}
    sys.stdout.writelines(f"{path}\n" for path in sorted(existing))


if __name__ == "__main__":
    main()

"""What the documents for developers name exists."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
ARCHITECTURE = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
DOCUMENTS = (
    ROOT / "ARCHITECTURE.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    *sorted((ROOT / "docs" / "decisions").glob("*.md")),
)


def tree():
    """Return the paths that the tree in ARCHITECTURE.md draws by indentation."""
    block = ARCHITECTURE.split("## The tree")[1].split("```")[1]
    above: list[str] = []
    for line in block.strip("\n").splitlines():
        name = line.split()[0]
        depth = (len(line) - len(line.lstrip())) // 2
        above[depth:] = [name]
        yield "".join(above[: depth + 1])


def test_the_tree_of_the_architecture_is_that_on_disk():
    assert [path for path in tree() if not (ROOT / path).exists()] == []


def test_every_package_of_the_core_and_the_window_is_in_the_tree():
    drawn = set(tree())
    sources = [ROOT / "core/gradstep", ROOT / "gradstep_gui"]
    packages = [
        f"{folder.relative_to(ROOT)}/"
        for source in sources
        for folder in source.iterdir()
        if (folder / "__init__.py").exists()
    ]
    assert [package for package in packages if package not in drawn] == []


def test_every_link_between_documents_leads_somewhere():
    for document in DOCUMENTS:
        links = re.findall(r"\]\((?!http)([^)#]+)\)", document.read_text("utf-8"))
        assert [link for link in links if not (document.parent / link).exists()] == []

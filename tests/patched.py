"""Applies a unified diff of one file."""

import re


def patched(text: str, edit: str) -> str:
    """Return a text with a diff applied; every line that it quotes must be there."""
    lines, result, place = text.splitlines(), [], 0
    for line in edit.splitlines()[2:]:
        if found := re.match(r"@@ -(\d+)(?:,(\d+))? ", line):
            start = int(found[1]) - (found[2] != "0")
            result += lines[place:start]
            place = start
        elif line[0] == "+":
            result.append(line[1:])
        else:
            assert lines[place] == line[1:], (place, line)
            if line[0] == " ":
                result.append(line[1:])
            place += 1
    return "\n".join((*result, *lines[place:])) + "\n"

"""The table of commands: each entry can be run, and is listed in the help."""

from __future__ import annotations

from importlib import import_module

import pytest

from gradstep_gui.command_line.command_table import COMMANDS


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_a_command_names_a_function_that_exists_and_has_its_own_help(gradstep, command):
    module, _, function = command.function.partition(":")
    assert callable(getattr(import_module(f"gradstep_gui.command_line.{module}"), function))
    status, out, _ = gradstep(command.name, "--help")
    assert status == 0
    assert out.startswith(f"usage: gradstep {command.name} ")
    assert " ".join(command.description.split()[:4]) in out


def test_gradstep_help_lists_every_command(gradstep):
    out = gradstep("--help")[1]
    assert [command.usage for command in COMMANDS if f"  gradstep {command.usage}" not in out] == []

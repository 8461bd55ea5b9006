"""ScriptCommand: which script to run, with which Python and arguments."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["ScriptCommand"]


@dataclass(frozen=True, slots=True)
class ScriptCommand:
    """What is typed to run a script.

    Attributes:
        script: Its path, the name of a module, or of the torchrun that starts it.
        arguments: Its arguments.
        python: The Python that runs it; None for the one that is found.
        is_module: Whether `script` is the name of a module, as after `python -m`.
        is_stand_in: Whether the script's `torch` is gradstep_torch; then GradStep's own Python runs
            it when `python` is None.
        folder: The folder in which it runs; None for the current one.
        unset: Environment variables of this process that it does not get.
    """

    script: str
    arguments: tuple[str, ...] = ()
    python: str | None = None
    is_module: bool = False
    is_stand_in: bool = False
    folder: str | None = None
    unset: tuple[str, ...] = ()

    @property
    def is_distributed(self) -> bool:
        """Whether torchrun starts several processes of it; `arguments` are torchrun's."""
        name = self.script.rpartition("/")[2]
        return name == "torchrun" or (self.is_module and name == "torch.distributed.run")

    @property
    def name(self) -> str:
        """The script itself, also where torchrun starts it."""
        own = next((word for word in self.arguments if word.endswith(".py")), self.script)
        return own if self.is_distributed else self.script

    @property
    def is_notebook(self) -> bool:
        """Whether the script is a notebook, whose code cells are run in order."""
        return not self.is_module and self.script.endswith(".ipynb")

"""`python -m gradstep_gui`: the same as the command `gradstep`."""

from gradstep_gui.cli import main

if __name__ == "__main__":
    raise SystemExit(main())

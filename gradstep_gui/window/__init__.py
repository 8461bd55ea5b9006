"""The parts of the window around the docks: bars, menus, and where docks stand."""

"""The parts of the window around the docks: toolbar, status bar, menus, and the dock layout."""

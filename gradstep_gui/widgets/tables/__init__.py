"""Tables and trees of rows: their cells, their columns, how they are chosen."""

"""Tables and trees: models, cells, columns and style."""

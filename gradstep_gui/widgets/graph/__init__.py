"""The graph widget: layered layout, painting, zoom and pan."""

"""Live plots; the only importer of pyqtgraph."""

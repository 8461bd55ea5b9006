"""Views of arrays as colours and as numbers."""

"""Programs: the declarative document, what is built from it, and the Operations it runs."""

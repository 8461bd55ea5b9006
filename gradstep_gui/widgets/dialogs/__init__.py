"""Windows of their own: questions, edits, reports, pages."""

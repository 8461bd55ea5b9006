"""The text of every finding: title, detail, remedy, threshold and source."""

"""Changes of a script's own lines that do what the remedies of findings say."""

"""Changes of a script's own lines that do what the remedies of findings say.

A rule is a function of the script, of the statements of the Events that a finding cites, in the
order in which it cites them, and of the variables that it names. It returns the lines of the
changed script; None unless the text shows that the change does what the remedy says. So statements
that are changed stand alone on their lines, and what is moved stays in its block.
"""

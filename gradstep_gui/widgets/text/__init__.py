"""Views for scripts, lessons, formulas and long text."""

"""The language of conditions: what it can say, what it costs, and the values it reads."""

"""The layers a program may be made of: what each takes, and the shape it makes of a shape."""

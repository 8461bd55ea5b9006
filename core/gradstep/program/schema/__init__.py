"""What a program document may name: data sets, criteria, optimizers, and what each takes."""

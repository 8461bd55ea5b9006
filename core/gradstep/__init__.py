"""A torch-like autograd, nn and optim library on NumPy, and the debugger around it."""

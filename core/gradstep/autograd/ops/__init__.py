"""Operations: each forward function next to its vector-Jacobian product."""

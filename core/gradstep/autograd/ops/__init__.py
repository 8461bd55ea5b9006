"""Operations: each forward beside its vector-Jacobian product."""

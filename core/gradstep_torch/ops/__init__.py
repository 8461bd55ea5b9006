"""Operations that only scripts use: forward and gradient rule side by side."""

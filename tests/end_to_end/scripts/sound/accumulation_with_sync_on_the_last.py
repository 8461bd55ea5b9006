from contextlib import nullcontext

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 4))
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
grad_accum = 3
batches = [(torch.randn(8, 8), torch.randint(0, 4, (8,))) for _ in range(10)]
for epoch in range(2):
    for i, (x, y) in enumerate(batches):
        with nullcontext():
            loss = nn.functional.cross_entropy(model(x), y) / grad_accum
            loss.backward()
        if (i + 1) % grad_accum != 0 and i + 1 != len(batches):
            continue
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
print(f"{loss.item():.4f}")

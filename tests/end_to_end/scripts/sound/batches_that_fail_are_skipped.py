import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
skipped = 0
for step in range(10):
    x = torch.randn(8, 3 if step % 4 else 2)
    optimizer.zero_grad()
    try:
        loss = model(x).pow(2).mean()
    except RuntimeError:
        skipped += 1
        continue
    loss.backward()
    norm = nn.utils.clip_grad_norm_(model.parameters(), 5.0)
    if not torch.isfinite(norm):
        optimizer.zero_grad()
        continue
    optimizer.step()
print(skipped, f"{loss.item():.4f}")

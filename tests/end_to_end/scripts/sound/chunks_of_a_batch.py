import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(5, 1)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
for step in range(6):
    inputs = torch.randn(32, 5)
    targets = inputs.sum(1, keepdim=True)
    optimizer.zero_grad()
    for x, y in zip(inputs.chunk(4), targets.chunk(4)):
        loss = nn.functional.mse_loss(model(x), y)
        (loss / 4).backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
print(f"{loss.item():.4f}")

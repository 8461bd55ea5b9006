import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
for epoch in range(10):
    x = torch.randn(16, 3)
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
print(f"{loss.item():.4f}")

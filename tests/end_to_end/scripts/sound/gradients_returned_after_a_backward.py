import torch
from torch import nn

torch.manual_seed(0)
inputs = torch.randn(64, 6)
targets = inputs.sum(1, keepdim=True)
model = nn.Linear(6, 1)
for epoch in range(4):
    model.zero_grad()
    loss = nn.functional.mse_loss(model(inputs), targets)
    loss.backward()
    with torch.no_grad():
        for p in model.parameters():
            p -= 0.1 * p.grad
for epoch in range(4):
    loss = nn.functional.l1_loss(model(inputs), targets)
    gradients = torch.autograd.grad(loss, list(model.parameters()))
    with torch.no_grad():
        for p, gradient in zip(model.parameters(), gradients):
            p -= 0.1 * gradient
    print(f"{loss.item():.4f}")

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 3)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
x, y = torch.randn(32, 4), torch.randint(0, 3, (32,))
for epoch in range(3):
    optimizer.zero_grad()
    predictions = model(x).argmax(dim=1).float().requires_grad_()
    loss = nn.functional.mse_loss(predictions, y.float())
    loss.backward()
    optimizer.step()
print(f"{loss.item():.4f}")

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, weight_decay=1e-4)
for step in range(8):
    x = torch.randn(16, 4)
    loss = nn.functional.cross_entropy(model(x), (x[:, 0] > 0).long())
    optimizer.zero_grad()
    loss.backward()
    for parameter in model.parameters():
        if parameter.dim() > 1:
            parameter.grad.sub_(parameter.grad.mean(1, keepdim=True))
        parameter.grad.add_(0.01 * torch.randn_like(parameter.grad))
    optimizer.step()
print(f"{loss.item():.4f}")

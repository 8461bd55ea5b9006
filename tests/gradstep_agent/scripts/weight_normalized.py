import torch
from torch import nn
from torch.nn.utils.parametrizations import orthogonal, weight_norm

torch.manual_seed(0)
model = nn.Sequential(weight_norm(nn.Linear(4, 6)), nn.ReLU(), orthogonal(nn.Linear(6, 6)))
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
x = torch.randn(10, 4)
for step in range(3):
    optimizer.zero_grad(set_to_none=False)
    loss = (model(x) - 1).abs().mean()
    loss.backward()
    optimizer.step()
    print(loss.item(), model[0].weight.norm().item())

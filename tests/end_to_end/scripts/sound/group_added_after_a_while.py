import torch
from torch import nn

torch.manual_seed(0)
X = torch.randn(64, 4)
Y = X[:, :1] * 2
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
opt = torch.optim.Adam(net[2].parameters(), lr=1e-2)
for p in net[0].parameters():
    p.requires_grad = False
for step in range(50):
    if step == 25:
        for p in net[0].parameters():
            p.requires_grad = True
        opt.add_param_group({"params": list(net[0].parameters()), "lr": 1e-3})
    opt.zero_grad()
    loss = nn.functional.mse_loss(net(X), Y)
    loss.backward()
    opt.step()

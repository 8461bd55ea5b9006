import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 1)
opt = torch.optim.Adam(model.parameters())
X, y = torch.randn(16, 4), torch.randn(16, 1)
for i in range(5):
    opt.zero_grad()
    out = torch.tensor(model(X).detach().numpy(), requires_grad=True)
    loss = nn.MSELoss()(out, y)
    loss.backward()
    opt.step()

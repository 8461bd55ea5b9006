import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(64, 4)
y = torch.randn(64, 1)
body = nn.Sequential(nn.Linear(4, 8), nn.ReLU())
head = nn.Linear(8, 1)
opt_body = torch.optim.Adam(body.parameters(), lr=1e-2)
opt_head = torch.optim.Adam(head.parameters(), lr=1e-2)
criterion = nn.MSELoss()
for epoch in range(20):
    if epoch == 5:
        for param in body.parameters():
            param.requires_grad = False
    opt_body.zero_grad()
    opt_head.zero_grad()
    loss = criterion(head(body(x)), y)
    loss.backward()
    opt_body.step()
    opt_head.step()
    print(epoch, loss.item())

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
x = torch.randn(32, 4)
y = x.sum(1, keepdim=True)

body, head = nn.Linear(4, 4), nn.Linear(4, 1)
optimizer = torch.optim.Adam(
    [{"params": body.parameters(), "lr": 1e-3}, {"params": head.parameters()}], lr=1e-2
)
schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=4)
for _ in range(4):
    optimizer.zero_grad()
    loss = F.smooth_l1_loss(head(torch.relu(body(x))), y)
    loss.backward()
    optimizer.step()
    schedule.step()
print(loss.item(), schedule.get_last_lr())

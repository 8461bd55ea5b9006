import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
teacher = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 3))
student = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
optimizer = torch.optim.Adam(student.parameters(), lr=1e-3)
for step in range(8):
    x, y = torch.randn(16, 4), torch.randint(0, 3, (16,))
    targets = F.softmax(teacher(x) / 2, dim=1)
    kd = F.kl_div(F.log_softmax(student(x) / 2, dim=1), targets, reduction="batchmean")
    loss = 0.5 * kd + 0.5 * F.cross_entropy(student(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{loss.item():.4f}")

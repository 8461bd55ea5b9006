import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
encoder = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 4))
projector = nn.Linear(4, 4)
predictor = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 4))
optimizer = torch.optim.SGD([*encoder.parameters(), *projector.parameters()], lr=0.05, momentum=0.9)
for step in range(8):
    x = torch.randn(16, 6)
    first, second = (projector(encoder(x + 0.1 * torch.randn_like(x))) for _ in range(2))
    loss = -F.cosine_similarity(predictor(first), second.detach()).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{loss.item():.4f}")

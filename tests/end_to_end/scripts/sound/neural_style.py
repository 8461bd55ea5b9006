import torch
from torch import nn

torch.manual_seed(0)
cnn = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU()).eval()
target = cnn(torch.rand(1, 3, 8, 8)).detach()
image = torch.rand(1, 3, 8, 8, requires_grad=True)
optimizer = torch.optim.Adam([image], lr=0.05)
for step in range(8):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(cnn(image), target)
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        image.clamp_(0, 1)

import torch
from torch import nn

torch.manual_seed(0)


class AutoEncoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(8, 6), nn.Tanh(), nn.Linear(6, 2))
        self.decoder = nn.Sequential(nn.Linear(2, 6), nn.Tanh(), nn.Linear(6, 8))

    def forward(self, x):
        return self.decoder(self.encoder(x))


net = AutoEncoder()
optimizer = torch.optim.Adam(net.decoder.parameters(), lr=0.01)
data = torch.randn(32, 8)
for epoch in range(8):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(net(data), data)
    loss.backward()
    optimizer.step()
print(f"{loss.item():.4f}")

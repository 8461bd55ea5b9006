import torch
from torch import nn

torch.manual_seed(0)


def train(model, loader, opt):
    for x, y in loader:
        opt.zero_grad()
        out = model(x)
        loss = nn.functional.cross_entropy(out, y)
        opt.step()
        loss.backward()
        yield loss.item()


model = nn.Sequential(nn.Flatten(), nn.Linear(16, 8), nn.ReLU(), nn.Linear(8, 2))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
loader = [(torch.randn(8, 1, 4, 4), torch.randint(0, 2, (8,))) for _ in range(6)]
print(list(train(model, loader, opt)))

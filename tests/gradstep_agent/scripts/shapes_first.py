import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode

with torch.device("meta"):
    model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
    print(model(torch.empty(2, 3)).shape)
with FakeTensorMode():
    print(nn.Linear(3, 1)(torch.empty(2, 3)).shape)

torch.manual_seed(0)
model.to_empty(device="cpu")
for parameter in model.parameters():
    nn.init.normal_(parameter)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(3):
    loss = model(torch.randn(8, 3)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(50, 3)
y = x @ torch.tensor([[1.0], [2.0], [3.0]])
model = nn.Linear(3, 1)
criterion = nn.MSELoss()
optimizer = torch.optim.LBFGS(model.parameters(), lr=0.1)
for epoch in range(20):

    def closure():
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        return loss

    loss = optimizer.step(closure)
    print(epoch, loss.item())

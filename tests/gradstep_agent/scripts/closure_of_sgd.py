import torch

torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.randn(6, 2)


def closure():
    optimizer.zero_grad()
    loss = model(x).pow(2).mean()
    loss.backward()
    return loss


for step in range(4):
    print(optimizer.step(closure).item())

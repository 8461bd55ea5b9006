import torch

for width in (8, 4):
    torch.manual_seed(0)
    x = torch.randn(16, 3)
    model = torch.nn.Sequential(
        torch.nn.Linear(3, width), torch.nn.Tanh(), torch.nn.Linear(width, 1)
    )
    optimizer = torch.optim.NAdam(model.parameters(), lr=0.01)
    for step in range(3):
        optimizer.zero_grad()
        loss = (model(x) - x.sum(1, keepdim=True)).pow(2).mean()
        loss.backward()
        optimizer.step()
    print(width, loss.item())

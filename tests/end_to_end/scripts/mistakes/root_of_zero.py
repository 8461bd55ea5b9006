import torch

torch.manual_seed(0)
w = torch.zeros(3, requires_grad=True)
optimizer = torch.optim.Adam([w], lr=0.1)
for step in range(4):
    loss = (w**2).sum().sqrt()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())

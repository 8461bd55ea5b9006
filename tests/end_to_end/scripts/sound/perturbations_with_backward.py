import torch, torch.nn as nn, torch.nn.functional as F

torch.manual_seed(0)
model = nn.Sequential(nn.Flatten(), nn.Linear(36, 24), nn.ReLU(), nn.Linear(24, 4))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
X, Y = torch.rand(128, 1, 6, 6), torch.randint(0, 4, (128,))
epsilon, alpha = 0.1, 0.05
for epoch in range(3):
    for i in range(0, 128, 32):
        x, y = X[i : i + 32], Y[i : i + 32]
        delta = torch.zeros_like(x, requires_grad=True)
        for _ in range(3):
            output = model(x + delta)
            loss = F.cross_entropy(output, y)
            loss.backward()
            delta.data = torch.clamp(delta.data + alpha * delta.grad.sign(), -epsilon, epsilon)
            delta.grad.zero_()
        delta = delta.detach()
        output = model(x + delta)
        loss = F.cross_entropy(output, y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(epoch, loss.item())

import torch
from torch import nn

torch.manual_seed(0)
x = torch.linspace(0, 1, 100).unsqueeze(1)
y = 2 * x + 1 + 0.1 * torch.randn(100, 1)
model = nn.Linear(1, 1)
print(model)
criterion = nn.MSELoss()
opt = torch.optim.SGD(model.parameters(), lr=0.1)
print(opt)
for epoch in range(200):
    pred = model(x)
    loss = criterion(pred, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if (epoch + 1) % 40 == 0:
        print(f"Epoch [{epoch + 1}/200], Loss: {loss.item():.4f}", loss)
w, b = model.parameters()
print(f"{w.item():.4f} {b.item():.3f}", w, b)
print(list(model.named_parameters()))
predicted = model(x).detach().numpy()
print(predicted[:3], type(predicted), predicted.dtype)
print("w = {:.3f}".format(w[0][0]), "%.3f" % w.item(), f"{b[0]:.2f}")
print(list(model.state_dict().items()))
print(model.weight.grad, model.weight.grad.norm())
with torch.no_grad():
    print(model(torch.tensor([[4.0]])))
    print(model(torch.Tensor([4.0])).data[0])
print(model.weight.shape, model.weight.size(), model.weight.size(0), model.in_features)
print(nn.Linear(2, 3, bias=False), nn.Linear(2, 3).extra_repr())
print(sum(p.numel() for p in model.parameters() if p.requires_grad))

import torch
import torch.nn.functional as F
from torch import nn, optim

torch.manual_seed(2)


class XOR(nn.Module):
    def __init__(self, input_dim=2, output_dim=1):
        super(XOR, self).__init__()
        self.lin1 = nn.Linear(input_dim, 2)
        self.lin2 = nn.Linear(2, output_dim)

    def forward(self, x):
        x = self.lin1(x)
        x = F.sigmoid(x)
        x = self.lin2(x)
        return x


model = XOR()


def weights_init(model):
    for m in model.modules():
        if isinstance(m, nn.Linear):
            m.weight.data.normal_(0, 1)


weights_init(model)
X = torch.Tensor([[0, 0], [0, 1], [1, 0], [1, 1]])
Y = torch.Tensor([0, 1, 1, 0]).view(-1, 1)
loss_func = nn.MSELoss()
optimizer = optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
epochs = 401
steps = X.size(0)
for i in range(epochs):
    for j in range(steps):
        import numpy as np

        data_point = torch.randint(0, steps, (1,)).item()
        x_var = X[data_point]
        y_var = Y[data_point]
        optimizer.zero_grad()
        y_hat = model(x_var)
        loss = loss_func.forward(y_hat, y_var)
        loss.backward()
        optimizer.step()
    if i % 100 == 0:
        print("Epoch: {0}, Loss: {1:.5f}, ".format(i, loss.data.numpy()))
model_params = list(model.parameters())
model_weights = model_params[0].data.numpy()
model_bias = model_params[1].data.numpy()
print(np.round(model_weights, 3), np.round(model_bias, 3))
print(model)
for name, module in model.named_modules():
    print(name, "->", module)
for name, child in model.named_children():
    print(name, child.weight.shape)
print((model(X) > 0.5).float())
print(((model(X) > 0.5).float() == Y).all(), (model(X).round() == Y).sum().item())
print(torch.where(model(X) > 0.5, torch.tensor(1.0), torch.tensor(0.0)))
print(repr(nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1), nn.Sigmoid())))
print(optimizer)
print(optimizer.state_dict()["param_groups"])
print(list(optimizer.state_dict()["state"].keys()))

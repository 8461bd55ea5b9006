import numpy as np
import torch
from torch import nn

torch.manual_seed(0)
x_train = np.arange(11, dtype=np.float32).reshape(-1, 1)
y_train = 2 * x_train + 1


class LinearRegressionModel(nn.Module):
    def __init__(self):
        super(LinearRegressionModel, self).__init__()
        self.linear = nn.Linear(1, 1, bias=False)

    def forward(self, x):
        out = self.linear(x)
        return out


model = LinearRegressionModel()
criterion = nn.MSELoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
inputs = torch.from_numpy(x_train).requires_grad_()
labels = torch.from_numpy(y_train)
outputs = model(inputs)
loss = criterion(outputs, labels)
print("before backward : ", model.linear.weight.grad)
loss.backward()
print("before zero grad : ", model.linear.weight.grad)
optimizer.zero_grad()
print("After zero grad : ", model.linear.weight.grad)
optimizer.zero_grad(set_to_none=False)
print("nothing to fill : ", model.linear.weight.grad, inputs.grad.shape)
for epoch in range(5):
    inputs = torch.from_numpy(x_train).requires_grad_()
    labels = torch.from_numpy(y_train)
    optimizer.zero_grad()
    outputs = model(inputs)
    loss = criterion(outputs, labels)
    loss.backward()
    optimizer.step()
    print("epoch {}, loss {:.4f}".format(epoch, loss.item()))
# the same without zero_grad, then with all of it after the loop
for zero, inside in ((True, True), (False, True), (True, False)):
    nn.init.constant_(model.linear.weight, 0.0)
    model.zero_grad()
    for epoch in range(5):
        loss = criterion(model(torch.from_numpy(x_train)), labels)
        if inside:
            if zero:
                optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    if not inside:
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(zero, inside, f"{model.linear.weight.item():.3f}")
# one model, two heads, one optimizer: a head without a gradient rests
trunk, head_a, head_b = nn.Linear(2, 2), nn.Linear(2, 1), nn.Linear(2, 1)
optimizer = torch.optim.Adam(
    [*trunk.parameters(), *head_a.parameters(), *head_b.parameters()], lr=0.1
)
before = head_b.weight.clone()
for batch_size in (4, 8, 2):
    optimizer.zero_grad()
    head_a(torch.relu(trunk(torch.randn(batch_size, 2)))).mean().backward()
    optimizer.step()
print(
    torch.equal(before, head_b.weight),
    head_b.weight in optimizer.state,
    optimizer.state[trunk.weight]["step"],
)
# the optimizer of another model
other = nn.Linear(1, 1)
optimizer = torch.optim.Adam(other.parameters(), lr=0.1)
criterion(model(torch.from_numpy(x_train)), labels).backward()
before = model.linear.weight.clone()
optimizer.step()
optimizer.zero_grad()
print(
    torch.equal(before, model.linear.weight),
    model.linear.weight.grad is not None,
    other.weight.grad,
)
# .to() and .double() keep the parameters, a copy does not
model, optimizer = nn.Linear(1, 1), None
weight = model.weight
print(
    model.double().weight is weight,
    model.to("cpu").weight is weight,
    model.float().weight is weight,
)

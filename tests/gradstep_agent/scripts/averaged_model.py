import torch
from torch import nn
from torch.optim.swa_utils import SWALR, AveragedModel, update_bn

torch.manual_seed(0)
data = [(torch.randn(4, 3), torch.randn(4, 1)) for _ in range(3)]
model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 1))
average = AveragedModel(model)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = SWALR(optimizer, swa_lr=0.05, anneal_epochs=2)
for epoch in range(2):
    for x, y in data:
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
    average.update_parameters(model)
    scheduler.step()
update_bn((x for x, _ in data), average)
print(average.n_averaged.item(), average(data[0][0]).sum().item())

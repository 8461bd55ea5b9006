import torch
from torch import nn
from torch.optim.swa_utils import SWALR, AveragedModel, update_bn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 2))
averaged = AveragedModel(model)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
usual = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=6)
swa = SWALR(optimizer, swa_lr=0.05)
data = [(torch.randn(8, 4), torch.randint(0, 2, (8,))) for _ in range(3)]
for epoch in range(8):
    for x, y in data:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
    if epoch > 4:
        averaged.update_parameters(model)
        swa.step()
    else:
        usual.step()
update_bn(data, averaged)
print(f"{loss.item():.4f}")

import torch

weight = torch.nn.Parameter(torch.zeros(1))
optimizer = torch.optim.SGD([weight], lr=1.0)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 20)
rates = []
for _ in range(30):
    optimizer.step()
    rates.append(optimizer.param_groups[0]["lr"])
    scheduler.step()
print(rates)

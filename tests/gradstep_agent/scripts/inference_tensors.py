"""Parameters made and changed in inference mode, on the meta device, of no elements, of none."""

import torch
from torch import nn

torch.manual_seed(0)
with torch.inference_mode():
    frozen = nn.Linear(2, 2)
    print(round(frozen(torch.ones(1, 2)).sum().item(), 5))
head = nn.Sequential(nn.Linear(2, 1), nn.BatchNorm1d(1))
empty = nn.Linear(0, 2)
scale = nn.Parameter(torch.tensor(1.0))
with torch.device("meta"):
    later = nn.Linear(2, 2)
later.to_empty(device="cpu")
nn.init.ones_(later.weight), nn.init.zeros_(later.bias)
opt = torch.optim.Adam(
    [*head.parameters(), *empty.parameters(), scale, *later.parameters()], lr=0.1
)
for step in range(3):
    features = torch.randn(4, 2)
    with torch.inference_mode():
        shifted = frozen(features)
    opt.zero_grad()
    loss = (
        (head(later(features + shifted.clone())) * scale + empty(torch.ones(4, 0)).sum())
        .pow(2)
        .mean()
    )
    loss.backward()
    opt.step()
    with torch.inference_mode():
        head(features)
    print(loss.item(), scale.item())
with torch.inference_mode():
    frozen.weight.mul_(0.5)
    print(frozen(torch.ones(1, 2)).sum().item())

"""States of which only a part fits, which are empty, or whose names a hook changes."""

import torch
from torch import nn

torch.manual_seed(0)


class Renamed(nn.Linear):
    def _load_from_state_dict(self, state_dict, prefix, *args):
        for name in ("weight", "bias"):
            if f"{prefix}old_{name}" in state_dict:
                state_dict[f"{prefix}{name}"] = state_dict.pop(f"{prefix}old_{name}")
        super()._load_from_state_dict(state_dict, prefix, *args)


body = nn.Sequential(nn.Linear(4, 8), nn.ReLU())
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), Renamed(8, 1))
model.load_state_dict(body.state_dict(), strict=False)
model.load_state_dict({}, strict=False)
nn.ReLU().load_state_dict(body.state_dict(), strict=False)
model[2].load_state_dict({"old_weight": torch.ones(1, 8), "old_bias": torch.ones(1)})
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
x = torch.randn(32, 4)
for epoch in range(5):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    loss.backward()
    optimizer.step()
print(f"{loss.item():.4f}")

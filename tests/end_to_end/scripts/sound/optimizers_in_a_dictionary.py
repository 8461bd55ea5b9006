import torch
from torch import nn

torch.manual_seed(0)
nets = nn.ModuleDict({"encoder": nn.Linear(6, 2), "decoder": nn.Linear(2, 6)})
optimizers = {name: torch.optim.Adam(net.parameters(), lr=1e-2) for name, net in nets.items()}
x = torch.randn(64, 6)
for step in range(12):
    for optimizer in optimizers.values():
        optimizer.zero_grad()
    loss = nn.functional.mse_loss(nets["decoder"](torch.relu(nets["encoder"](x))), x)
    loss.backward()
    for optimizer in optimizers.values():
        optimizer.step()
print(f"{loss.item():.4f}")

import torch
from torch import nn

torch.manual_seed(0)
image, text = nn.Linear(8, 4), nn.Linear(6, 4)
scale = nn.Parameter(torch.tensor(2.0))
optimizer = torch.optim.AdamW(
    [
        {"params": [*image.parameters(), *text.parameters()], "weight_decay": 0.1},
        {"params": [scale], "weight_decay": 0.0},
    ],
    lr=1e-2,
)
for step in range(10):
    a = nn.functional.normalize(image(torch.randn(12, 8)), dim=1)
    b = nn.functional.normalize(text(torch.randn(12, 6)), dim=1)
    logits = scale.exp() * a @ b.t()
    labels = torch.arange(12)
    loss_i = nn.functional.cross_entropy(logits, labels)
    loss_t = nn.functional.cross_entropy(logits.t(), labels)
    loss = (loss_i + loss_t) / 2
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        scale.clamp_(0, 4.6)
print(f"{loss.item():.4f}")

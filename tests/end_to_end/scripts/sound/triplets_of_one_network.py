import torch
from torch import nn

torch.manual_seed(0)
embed = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 3))
criterion = nn.TripletMarginLoss(margin=1.0)
optimizer = torch.optim.RMSprop(embed.parameters(), lr=1e-3)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=3, gamma=0.5)
for epoch in range(6):
    anchor = torch.randn(16, 6)
    positive, negative = anchor + 0.1 * torch.randn(16, 6), torch.randn(16, 6)
    optimizer.zero_grad()
    loss = criterion(embed(anchor), embed(positive), embed(negative))
    loss.backward()
    nn.utils.clip_grad_value_(embed.parameters(), 0.5)
    optimizer.step()
    scheduler.step()
print(f"{loss.item():.4f}")

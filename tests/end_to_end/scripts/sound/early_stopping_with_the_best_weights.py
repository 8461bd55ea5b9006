import copy

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 6), nn.Dropout(0.3), nn.Linear(6, 1))
optimizer = torch.optim.AdamW(model.parameters())
best, best_state, patience = float("inf"), None, 0
for epoch in range(20):
    model.train()
    for _ in range(2):
        loss = nn.functional.l1_loss(model(torch.randn(8, 4)), torch.randn(8, 1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.inference_mode():
        val = nn.functional.l1_loss(model(torch.randn(8, 4)), torch.randn(8, 1)).item()
    if val < best:
        best, best_state, patience = val, copy.deepcopy(model.state_dict()), 0
    else:
        patience += 1
        if patience == 3:
            break
model.load_state_dict(best_state)

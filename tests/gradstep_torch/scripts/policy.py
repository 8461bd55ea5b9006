import torch
from torch import nn

torch.manual_seed(6)
policy = nn.Sequential(
    nn.Linear(4, 16), nn.ReLU(), nn.Dropout(0.1), nn.Linear(16, 2), nn.Softmax(dim=-1)
)
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
state = torch.randn(4)
for episode in range(5):
    probabilities = policy(state)
    action = torch.multinomial(probabilities, 1)
    reward = 1.0 if action.item() == 0 else -1.0
    loss = -torch.log(probabilities[action]) * reward
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(action, f"{probabilities[0].item():.3f}")

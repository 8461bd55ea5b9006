import copy
import itertools

import torch
from torch import nn

torch.manual_seed(0)
pi = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1), nn.Tanh())
q1, q2 = (nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1)) for _ in range(2))
q1_target = copy.deepcopy(q1)
log_alpha = torch.zeros(1, requires_grad=True)
q_params = list(itertools.chain(q1.parameters(), q2.parameters()))
pi_optimizer = torch.optim.Adam(pi.parameters(), lr=1e-3)
q_optimizer = torch.optim.Adam(q_params, lr=1e-3)
alpha_optimizer = torch.optim.Adam([log_alpha], lr=1e-3)
for step in range(6):
    o, a, r = torch.randn(8, 3), torch.randn(8, 1), torch.randn(8, 1)
    with torch.no_grad():
        backup = r + 0.99 * q1_target(torch.cat([o, pi(o)], 1))
    loss_q = sum((q(torch.cat([o, a], 1)) - backup).pow(2).mean() for q in (q1, q2))
    q_optimizer.zero_grad()
    loss_q.backward()
    q_optimizer.step()
    for p in q_params:
        p.requires_grad = False
    loss_pi = -(q1(torch.cat([o, pi(o)], 1)) * log_alpha.exp().detach()).mean()
    pi_optimizer.zero_grad()
    loss_pi.backward()
    pi_optimizer.step()
    for p in q_params:
        p.requires_grad = True
    alpha_loss = (log_alpha * 0.5).mean()
    alpha_optimizer.zero_grad()
    alpha_loss.backward()
    alpha_optimizer.step()
    with torch.no_grad():
        for p, t in zip(q1.parameters(), q1_target.parameters()):
            t.data.mul_(0.995).add_(0.005 * p.data)

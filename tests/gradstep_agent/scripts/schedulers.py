import torch
from torch.optim import lr_scheduler as S

torch.manual_seed(0)
x = torch.randn(8, 3)
make = {
    "cosine": lambda o: S.CosineAnnealingLR(o, T_max=4),
    "one cycle": lambda o: S.OneCycleLR(o, max_lr=0.1, total_steps=8),
    "lambda": lambda o: S.LambdaLR(o, lambda step: 0.9**step),
    "steps": lambda o: S.MultiStepLR(o, milestones=[1, 3]),
    "warm-up": lambda o: S.SequentialLR(
        o, [S.LinearLR(o, 0.1, total_iters=2), S.ExponentialLR(o, 0.5)], milestones=[2]
    ),
}
for name, scheduler_of in make.items():
    model = torch.nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    scheduler = scheduler_of(optimizer)
    for step in range(4):
        optimizer.zero_grad()
        model(x).pow(2).mean().backward()
        optimizer.step()
        scheduler.step()
        print(name, step, scheduler.get_last_lr())

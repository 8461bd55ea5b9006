import copy

import torch
from torch import nn

torch.manual_seed(0)
student = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(0.2), nn.Linear(8, 3))
teacher = copy.deepcopy(student)
for parameter in teacher.parameters():
    parameter.detach_()
optimizer = torch.optim.SGD(student.parameters(), lr=0.05, momentum=0.9, nesterov=True)
for step in range(10):
    labelled, labels, unlabelled = torch.randn(8, 4), torch.randint(0, 3, (8,)), torch.randn(16, 4)
    supervised = nn.functional.cross_entropy(student(labelled), labels)
    consistency = nn.functional.mse_loss(
        student(unlabelled).softmax(1), teacher(unlabelled).softmax(1)
    )
    loss = supervised + 0.5 * consistency
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        for mean, value in zip(teacher.parameters(), student.parameters()):
            mean.mul_(0.99).add_(value, alpha=0.01)
print(f"{loss.item():.4f}")

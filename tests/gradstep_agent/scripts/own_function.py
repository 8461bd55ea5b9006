import torch
from torch import nn


class StraightThrough(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sign()

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * (x.abs() <= 1)


class Binary(nn.Linear):
    def forward(self, x):
        return nn.functional.linear(x, StraightThrough.apply(self.weight), self.bias)


torch.manual_seed(0)
model = nn.Sequential(Binary(4, 4), nn.Hardtanh(), Binary(4, 1))
handle = model[0].register_forward_hook(lambda module, args, out: out * 1.0)
model[2].bias.register_hook(lambda grad: grad.clamp(-1, 1))
optimizer = torch.optim.Adagrad(model.parameters(), lr=0.1)
x, y = torch.randn(16, 4), torch.randn(16, 1)
for step in range(3):
    optimizer.zero_grad()
    loss = nn.functional.smooth_l1_loss(model(x), y)
    loss.backward()
    optimizer.step()
    print(loss.item())
handle.remove()

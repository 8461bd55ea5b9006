import torch
from torch.autograd import Function, gradcheck


class LegendrePolynomial3(Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return 0.5 * (5 * input**3 - 3 * input)

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        return grad_output * 1.5 * (5 * input**2 - 1)


x = torch.tensor([0.1, 0.5, -0.3], dtype=torch.double, requires_grad=True)
y = LegendrePolynomial3.apply(x)
print(y)
y.sum().backward()
print(x.grad)
print(gradcheck(LegendrePolynomial3.apply, (x,)))

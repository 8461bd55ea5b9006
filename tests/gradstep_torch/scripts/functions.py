import torch
from torch.autograd import Function


class MyReLU(Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return input.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        grad_input = grad_output.clone()
        grad_input[input < 0] = 0
        return grad_input


torch.manual_seed(0)
N, D_in, H, D_out = 16, 10, 8, 3
x = torch.randn(N, D_in)
y = torch.randn(N, D_out)
w1 = torch.randn(D_in, H, requires_grad=True)
w2 = torch.randn(H, D_out, requires_grad=True)
for t in range(50):
    relu = MyReLU.apply
    y_pred = relu(x.mm(w1)).mm(w2)
    loss = (y_pred - y).pow(2).sum()
    if t % 10 == 9:
        print(t, f"{loss.item():.2f}")
    loss.backward()
    with torch.no_grad():
        w1 -= 1e-4 * w1.grad
        w2 -= 1e-4 * w2.grad
        w1.grad.zero_()
        w2.grad.zero_()
print(
    type(relu(x.mm(w1)).grad_fn).__name__,
    loss.grad_fn.name(),
    loss.grad_fn.next_functions[0][0].name(),
)


class LinearFunction(Function):
    @staticmethod
    def forward(input, weight, bias):
        output = input.mm(weight.t())
        if bias is not None:
            output += bias.unsqueeze(0).expand_as(output)
        return output

    @staticmethod
    def setup_context(ctx, inputs, output):
        input, weight, bias = inputs
        ctx.save_for_backward(input, weight, bias)

    @staticmethod
    def backward(ctx, grad_output):
        input, weight, bias = ctx.saved_tensors
        grad_input = grad_weight = grad_bias = None
        if ctx.needs_input_grad[0]:
            grad_input = grad_output.mm(weight)
        if ctx.needs_input_grad[1]:
            grad_weight = grad_output.t().mm(input)
        if bias is not None and ctx.needs_input_grad[2]:
            grad_bias = grad_output.sum(0)
        return grad_input, grad_weight, grad_bias


inp = (
    torch.randn(4, 5, dtype=torch.double, requires_grad=True),
    torch.randn(3, 5, dtype=torch.double, requires_grad=True),
    None,
)
print(torch.autograd.gradcheck(LinearFunction.apply, inp, eps=1e-6, atol=1e-4))


class MulConstant(Function):
    @staticmethod
    def forward(ctx, tensor, constant):
        ctx.set_materialize_grads(False)
        ctx.constant = constant
        return tensor * constant

    @staticmethod
    def backward(ctx, g):
        if g is None:
            return None, None
        return g * ctx.constant, None


a = torch.tensor([1.0, 2.0], requires_grad=True)
b = MulConstant.apply(a, 5)
print(b)
b.sum().backward()
print(a.grad)


class Exp(Function):
    @staticmethod
    def forward(ctx, i):
        result = i.exp()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return grad_output * result


x = torch.tensor(1.0, requires_grad=True)
y = Exp.apply(x)
(g,) = torch.autograd.grad(y, x, create_graph=True)
(g2,) = torch.autograd.grad(g, x)
print(g, g2)


class STE(Function):
    @staticmethod
    def forward(ctx, x):
        return (x > 0).float()

    @staticmethod
    def backward(ctx, g):
        return torch.nn.functional.hardtanh(g)


v = torch.tensor([-1.0, 0.5, 3.0], requires_grad=True)
STE.apply(v).sum().backward()
print(v.grad)


class Bad(Function):
    @staticmethod
    def forward(ctx, a, b):
        return a * b

    @staticmethod
    def backward(ctx, g):
        return g


try:
    Bad.apply(v, v).sum().backward()
except Exception as e:
    print(type(e).__mro__[-3].__name__, str(e)[:70])


class TwoOut(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_non_differentiable(s := x.argsort())
        return x.sort().values, s

    @staticmethod
    def backward(ctx, g, gs):
        print(g, gs)
        return g


o, s = TwoOut.apply(v)
print(o, s, s.requires_grad)
o.sum().backward()


class InPl(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        x.add_(1)
        return x

    @staticmethod
    def backward(ctx, g):
        return g


u = v.clone()
r = InPl.apply(u)
print(r, r is u)

import torch
from torch.autograd import Function, gradcheck


class MySTE(Function):
    @staticmethod
    def forward(ctx, input):
        return (input > 0).float()

    @staticmethod
    def backward(ctx, grad_output):
        return torch.nn.functional.hardtanh(grad_output)


class ReverseGrad(Function):
    @staticmethod
    def forward(ctx, x, alpha):
        ctx.alpha = alpha
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.neg() * ctx.alpha, None


class LinearFunction(Function):
    @staticmethod
    def forward(ctx, input, weight, bias=None):
        ctx.save_for_backward(input, weight, bias)
        output = input.mm(weight.t())
        if bias is not None:
            output += bias.unsqueeze(0).expand_as(output)
        return output

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


class LinearNew(Function):
    @staticmethod
    def forward(x, y):
        return x * y, x + y

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, y = inputs
        ctx.save_for_backward(x, y)
        ctx.set_materialize_grads(False)

    @staticmethod
    def backward(ctx, gm, ga):
        x, y = ctx.saved_tensors
        print("materialized:", gm is not None, ga is not None)
        gx = gy = 0
        if gm is not None:
            gx, gy = gm * y, gm * x
        if ga is not None:
            gx, gy = gx + ga, gy + ga
        return gx, gy


x = torch.tensor([-1.0, 0.5, 2.0], requires_grad=True)
y = MySTE.apply(x)
print(y, type(y.grad_fn).__name__)
(y * torch.tensor([0.5, 3.0, -4.0])).sum().backward()
print(x.grad)
x.grad = None
ReverseGrad.apply(x, 0.3).pow(2).sum().backward()
print(x.grad)
torch.manual_seed(0)
a = torch.randn(4, 3, dtype=torch.double, requires_grad=True)
w = torch.randn(2, 3, dtype=torch.double, requires_grad=True)
b = torch.randn(2, dtype=torch.double, requires_grad=True)
print(gradcheck(LinearFunction.apply, (a, w, b), eps=1e-6, atol=1e-4))
print(gradcheck(LinearFunction.apply, (a, w), eps=1e-6, atol=1e-4))
print(torch.autograd.gradgradcheck(LinearFunction.apply, (a, w, b)))
p, q = torch.tensor(2.0, requires_grad=True), torch.tensor(3.0, requires_grad=True)
m, s = LinearNew.apply(p, q)
m.backward()
print(p.grad, q.grad, m, s)


class Wrong(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * 2 * x**2


try:
    gradcheck(Wrong.apply, (torch.ones(1, dtype=torch.double, requires_grad=True) * 2,))
except Exception as e:
    print(isinstance(e, RuntimeError), str(e).splitlines()[0])


class InPlace(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(2)

    @staticmethod
    def backward(ctx, g):
        return g * 2


t = torch.ones(2, requires_grad=True)
c = t.clone()
r = InPlace.apply(c)
print(r is c, c, r.sum().backward(), t.grad)


class Index(Function):
    @staticmethod
    def forward(ctx, x):
        values, index = x.max(0)
        ctx.mark_non_differentiable(index)
        ctx.save_for_backward(index)
        ctx.size = x.shape
        return values, index

    @staticmethod
    def backward(ctx, g, _):
        (index,) = ctx.saved_tensors
        out = torch.zeros(ctx.size)
        out.scatter_(0, index.unsqueeze(0), g.unsqueeze(0))
        return out


z = torch.tensor([[1.0, 5.0], [3.0, 2.0]], requires_grad=True)
v, i = Index.apply(z)
v.sum().backward()
print(v, i, i.requires_grad, z.grad)


@torch.no_grad()
def frozen(v):
    return v * 2


print(frozen(z).requires_grad, (z * 2).requires_grad)
try:
    y = MySTE.apply(x)
    MySTE.apply(x, 1)
except TypeError as e:
    print("TypeError", "argument" in str(e))

import torch
from torch.autograd.functional import hessian, jacobian

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
print(x)
y = x**2
y.retain_grad()
y.register_hook(lambda grad: print("hook", grad))
loss = y.sum()
loss.backward(retain_graph=True)
print(x.grad, y.grad)
loss.backward()
print(x.grad)
x.grad.zero_()
(first,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
(second,) = torch.autograd.grad(first.sum(), x)
print(second)
print(jacobian(lambda v: v**2, torch.tensor([1.0, 2.0])))
print(hessian(lambda v: (v**3).sum(), torch.tensor([1.0, 2.0])))
with torch.autograd.graph.saved_tensors_hooks(
    lambda t: (print("pack", t.shape), t)[1], lambda t: t
):
    z = (x * x).sum()
z.backward()
print(x.grad, x.detach().requires_grad)
try:
    z.backward()
except RuntimeError as error:
    print(str(error).split(":")[0].split("(")[0][:44])

import warnings

import torch
from torch import nn

torch.manual_seed(0)
warnings.simplefilter("always")


def tell(f):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            print(f.__name__, f())
        except Exception as e:
            print(f.__name__, "RuntimeError:", isinstance(e, RuntimeError), str(e)[:40])
    for w in caught:
        print("   warning:", str(w.message)[:66])


x = torch.tensor([1.0, 2.0], requires_grad=True)
y = 100 * x
loss = y.sum()
print(x.grad)
loss.backward()
print(x.grad)
optim = torch.optim.SGD([x], lr=0.001)
print(x)
optim.step()
print(x)


def grad_of_intermediate():
    z = x * 2
    z.sum().backward()
    return z.grad


def grad_of_scaled_leaf():
    w = torch.randn(2, requires_grad=True) * 0.1
    w.sum().backward()
    return w.is_leaf, w.grad


def grad_after_to():
    w = torch.ones(2, requires_grad=True).to(torch.float64)
    w.sum().backward()
    return w.is_leaf, w.grad


def no_backward_yet():
    return nn.Linear(1, 1).weight.grad


def detached_in_the_middle():
    m, n = nn.Linear(1, 1), nn.Linear(1, 1)
    n(m(torch.ones(1, 1)).detach()).sum().backward()
    return m.weight.grad, n.weight.grad


def under_no_grad():
    m = nn.Linear(1, 1)
    with torch.no_grad():
        out = m(torch.ones(1, 1))
    return out.requires_grad, out.grad_fn


def optimizer_of_an_old_model():
    model = nn.Linear(1, 1)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    model = nn.Linear(1, 1)
    before = model.weight.clone()
    model(torch.ones(1, 1)).sum().backward()
    opt.step()
    return torch.equal(before, model.weight)


def reassigned_parameter():
    w = torch.ones(1, requires_grad=True)
    w.sum().backward()
    w = w - 0.1 * w.grad
    return w.is_leaf, w.grad_fn is not None


def reused_loss():
    total = 0
    w = torch.ones(1, requires_grad=True)
    for i in range(3):
        total += (w * i).sum()
    return total.grad_fn.name(), total.requires_grad


def item_sums():
    total = 0
    w = torch.ones(1, requires_grad=True)
    for i in range(3):
        total += (w * i).sum().item()
    return total


def accumulates():
    w = torch.ones(1, requires_grad=True)
    for _ in range(3):
        (2 * w).sum().backward()
    return w.grad


def two_losses():
    w = torch.ones(1, requires_grad=True)
    h = w * 3
    a, b = (h * h).sum(), (h + 1).sum()
    a.backward(retain_graph=True)
    b.backward()
    both = w.grad.clone()
    w.grad = None
    h = w * 3
    ((h * h).sum() + (h + 1).sum()).backward()
    return both, w.grad


def zero_between_backward_and_step():
    w = torch.ones(1, requires_grad=True)
    o = torch.optim.SGD([w], lr=0.1)
    w.sum().backward()
    o.zero_grad()
    o.step()
    return w


def eval_or_not():
    bn, drop = nn.BatchNorm1d(1), nn.Dropout(0.5)
    t = torch.tensor([[1.0], [3.0]])
    train = bn(t).flatten().detach()
    bn.eval(), drop.eval()
    return train, bn(t).flatten().detach(), drop(t).flatten(), bn.running_mean, bn.training


def argmax_is_not_differentiable():
    logits = torch.ones(3, requires_grad=True)
    logits.argmax().float().backward()


def rounded():
    w = torch.tensor([0.6], requires_grad=True)
    torch.round(w).sum().backward()
    return w.grad


def comparison():
    w = torch.tensor([0.6], requires_grad=True)
    ((w > 0.5).float() * 2).sum().backward()


def tensor_of_a_tensor():
    w = torch.tensor([0.6], requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torch.tensor(w * 2).requires_grad, torch.stack([w[0], w[0] * 2]).requires_grad


def requires_grad_on_the_loss():
    m = nn.Linear(1, 1)
    for p in m.parameters():
        p.requires_grad = False
    loss = m(torch.ones(1, 1)).sum()
    loss.requires_grad = True
    loss.backward()
    return loss.grad, m.weight.grad


def step_in_no_grad():
    w = torch.ones(1, requires_grad=True)
    w.sum().backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        w.grad.zero_()
    return w, w.grad


def list_of_layers():
    class M(nn.Module):
        def __init__(self):
            super().__init__()
            self.hidden = [nn.Linear(1, 1)]
            self.out = nn.Linear(1, 1)

    return [n for n, _ in M().named_parameters()]


def lr_in_the_group():
    w = nn.Parameter(torch.ones(1))
    o = torch.optim.Adam([w], lr=0.1)
    o.lr = 5
    o.param_groups[0]["lr"] = 0.01
    w.sum().backward()
    o.step()
    return w


def a_loss_of_numbers():
    pred = torch.tensor([0.2, 0.8], requires_grad=True)
    loss = nn.MSELoss()(torch.tensor(pred.tolist()), torch.ones(2))
    loss.backward()


def loss_class_called_as_function():
    return nn.MSELoss(torch.ones(2), torch.ones(2))


def forgot_parentheses():
    return nn.CrossEntropyLoss(torch.randn(2, 3), torch.tensor([0, 1]))


def freed():
    w = torch.ones(1, requires_grad=True)
    l = (w * w).sum()
    l.backward()
    l.backward()


def inplace_on_saved():
    w = torch.ones(1, requires_grad=True)
    h = w.exp()
    h += 1
    h.sum().backward()


def relu_inplace_is_fine():
    w = torch.ones(1, requires_grad=True)
    h = nn.ReLU(inplace=True)(w * 2)
    h.sum().backward()
    return w.grad


def data_goes_unseen():
    w = torch.ones(1, requires_grad=True)
    h = w * w
    w.data += 1
    h.sum().backward()
    return w.grad


def nan_from_sqrt():
    w = torch.zeros(1, requires_grad=True)
    torch.where(w > 0, torch.sqrt(w), torch.zeros(1)).sum().backward()
    return w.grad


def leaf_in_place():
    w = torch.ones(2, requires_grad=True)
    w[0] = 5


def grad_of_input():
    img = torch.ones(1, 2)
    img.requires_grad_()
    nn.Linear(2, 1)(img).sum().backward()
    return img.grad.shape


def retained():
    w = torch.ones(2, requires_grad=True)
    h = w * 2
    h.retain_grad()
    (h**2).sum().backward()
    return h.grad, w.grad


def hidden_grad_of_unused():
    m = nn.ModuleDict({"a": nn.Linear(1, 1), "b": nn.Linear(1, 1)})
    m["a"](torch.ones(1, 1)).sum().backward()
    return {n: p.grad is not None for n, p in m.named_parameters()}


def scheduler_before_optimizer():
    o = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=1.0)
    s = torch.optim.lr_scheduler.ExponentialLR(o, 0.5)
    s.step()
    o.step()
    return s.get_last_lr()


for f in [
    v
    for v in list(globals().values())
    if callable(v) and getattr(v, "__module__", "") == "__main__" and v is not tell
]:
    tell(f)

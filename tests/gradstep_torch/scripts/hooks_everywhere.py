import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
activations, gradients = {}, {}


def get_activation(name):
    def hook(model, input, output):
        activations[name] = output.detach()

    return hook


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 2, 3)
        self.relu = nn.ReLU()
        self.fc = nn.Linear(2 * 4 * 4, 3)
        self.gradients = None

    def activations_hook(self, grad):
        self.gradients = grad

    def forward(self, x):
        x = self.relu(self.conv(x))
        if x.requires_grad:
            x.register_hook(self.activations_hook)
        return self.fc(x.view(x.size(0), -1))


net = Net()
handles = [m.register_forward_hook(get_activation(n)) for n, m in net.named_children()]
x = torch.randn(2, 1, 6, 6)
pred = net(x)
print({k: tuple(v.shape) for k, v in activations.items()})
# Grad-CAM
pred[:, pred.argmax(1)[0]].sum().backward()
pooled = torch.mean(net.gradients, dim=[0, 2, 3])
cam = (activations["relu"] * pooled[None, :, None, None]).mean(1).clamp(min=0)
print(pooled, cam.shape)
for h in handles:
    h.remove()
activations.clear()
net(x)
print(activations)


def bw(module, grad_input, grad_output):
    print(
        type(module).__name__,
        [None if g is None else tuple(g.shape) for g in grad_input],
        [tuple(g.shape) for g in grad_output],
    )


hs = [m.register_full_backward_hook(bw) for m in net.children()]
net(x).sum().backward()
[h.remove() for h in hs]


def pre(module, args):
    return (args[0] * 2,)


def post(module, args, output):
    return output + 1


lin = nn.Linear(2, 2)
a = lin(torch.ones(1, 2))
h1, h2 = lin.register_forward_pre_hook(pre), lin.register_forward_hook(post)
b = lin(torch.ones(1, 2))
print(torch.allclose(b, F.linear(torch.ones(1, 2) * 2, lin.weight, lin.bias) + 1))
h1.remove(), h2.remove()
# hooks on parameters: clipping, masking, printing
w = nn.Parameter(torch.tensor([1.0, -2.0, 3.0]))
w.register_hook(lambda g: g.clamp(-1, 1))
h = w.register_hook(lambda g: g * torch.tensor([1.0, 0.0, 1.0]))
(w**2).sum().backward()
print(w.grad)
h.remove()
w.grad = None
w.register_post_accumulate_grad_hook(lambda p: print("accumulated", p.grad))
(w**2).sum().backward()
# per-layer optimizers in backward
layers = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
opts = {p: torch.optim.SGD([p], lr=0.1) for p in layers.parameters()}


def step_now(p):
    opts[p].step()
    opts[p].zero_grad()


for p in layers.parameters():
    p.register_post_accumulate_grad_hook(step_now)
before = layers[1].bias.detach().clone()
layers(torch.ones(3, 2)).mean().backward()
print([p.grad for p in layers.parameters()], (layers[1].bias - before).item())


# watching for NaN
def nan_hook(self, inp, output):
    outputs = output if isinstance(output, tuple) else (output,)
    for i, out in enumerate(outputs):
        if torch.isnan(out).any():
            raise RuntimeError(
                f"Found NAN in output {i} of {self.__class__.__name__} at indices: {torch.isnan(out).nonzero().tolist()}"
            )


bad = nn.Sequential(nn.Linear(1, 2), nn.ReLU())
for m in bad.modules():
    m.register_forward_hook(nan_hook)
try:
    bad(torch.tensor([[float("nan")]]))
except RuntimeError as e:
    print(e)


class Saved(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(1))


s = Saved()
sd = s.state_dict()
print(list(sd))
print(s.load_state_dict(sd))
node = (w * 2).sum().grad_fn
print(node.name(), node.next_functions[0][0].name())
node.register_hook(lambda gi, go: print("node", gi, go))
v = (w * 2).sum()
v.grad_fn.register_prehook(lambda go: print("prehook", go))
v.backward()

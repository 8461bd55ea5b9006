import torch
from torch.autograd import Variable

x = Variable(torch.FloatTensor([[1.0, 2.0], [3.0, 4.0]]), requires_grad=True)
y = x + 2
z = (y * y * 3).mean()
print(z, y.grad_fn is not None)
z.backward()
print(x.grad)
index = torch.LongTensor([1, 0])
print(torch.index_select(x.data, 1, index))
print(isinstance(x.data, torch.FloatTensor), x.cpu().data.numpy().sum())

"""A network that solves a differential equation: gradients of gradients, then Adam, then L-BFGS."""

import torch
import torch.nn as nn
import numpy as np

torch.manual_seed(1234)


class PhysicsInformedNN:
    def __init__(self, X_u, u):
        self.x = torch.tensor(X_u, requires_grad=True).float()
        self.u = torch.tensor(u).float()
        self.lambda_1 = nn.Parameter(torch.tensor([0.0]))
        self.dnn = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))
        self.dnn.register_parameter("lambda_1", self.lambda_1)
        self.optimizer = torch.optim.LBFGS(
            self.dnn.parameters(), lr=1.0, max_iter=4, history_size=5, line_search_fn="strong_wolfe"
        )
        self.optimizer_Adam = torch.optim.Adam(self.dnn.parameters())
        self.iter = 0

    def net_f(self, x):
        u = self.dnn(x)
        u_x = torch.autograd.grad(
            u, x, grad_outputs=torch.ones_like(u), retain_graph=True, create_graph=True
        )[0]
        u_xx = torch.autograd.grad(
            u_x, x, torch.ones_like(u_x), retain_graph=True, create_graph=True
        )[0]
        return u_xx + self.lambda_1 * u

    def loss_func(self):
        u_pred = self.dnn(self.x)
        f_pred = self.net_f(self.x)
        loss = torch.mean((self.u - u_pred) ** 2) + torch.mean(f_pred**2)
        self.optimizer.zero_grad()
        loss.backward()
        self.iter += 1
        if self.iter % 2 == 0:
            print(f"Loss: {loss.item():e}, l1: {self.lambda_1.item():.5f}")
        return loss

    def train(self, nIter):
        self.dnn.train()
        for epoch in range(nIter):
            u_pred = self.dnn(self.x)
            f_pred = self.net_f(self.x)
            loss = torch.mean((self.u - u_pred) ** 2) + torch.mean(f_pred**2)
            self.optimizer_Adam.zero_grad()
            loss.backward()
            self.optimizer_Adam.step()
        self.optimizer.step(self.loss_func)

    def predict(self, X):
        x = torch.tensor(X, requires_grad=True).float()
        self.dnn.eval()
        return self.dnn(x).detach().cpu().numpy()


X = np.linspace(0, 1, 10)[:, None]
model = PhysicsInformedNN(X, np.sin(X))
model.train(3)
error = np.linalg.norm(np.sin(X) - model.predict(X), 2) / np.linalg.norm(np.sin(X), 2)
print(f"Error u: {error:e}")

"""Two critics share a method with their Backward, and an optimizer; losses become attributes."""

import torch
from torch import nn


class Trainer:
    def __init__(self):
        self.actor = nn.Linear(3, 2)
        self.first, self.second = nn.Linear(2, 1), nn.Linear(2, 1)
        self.actor_optimizer = torch.optim.Adam(self.actor.parameters())
        self.critic_optimizer = torch.optim.Adam(
            [*self.first.parameters(), *self.second.parameters()]
        )

    def train_critics(self, critics, mode):
        for critic in critics:
            for parameter in critic.parameters():
                parameter.requires_grad = mode

    def backward_of_critic(self, critic, made, given):
        loss = (critic(given) - 1).pow(2).mean() + critic(made.detach()).pow(2).mean()
        loss.backward()
        return loss

    def backward_of_critics(self, made, given):
        self.loss_of_first = self.backward_of_critic(self.first, made, given)
        self.loss_of_second = self.backward_of_critic(self.second, made, given)

    def backward_of_actor(self, made):
        self.loss_first = (self.first(made) - 1).pow(2).mean()
        self.loss_second = (self.second(made) - 1).pow(2).mean()
        self.loss_made = (made - 1).abs().mean()
        self.loss_size = made.pow(2).mean()
        self.loss = self.loss_first + self.loss_second + self.loss_made + self.loss_size
        self.loss.backward()

    def train(self, x, given):
        made = self.actor(x)
        self.train_critics([self.first, self.second], False)
        self.actor_optimizer.zero_grad()
        self.backward_of_actor(made)
        self.actor_optimizer.step()
        self.train_critics([self.first, self.second], True)
        self.critic_optimizer.zero_grad()
        self.backward_of_critics(made, given)
        self.critic_optimizer.step()


torch.manual_seed(0)
trainer = Trainer()
for step in range(12):
    trainer.train(torch.randn(4, 3), torch.randn(4, 2))
print(float(trainer.loss.detach()))

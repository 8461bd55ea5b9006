"""Distributions: densities, samples and errors, by themselves and against torch."""

# ruff: noqa: ARG005 - every call takes the library, whether it needs it or not

import math

import numpy as np
import pytest

import gradstep_torch
from gradstep.errors import ArgumentError, ArgumentTypeError, TensorError, UnsupportedError

COVARIANCE = [[2.0, 0.3], [0.3, 0.5]]
MAKERS = {
    "normal": lambda t: t.distributions.Normal(t.tensor([0.5, -1.0]), t.tensor([1.0, 2.0])),
    "normal_numbers": lambda t: t.distributions.Normal(0.5, 2),
    "uniform": lambda t: t.distributions.Uniform(t.tensor([0.0, -1.0]), 2.0),
    "bernoulli": lambda t: t.distributions.Bernoulli(t.tensor([0.25, 0.5, 1.0])),
    "bernoulli_logits": lambda t: t.distributions.Bernoulli(logits=t.tensor([-1.0, 2.0])),
    "categorical": lambda t: t.distributions.Categorical(
        t.tensor([[1.0, 3.0, 0.0], [2.0, 2.0, 4]])
    ),
    "categorical_logits": lambda t: t.distributions.Categorical(logits=t.tensor([0.1, 2.0, -1.0])),
    "exponential": lambda t: t.distributions.Exponential(t.tensor([0.5, 2.0])),
    "laplace": lambda t: t.distributions.Laplace(t.tensor([0.5, -1.0]), t.tensor([1.0, 2.0])),
    "log_normal": lambda t: t.distributions.LogNormal(t.tensor([0.5, -1.0]), 0.5),
    "one_hot": lambda t: t.distributions.OneHotCategorical(t.tensor([[1.0, 3.0], [2.0, 1.0]])),
    "straight_through": lambda t: t.distributions.OneHotCategoricalStraightThrough(
        logits=t.tensor([0.1, 2.0, -1.0])
    ),
    "independent": lambda t: t.distributions.Independent(
        t.distributions.Normal(t.zeros(3, 2), t.ones(3, 2) / 2), 1
    ),
    "multivariate": lambda t: t.distributions.MultivariateNormal(
        t.tensor([1.0, -1.0]), t.tensor(COVARIANCE)
    ),
    "multivariate_precision": lambda t: t.distributions.MultivariateNormal(
        t.zeros(3, 2), precision_matrix=t.tensor(COVARIANCE)
    ),
    "multivariate_factor": lambda t: t.distributions.MultivariateNormal(
        t.zeros(2), scale_tril=t.tensor([[[2.0, 0.0], [1.0, 0.5]]] * 3)
    ),
}


def close(found, expected):
    np.testing.assert_allclose(
        found.detach().numpy(), expected.detach().numpy(), rtol=2e-5, atol=1e-6
    )


@pytest.mark.torch
@pytest.mark.parametrize("name", MAKERS)
def test_samples_densities_and_moments_match_torch(name):
    torch = pytest.importorskip("torch")
    ours, theirs = MAKERS[name](gradstep_torch), MAKERS[name](torch)
    assert (ours.batch_shape, ours.event_shape) == (theirs.batch_shape, theirs.event_shape)
    assert repr(ours).replace("gradstep.", "torch.") == repr(theirs)
    for shape in ((), (4,), (2, 3)):
        gradstep_torch.manual_seed(7)
        torch.manual_seed(7)
        found, expected = ours.sample(shape), theirs.sample(shape)
        assert str(found.dtype).split(".")[1] == str(expected.dtype).split(".")[1]
        close(found, expected)
        close(ours.log_prob(found), theirs.log_prob(expected))
        if ours.has_rsample:
            close(ours.rsample(shape), theirs.rsample(shape))
    close(ours.entropy(), theirs.entropy())
    close(ours.perplexity(), theirs.perplexity())
    for moment in ("mean", "variance", "stddev"):
        close(getattr(ours, moment), getattr(theirs, moment))
    if hasattr(ours, "mode"):
        close(ours.mode, theirs.mode)
    if hasattr(ours, "cdf"):
        close(ours.cdf(ours.mean), theirs.cdf(theirs.mean))


@pytest.mark.torch
def test_divergences_match_torch():
    torch = pytest.importorskip("torch")
    pairs = [
        lambda t: [t.distributions.Normal(0.0, 1.0), t.distributions.Normal(t.ones(2), 2.0)],
        lambda t: [
            t.distributions.Bernoulli(t.tensor([0.0, 0.2, 1.0])),
            t.distributions.Bernoulli(t.tensor([0.5, 0.0, 0.5])),
        ],
        lambda t: [
            t.distributions.Categorical(t.tensor([1.0, 0.0, 1.0])),
            t.distributions.Categorical(t.tensor([2.0, 1.0, 1.0])),
        ],
        lambda t: [
            t.distributions.Uniform(t.tensor([0.0, -1.0]), 1.0),
            t.distributions.Uniform(0.0, 2.0),
        ],
        lambda t: [
            t.distributions.Exponential(t.tensor([0.5, 2.0])),
            t.distributions.Exponential(1.5),
        ],
        lambda t: [t.distributions.Laplace(0.0, 1.0), t.distributions.Laplace(t.ones(2), 2.0)],
        lambda t: [t.distributions.LogNormal(0.0, 1.0), t.distributions.LogNormal(t.ones(2), 2.0)],
        lambda t: [
            MAKERS["multivariate"](t),
            t.distributions.MultivariateNormal(t.zeros(3, 2), t.eye(2) * 2),
        ],
        lambda t: [
            t.distributions.OneHotCategorical(t.tensor([1.0, 0.0, 1.0])),
            t.distributions.OneHotCategorical(t.tensor([2.0, 1.0, 1.0])),
        ],
        lambda t: [
            MAKERS["independent"](t),
            t.distributions.Independent(t.distributions.Normal(t.ones(3, 2), 1.0), 1),
        ],
    ]
    for pair in pairs:
        ours, theirs = pair(gradstep_torch), pair(torch)
        close(
            gradstep_torch.distributions.kl_divergence(*ours),
            torch.distributions.kl_divergence(*theirs),
        )


MIXTURES = {
    "of numbers": lambda t: t.distributions.MixtureSameFamily(
        t.distributions.Categorical(t.tensor([1.0, 3.0])),
        t.distributions.Normal(t.tensor([-1.0, 1.0]), t.tensor([0.5, 1.0])),
    ),
    "of vectors, in batches": lambda t: t.distributions.MixtureSameFamily(
        t.distributions.Categorical(t.tensor([[1.0, 3.0], [2.0, 2.0], [1.0, 0.5]])),
        t.distributions.Independent(
            t.distributions.Normal(t.arange(12.0).reshape(3, 2, 2), t.ones(3, 2, 2)), 1
        ),
    ),
}


@pytest.mark.torch
@pytest.mark.parametrize("name", MIXTURES)
def test_mixtures_match_torch(name):
    torch = pytest.importorskip("torch")
    ours, theirs = MIXTURES[name](gradstep_torch), MIXTURES[name](torch)
    assert (ours.batch_shape, ours.event_shape) == (theirs.batch_shape, theirs.event_shape)
    for shape in ((), (4,), (2, 3)):
        gradstep_torch.manual_seed(7)
        torch.manual_seed(7)
        found, expected = ours.sample(shape), theirs.sample(shape)
        close(found, expected)
        close(ours.log_prob(found), theirs.log_prob(expected))
    close(ours.mean, theirs.mean)
    close(ours.variance, theirs.variance)


def test_the_density_of_a_mixture_is_checked_against_the_support_of_its_components():
    components = gradstep_torch.distributions.LogNormal(gradstep_torch.zeros(2), 1.0)
    mixture = gradstep_torch.distributions.MixtureSameFamily(
        gradstep_torch.distributions.Categorical(gradstep_torch.ones(2)), components
    )
    with pytest.raises(ArgumentError, match="within the support"):
        mixture.log_prob(gradstep_torch.tensor(-1.0))


@pytest.mark.parametrize("kind", ["Exponential", "Laplace", "LogNormal", "Normal"])
def test_gradients_of_samples_and_densities_are_those_of_their_formulas(kind):
    parameters = [
        gradstep_torch.tensor([0.7, 1.3], dtype=gradstep_torch.float64, requires_grad=True)
        for _ in range(1 if kind == "Exponential" else 2)
    ]

    def drawn(*values):
        gradstep_torch.manual_seed(3)
        return getattr(gradstep_torch.distributions, kind)(*values).rsample((3,))

    def dense(*values):
        found = getattr(gradstep_torch.distributions, kind)(*values)
        return found.log_prob(gradstep_torch.tensor([0.4, 2.0], dtype=gradstep_torch.float64))

    assert gradstep_torch.autograd.gradcheck(drawn, parameters)
    assert gradstep_torch.autograd.gradcheck(dense, parameters)


def test_a_straight_through_sample_gives_its_gradient_to_the_probabilities():
    probs = gradstep_torch.tensor([0.25, 0.75], requires_grad=True)
    found = gradstep_torch.distributions.OneHotCategoricalStraightThrough(probs).rsample()
    assert sorted(found.tolist()) == [0.0, 1.0]
    (found * gradstep_torch.tensor([1.0, 3.0])).sum().backward()
    assert probs.grad.tolist() == [-1.5, 0.5]


def test_gradients_flow_through_location_scale_samples():
    loc = gradstep_torch.tensor(1.0, requires_grad=True)
    scale = gradstep_torch.tensor(2.0, requires_grad=True)
    gradstep_torch.manual_seed(0)
    normal = gradstep_torch.distributions.Normal(loc, scale)
    drawn = normal.rsample()
    drawn.backward()
    assert loc.grad.item() == 1.0
    assert scale.grad.item() == pytest.approx((drawn.item() - 1.0) / 2.0, rel=1e-6)
    assert not normal.sample().requires_grad


def test_the_score_function_of_a_policy_is_one_minus_its_probability():
    logits = gradstep_torch.zeros(4, requires_grad=True)
    policy = gradstep_torch.distributions.Categorical(logits=logits)
    policy.log_prob(gradstep_torch.tensor(2)).backward()
    assert logits.grad.tolist() == [-0.25, -0.25, 0.75, -0.25]


def test_a_density_integrates_to_one():
    x = gradstep_torch.linspace(-9, 9, 2001, dtype=gradstep_torch.float64)
    normal = gradstep_torch.distributions.Normal(
        gradstep_torch.tensor(0.5, dtype=gradstep_torch.float64), 1.5
    )
    assert normal.log_prob(x).exp().sum().item() * 18 / 2000 == pytest.approx(1.0, abs=1e-6)
    assert normal.cdf(gradstep_torch.tensor(0.5, dtype=gradstep_torch.float64)).item() == 0.5


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda d, t: d.Normal(0.0, -1.0), r"parameter scale .* GreaterThan\(lower_bound=0.0\)"),
        (lambda d, t: d.Normal("a", 1.0), "instances of Number or Tensor, but one is str"),
        (lambda d, t: d.Normal(float("nan"), 1.0), r"Real\(\), but found invalid values: nan"),
        (lambda d, t: d.Normal(0.0, 1.0).log_prob(1.0), "value argument to log_prob must be a Ten"),
        (lambda d, t: d.Normal(t.zeros(2), 1.0).log_prob(t.ones(3)), "Value is not broadcastable"),
        (lambda d, t: d.Categorical(), "Either `probs` or `logits` must be specified"),
        (lambda d, t: d.Categorical(t.tensor(1.0)), "must be at least one-dimensional"),
        (lambda d, t: d.Categorical(t.tensor([0.5, -0.1])), r"constraint Simplex\(\)"),
        (lambda d, t: d.Categorical(t.ones(3)).log_prob(t.tensor(5)), "upper_bound=2"),
        (lambda d, t: d.Bernoulli(1.5), "parameter probs .* found invalid values: 1.5"),
        (lambda d, t: d.Bernoulli(0.5).log_prob(t.tensor(0.3)), r"support \(Boolean\(\)\)"),
        (lambda d, t: d.Uniform(2.0, 1.0), r"parameter low .* LessThan\(upper_bound=1.0\)"),
        (lambda d, t: d.Uniform(0.0, 1.0).log_prob(t.tensor(1.5)), "within the support"),
        (lambda d, t: d.MultivariateNormal(t.zeros(2), -t.eye(2)), "PositiveDefinite"),
        (lambda d, t: d.Exponential(0.0), r"parameter rate .* GreaterThan\(lower_bound=0.0\)"),
        (lambda d, t: d.Exponential(1.0).log_prob(t.tensor(-1.0)), "within the support"),
        (
            lambda d, t: d.OneHotCategorical(t.ones(2)).log_prob(t.tensor([1.0, 1.0])),
            r"support \(OneHot\(\)\)",
        ),
        (lambda d, t: d.Independent(d.Normal(0.0, 1.0), 1), "reinterpreted_batch_ndims <= len"),
        (
            lambda d, t: d.MixtureSameFamily(d.Categorical(t.ones(3)), d.Normal(t.ones(2), 1.0)),
            r"component` \(3\) does not equal",
        ),
        (
            lambda d, t: d.MixtureSameFamily(t.ones(2), d.Normal(t.ones(2), 1.0)),
            "Mixture distribution needs to be an instance of Categorical, got Tensor",
        ),
        (lambda d, t: d.MultivariateNormal(t.zeros(2)), "Exactly one of covariance_matrix"),
        (lambda d, t: d.MultivariateNormal(t.tensor(0.0), t.eye(2)), "loc must be at least one"),
        (lambda d, t: d.MultivariateNormal(t.zeros(2), t.ones(2)), "at least two-dimensional"),
        (
            lambda d, t: d.MultivariateNormal(t.zeros(2), scale_tril=t.ones(2, 2)),
            "LowerCholesky",
        ),
        (
            lambda d, t: d.MultivariateNormal(t.zeros(2), t.eye(2)).log_prob(t.ones(3)),
            "right-most size of value must match event_shape",
        ),
    ],
)
def test_parameters_and_values_out_of_range_are_rejected(call, message):
    with pytest.raises(ArgumentError, match=message):
        call(gradstep_torch.distributions, gradstep_torch)


def test_checks_can_be_disabled():
    found = gradstep_torch.distributions.Bernoulli(0.5, validate_args=False)
    assert found.log_prob(gradstep_torch.tensor(0.3)).item() == pytest.approx(
        math.log(0.5), rel=1e-6
    )


def test_an_unsupported_method_is_reported():
    bernoulli = gradstep_torch.distributions.Bernoulli(0.5)
    with pytest.raises(UnsupportedError, match=r"Bernoulli has no rsample\(\)"):
        bernoulli.rsample()
    with pytest.raises(UnsupportedError, match="no KL divergence of Bernoulli from Normal"):
        gradstep_torch.distributions.kl_divergence(
            gradstep_torch.distributions.Normal(0.0, 1.0), bernoulli
        )


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda d, t: d.Normal(t.ones(2), t.ones(3)), TensorError, "must match the size of tensor"),
        (
            lambda d, t: d.MultivariateNormal(t.ones(4, 2), t.eye(2).expand(3, 2, 2)),
            TensorError,
            "must match the size of tensor",
        ),
        (lambda d, t: d.Categorical([0.5, 0.5]), ArgumentTypeError, "`probs` must be a Tensor"),
        (
            lambda d, t: d.MultivariateNormal([0.0], t.eye(1)),
            ArgumentTypeError,
            "`loc` must be a Tensor",
        ),
        (lambda d, t: d.Normal(0.0, 1.0).sample(3), ArgumentTypeError, r"write \(3,\)"),
        (lambda d, t: d.Categorical(t.ones(2)).sample(3), ArgumentTypeError, r"write \(3,\)"),
        (lambda d, t: d.Normal(t.tensor(0), 1.5).sample(), TensorError, "floating-point"),
    ],
)
def test_invalid_arguments_are_rejected_by_name(make, error, words):
    with pytest.raises(error, match=words):
        make(gradstep_torch.distributions, gradstep_torch)

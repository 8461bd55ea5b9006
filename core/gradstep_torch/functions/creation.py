"""torch's names for tensor creation, element types, devices, random numbers and modes."""

from math import e, inf, nan, pi

from gradstep.autograd.creation import (
    arange,
    as_tensor,
    empty,
    empty_like,
    eye,
    from_numpy,
    full,
    full_like,
    numel,
    ones,
    ones_like,
    tensor,
    zeros,
    zeros_like,
)
from gradstep.autograd.devices import (
    device,
    get_default_device,
    set_default_device,
)
from gradstep.autograd.dtypes import (
    dtype,
    get_default_dtype,
    set_default_dtype,
)
from gradstep.autograd.element_types import (
    bool,
    double,
    float,
    float16,
    float32,
    float64,
    half,
    int,
    int8,
    int16,
    int32,
    int64,
    long,
    short,
    uint8,
)
from gradstep.autograd.grad_mode import (
    enable_grad,
    is_grad_enabled,
    no_grad,
    set_grad_enabled,
)
from gradstep.autograd.printing import (
    set_printoptions,
)
from gradstep.autograd.sampling import rand, rand_like, randn, randn_like
from gradstep.autograd.size import (
    Size,
)
from gradstep.autograd.tensor import (
    Tensor,
)
from gradstep.random import initial_seed, manual_seed, seed
from gradstep_torch.autograd.inference import inference_mode, is_inference_mode_enabled
from gradstep_torch.global_settings import (
    are_deterministic_algorithms_enabled,
    set_float32_matmul_precision,
    set_num_threads,
    use_deterministic_algorithms,
)
from gradstep_torch.legacy_tensors import (
    BoolTensor,
    ByteTensor,
    CharTensor,
    DoubleTensor,
    FloatTensor,
    HalfTensor,
    IntTensor,
    LongTensor,
    ShortTensor,
    set_default_tensor_type,
)
from gradstep_torch.ops.creation import linspace, logspace, scalar_tensor
from gradstep_torch.ops.sampling import (
    bernoulli,
    get_rng_state,
    multinomial,
    normal,
    randint,
    randint_like,
    randperm,
    set_rng_state,
)
from gradstep_torch.type_info import finfo, iinfo, is_tensor

newaxis = None

__all__ = [
    "BoolTensor",
    "ByteTensor",
    "CharTensor",
    "DoubleTensor",
    "FloatTensor",
    "HalfTensor",
    "IntTensor",
    "LongTensor",
    "ShortTensor",
    "Size",
    "Tensor",
    "arange",
    "are_deterministic_algorithms_enabled",
    "as_tensor",
    "bernoulli",
    "bool",
    "device",
    "double",
    "dtype",
    "e",
    "empty",
    "empty_like",
    "enable_grad",
    "eye",
    "finfo",
    "float",
    "float16",
    "float32",
    "float64",
    "from_numpy",
    "full",
    "full_like",
    "get_default_device",
    "get_default_dtype",
    "get_rng_state",
    "half",
    "iinfo",
    "inf",
    "inference_mode",
    "initial_seed",
    "int",
    "int8",
    "int16",
    "int32",
    "int64",
    "is_grad_enabled",
    "is_inference_mode_enabled",
    "is_tensor",
    "linspace",
    "logspace",
    "long",
    "manual_seed",
    "multinomial",
    "nan",
    "newaxis",
    "no_grad",
    "normal",
    "numel",
    "ones",
    "ones_like",
    "pi",
    "rand",
    "rand_like",
    "randint",
    "randint_like",
    "randn",
    "randn_like",
    "randperm",
    "scalar_tensor",
    "seed",
    "set_default_device",
    "set_default_dtype",
    "set_default_tensor_type",
    "set_float32_matmul_precision",
    "set_grad_enabled",
    "set_num_threads",
    "set_printoptions",
    "set_rng_state",
    "short",
    "tensor",
    "uint8",
    "use_deterministic_algorithms",
    "zeros",
    "zeros_like",
]

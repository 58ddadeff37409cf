"""torchtitan's experts and how it divides them among cards (expert parallelism), for decoders of Transformers."""

import contextlib
import importlib.util
import sys
import types

import torch
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.distributed.tensor import Shard
from torch.distributed.tensor.parallel import parallelize_module


def torchtitan():
    """Of its packages the folders alone: what they import by themselves reads command lines and asks for a GPU."""
    found = importlib.util.find_spec('torchtitan').submodule_search_locations
    for name in ('torchtitan', 'torchtitan.distributed'):
        package = types.ModuleType(name)
        package.__path__ = [f'{path}{name.removeprefix("torchtitan").replace(".", "/")}' for path in found]
        sys.modules[name] = package
    import torchtitan.distributed.expert_parallel as parallel
    import torchtitan.models.moe.moe as experts
    import torchtitan.models.moe.utils as utils
    return parallel, experts, utils


parallel, titan, utils = torchtitan()


def mixture_of(config):
    """torchtitan's layer that computes what the model's own one does."""
    kind = config.model_type
    own = config.to_dict()
    sigmoid = kind in ('deepseek_v3', 'glm4_moe')
    shared = own.get('n_shared_experts') or 0
    experts = own.get('n_routed_experts') or own.get('num_experts') or own['num_local_experts']
    groups = sigmoid and own['n_group'] > 1
    args = titan.MoEArgs(
        num_experts=experts, num_shared_experts=shared, top_k=config.num_experts_per_tok,
        score_func='sigmoid' if sigmoid else 'softmax',
        route_norm=kind in ('mixtral', 'granitemoe') or bool(own.get('norm_topk_prob')),
        route_scale=own.get('routed_scaling_factor') or 1.0, score_before_experts=False,
        num_expert_groups=own['n_group'] if groups else None, num_limited_groups=own['topk_group'] if groups else None)
    return titan.MoE(args, config.hidden_size, own.get('moe_intermediate_size') or config.intermediate_size)


def name_of(layer):
    return 'block_sparse_moe' if hasattr(layer, 'block_sparse_moe') else 'mlp'


def replace_experts(model):
    for layer in model.model.layers:
        if hasattr(getattr(layer, name_of(layer)), 'experts'):
            setattr(layer, name_of(layer), mixture_of(model.config).to(next(model.parameters()).dtype))


def shard(model, case, cards):
    """A second unit of every layer that has experts, fetched with the layer and ahead of it (torchtitan's apply_fsdp)."""
    apart = case.pipeline * case.replicas
    shards = cards // apart
    # Its layer asks for 'ep'.
    mesh = init_device_mesh('cpu', (apart, shards // case.expert, case.expert), mesh_dim_names=('replicate', 'efsdp', 'ep'))
    whole = init_device_mesh('cpu', (apart, shards), mesh_dim_names=('replicate', 'shard'))
    several = case.replicas > 1
    policy = MixedPrecisionPolicy(torch.bfloat16, torch.float32) if case.precision == 'mixed' else MixedPrecisionPolicy()
    its = dict(reshard_after_forward=case.sharding == 'fsdp', mp_policy=policy)
    units = []
    for layer in model.model.layers:
        own = [layer]
        if experts := getattr(getattr(layer, name_of(layer)), 'experts', None):
            parallelize_module(experts, mesh['ep'], parallel.ExpertParallel())
            placement = (lambda _: Shard(1)) if shards > experts.num_experts else None
            fully_shard(experts, mesh=mesh['replicate', 'efsdp'] if several else mesh['efsdp'],
                        shard_placement_fn=placement, **its)
            experts.set_gradient_divide_factor(cards)
            own.append(experts)
        fully_shard(layer, mesh=whole if several else whole['shard'], **its)
        units.append(own)
    fully_shard(model, mesh=whole if several else whole['shard'], mp_policy=policy)
    for own, after in zip(units, units[1:]):
        own[0].set_modules_to_forward_prefetch(after)
        after[0].set_modules_to_backward_prefetch(own)
    return model


class Exchanged(torch.autograd.Function):
    """As many tokens arrive as are sent: all experts are used evenly."""

    @staticmethod
    def forward(ctx, tokens, *_):
        return torch.empty_like(tokens).copy_(tokens)

    @staticmethod
    def backward(ctx, gradient):
        return torch.empty_like(gradient, memory_format=torch.contiguous_format).copy_(gradient), None, None, None


@contextlib.contextmanager
def on_a_cpu():
    histc, single, single_autograd, indices = (torch.histc, parallel.all_to_all_single, parallel.all_to_all_single_autograd,
                                               utils.generate_permute_indices)
    torch.histc = lambda numbers, bins, **_: torch.bincount(numbers, minlength=bins)
    parallel.all_to_all_single = lambda counts, *_, **__: counts.clone()
    parallel.all_to_all_single_autograd = Exchanged.apply
    utils.generate_permute_indices = lambda *args: indices(*args, use_cpu=True)
    try:
        yield
    finally:
        torch.histc, parallel.all_to_all_single, parallel.all_to_all_single_autograd = histc, single, single_autograd
        utils.generate_permute_indices = indices


def clip(weights, longest):
    """Norms of weights on each mesh, then of all (torchtitan's clip_grad_norm_)."""
    meshes = {}
    for weight in weights:
        meshes.setdefault(weight.device_mesh, []).append(weight)
    norms = [torch.nn.utils.get_total_norm([one.grad for one in its], foreach=True).full_tensor() for its in meshes.values()]
    total = sum(norm ** 2.0 for norm in norms) ** 0.5
    for its in meshes.values():
        torch.nn.utils.clip_grads_with_norm_(its, longest, total, foreach=True)

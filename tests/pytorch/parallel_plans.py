"""How torchtitan divides Llama's products among cards (tensor parallelism), for decoders of Transformers."""

from torch.distributed.tensor import Replicate, Shard
from torch.distributed.tensor.parallel import (ColwiseParallel, PrepareModuleInput, RowwiseParallel, SequenceParallel,
                                               parallelize_module)

TEXT = Shard(1)  # of [batch, tokens, width]: what lies between the products
OUTSIDE = {'model.embed_tokens': RowwiseParallel(input_layouts=Replicate(), output_layouts=TEXT, use_local_output=False),
           'model.norm': SequenceParallel(),
           'lm_head': ColwiseParallel(input_layouts=TEXT, output_layouts=Shard(-1), use_local_output=False)}
INSIDE = {'input_layernorm': SequenceParallel(),
          'self_attn': PrepareModuleInput(input_kwarg_layouts={'hidden_states': TEXT},
                                          desired_input_kwarg_layouts={'hidden_states': Replicate()}),
          'post_attention_layernorm': SequenceParallel(),
          'mlp': PrepareModuleInput(input_layouts=TEXT, desired_input_layouts=Replicate())}
BY_COLUMNS = ('self_attn.q_proj', 'self_attn.k_proj', 'self_attn.v_proj', 'mlp.gate_proj', 'mlp.up_proj')
BY_ROWS = ('self_attn.o_proj', 'mlp.down_proj')
OF_HEADS = ('q_norm', 'k_norm')


def divide(model, mesh):
    modules = dict(model.named_modules())
    parallelize_module(model, mesh, {name: how for name, how in OUTSIDE.items() if name in modules})
    if model.config.tie_word_embeddings:
        model.lm_head.weight = model.model.embed_tokens.weight
    for layer in model.model.layers:
        plan = INSIDE | {name: ColwiseParallel() for name in BY_COLUMNS}
        plan |= {name: RowwiseParallel(output_layouts=TEXT, use_local_output=False) for name in BY_ROWS}
        plan |= {f'self_attn.{name}': SequenceParallel(sequence_dim=2, use_local_output=True)
                 for name in OF_HEADS if hasattr(layer.self_attn, name)}
        parallelize_module(layer, mesh, plan)

"""What `sharded_steps.py` compares: models, and ways to train them on one of several cards."""

import collections
import tempfile

import transformers as tf

SIZES = dict(num_hidden_layers=6, hidden_size=512, num_attention_heads=8, num_key_value_heads=4, head_dim=64,
             intermediate_size=1536, max_position_embeddings=2048)
NARROW = dict(intermediate_size=512)  # of every expert
LATENT = dict(vocab_size=4096, head_dim=32, num_key_value_heads=8, kv_lora_rank=128, qk_nope_head_dim=64, qk_rope_head_dim=32,
              v_head_dim=64, n_routed_experts=16, num_experts_per_tok=4, moe_intermediate_size=512, n_shared_experts=2,
              first_k_dense_replace=1)
MODELS = {'llama': dict(SIZES, model_type='llama', vocab_size=8192),
          'llama, many words': dict(SIZES, model_type='llama', vocab_size=65536, tie_word_embeddings=True),
          'qwen3': dict(SIZES, model_type='qwen3', vocab_size=16384, tie_word_embeddings=True),
          'qwen3, own head': dict(SIZES, model_type='qwen3', vocab_size=16384, tie_word_embeddings=False),
          'gemma': dict(SIZES, model_type='gemma', vocab_size=16384),
          'gpt_neox': dict(SIZES, model_type='gpt_neox', vocab_size=16384),
          'phi3': dict(SIZES, model_type='phi3', vocab_size=16384, pad_token_id=0),
          'qwen3_moe': dict(SIZES, model_type='qwen3_moe', vocab_size=4096, num_experts=16, num_experts_per_tok=2,
                            moe_intermediate_size=512, norm_topk_prob=True),
          'mixtral, 4 experts': dict(SIZES | NARROW, model_type='mixtral', vocab_size=4096, num_local_experts=4,
                                     num_experts_per_tok=2),
          'olmoe': dict(SIZES | NARROW, model_type='olmoe', vocab_size=4096, num_experts=32, num_experts_per_tok=4,
                        norm_topk_prob=False),
          'granitemoe': dict(SIZES | NARROW, model_type='granitemoe', vocab_size=4096, num_local_experts=16, num_experts_per_tok=4,
                             tie_word_embeddings=True),
          'glm4_moe': dict(SIZES, model_type='glm4_moe', vocab_size=4096, n_routed_experts=16, num_experts_per_tok=4,
                           moe_intermediate_size=512, n_shared_experts=1, first_k_dense_replace=1),
          'deepseek_v3': dict(SIZES | LATENT, model_type='deepseek_v3', q_lora_rank=256, n_group=4, topk_group=2),
          'deepseek_v2': dict(SIZES | LATENT, model_type='deepseek_v2', q_lora_rank=None, topk_method='greedy'),
          'gpt_oss': dict(SIZES | NARROW, model_type='gpt_oss', vocab_size=4096, num_local_experts=16, num_experts_per_tok=4,
                          sliding_window=128),
          'llama4': dict(SIZES, model_type='llama4_text', vocab_size=4096, intermediate_size=512, intermediate_size_mlp=1536,
                         num_local_experts=4, num_experts_per_tok=1, interleave_moe_layer_step=2),
          'gemma4': dict(SIZES, model_type='gemma4_text', vocab_size=16384, sliding_window=128, attention_k_eq_v=True,
                         global_head_dim=128, num_global_key_value_heads=2, hidden_size_per_layer_input=0),
          'gemma3': dict(SIZES, model_type='gemma3_text', vocab_size=16384, sliding_window=128),
          'glm4': dict(SIZES, model_type='glm4', vocab_size=16384, pad_token_id=0),
          'olmo2': dict(SIZES, model_type='olmo2', vocab_size=16384),
          'smollm3': dict(SIZES, model_type='smollm3', vocab_size=16384, tie_word_embeddings=True, pad_token_id=0),
          'ministral3': dict(SIZES, model_type='ministral3', vocab_size=16384),
          'lfm2': dict({k: v for k, v in SIZES.items() if k != 'head_dim'}, model_type='lfm2', vocab_size=16384,
                       full_attn_idxs=[1, 2, 5]),
          'bert': dict(SIZES, model_type='bert', vocab_size=16384, num_labels=5, hidden_dropout_prob=0.0,
                       attention_probs_dropout_prob=0.0)}
OTHERS = ('gpt_neox', 'phi3', 'bert')  # families that have fewer rows
ADAPTED = {'llama': ['q_proj', 'v_proj'], 'qwen3': ['q_proj', 'v_proj'], 'bert': ['query', 'value']}  # with LoRA
DIVIDED = ('llama', 'llama, many words', 'qwen3')  # by tensor parallelism
# Whose experts are divided, in "mixed" precision, too: fp32 shards that are gathered in bf16, as torchtitan's are.
MIXTURES = ('qwen3_moe', 'mixtral, 4 experts')
# Others compute theirs alike.
ALIKE = ('olmoe', 'granitemoe', 'glm4_moe', 'deepseek_v3', 'deepseek_v2')
# Families that have fewer rows still.
LATER = ('gpt_oss', 'llama4', 'gemma4', 'gemma3', 'glm4', 'olmo2', 'smollm3', 'ministral3', 'lfm2')
Case = collections.namedtuple('Case', 'model sharding precision batch length checkpointing lora replicas method tensor context selective '
                              'pipeline rank schedule microbatches expert quantization',
                              defaults=[0, 1, 'supervised', 1, 1, False, 1, -1, '1f1b', 1, 1, 'none'])


def whole_modules(case):
    """What peft trains whole beside adapters: "whole, embed_tokens, lm_head"."""
    return case.method.split(', ')[1:] if case.method.startswith('whole') else None


def attention_of(case):
    return 'sdpa' if getattr(case, 'context', 1) > 1 or getattr(case, 'selective', False) else 'eager'


def config_of(case):
    values = dict(MODELS[case.model])
    return tf.AutoConfig.for_model(values.pop('model_type'), **values, attn_implementation=attention_of(case), use_cache=False)


def quantized(model, case):
    """As everybody loads it: by transformers and bitsandbytes, which packs on a CPU, too."""
    settings = tf.BitsAndBytesConfig(
        load_in_8bit=case.quantization == 'int8', load_in_4bit=case.quantization != 'int8', bnb_4bit_quant_type='nf4',
        bnb_4bit_use_double_quant=case.quantization == 'nf4_double', bnb_4bit_compute_dtype=model.dtype,
        bnb_4bit_quant_storage=model.dtype, llm_int8_threshold=0.0)
    with tempfile.TemporaryDirectory() as folder:
        model.should_save_on_this_rank = lambda *_: True  # there is one process
        model.save_pretrained(folder)
        return type(model).from_pretrained(folder, quantization_config=settings, dtype='auto', device_map={'': 'cpu'},
                                           attn_implementation=attention_of(case), use_cache=False)


def cases():
    for model in LATER:
        yield Case(model, 'ddp', 'bf16', 2, 256, True)
        yield Case(model, 'fsdp', 'bf16', 2, 256, True)
        yield Case(model, 'fsdp', 'fp32', 4, 256, False)
        yield Case(model, 'fsdp', 'bf16', 4, 256, False, 8)
        if model != 'llama4':  # TRL finds no hidden states in it
            yield Case(model, 'fsdp', 'bf16', 2, 256, True, method='dpo')
    for model in MODELS:
        if model in MIXTURES + ALIKE + LATER:
            continue
        for sharding in ('none', 'ddp', 'fsdp'):
            yield Case(model, sharding, 'fp32', 4, 256, False)
            yield Case(model, sharding, 'bf16', 2, 128, True)
            if model not in OTHERS:
                yield Case(model, sharding, 'bf16', 4, 256, False)
                yield Case(model, sharding, 'fp32', 1, 64, False)
    for model in ADAPTED:
        for sharding in ('none', 'ddp', 'fsdp'):
            yield Case(model, sharding, 'bf16', 4, 256, False, 8)
            yield Case(model, sharding, 'fp32', 2, 128, True, 8)
    for model in ('llama', 'qwen3'):
        for sharding in ('ddp', 'fsdp'):
            yield Case(model, sharding, 'bf16', 2, 256, True, 8, method='whole, embed_tokens, lm_head')
            yield Case(model, sharding, 'fp32', 2, 256, False, 8, method='whole, embed_tokens')
        yield Case(model, 'fsdp_grad_op', 'bf16', 2, 256, False, 8, method='whole, lm_head')
    for model in ('llama', 'qwen3', 'qwen3_moe', 'mixtral, 4 experts', 'olmoe'):
        for sharding in ('none', 'ddp', 'fsdp'):
            yield Case(model, sharding, 'bf16', 2, 256, False, 8, quantization='nf4_double')
            yield Case(model, sharding, 'bf16', 4, 256, True, 8, quantization='nf4')
    for precision in ('bf16', 'fp32'):  # fewer experts than cards
        yield Case('mixtral, 4 experts', 'fsdp', precision, 2, 256, False)
    for model in ('llama', 'llama, many words', 'qwen3', 'bert'):
        yield Case(model, 'fsdp_grad_op', 'fp32', 4, 256, False)
        yield Case(model, 'fsdp_grad_op', 'bf16', 2, 128, True)
        if model in ADAPTED:
            yield Case(model, 'fsdp_grad_op', 'bf16', 4, 256, False, 8)
        yield Case(model, 'fsdp', 'fp32', 4, 256, False, replicas=2)
        yield Case(model, 'fsdp', 'bf16', 2, 128, True, replicas=4)
    for model in ('llama', 'llama, many words', 'qwen3'):
        for sharding in ('fsdp', 'fsdp_grad_op'):
            yield Case(model, sharding, 'bf16', 2, 128, True, method='dpo')
            if model in ADAPTED:
                yield Case(model, sharding, 'bf16', 2, 256, True, 8, method='dpo')
        yield Case(model, 'fsdp', 'fp32', 2, 256, False, method='dpo')
        yield Case(model, 'fsdp', 'bf16', 2, 256, False, method='dpo, by_layer')
        yield Case(model, 'fsdp', 'bf16', 4, 256, True, method='kto')
    yield Case('llama', 'ddp', 'bf16', 2, 128, True, method='dpo')
    yield Case('llama', 'ddp', 'fp32', 2, 256, False, method='dpo')
    for model in DIVIDED:
        for tensor in (2, 4):
            yield Case(model, 'fsdp', 'fp32', 4, 256, False, tensor=tensor)
            yield Case(model, 'fsdp', 'bf16', 2, 128, True, tensor=tensor)
            yield Case(model, 'fsdp', 'bf16', 4, 256, False, tensor=tensor)
    for model in ('llama', 'qwen3'):
        yield Case(model, 'fsdp', 'fp32', 4, 256, False, replicas=2, tensor=2)
        yield Case(model, 'fsdp', 'bf16', 2, 128, True, replicas=2, tensor=2)
    for model in DIVIDED:
        for context in (2, 4):
            yield Case(model, 'fsdp', 'bf16', 2, 2048, True, context=context)
            yield Case(model, 'fsdp', 'bf16', 1, 1024, False, context=context)
    for model in ('llama', 'qwen3'):
        yield Case(model, 'fsdp', 'bf16', 2, 2048, True, 8, context=2)
        yield Case(model, 'fsdp', 'bf16', 2, 2048, False, replicas=2, context=2)
        yield Case(model, 'fsdp', 'bf16', 2, 2048, True, tensor=2, context=2)
        yield Case(model, 'fsdp', 'bf16', 2, 2048, False, tensor=2, context=4)
    for model in DIVIDED:
        for sharding in ('none', 'fsdp'):
            yield Case(model, sharding, 'bf16', 2, 256, True, selective=True)
            yield Case(model, sharding, 'bf16', 1, 1024, True, selective=True)
    for pipeline, schedule, microbatches in ((2, '1f1b', 4), (4, '1f1b', 8), (4, 'gpipe', 4), (2, 'interleaved_1f1b', 4)):
        for rank in sorted({0, 1, pipeline - 1}):
            its = dict(pipeline=pipeline, rank=rank, schedule=schedule, microbatches=microbatches)
            yield Case('llama', 'none', 'bf16', 2, 256, True, **its)
            yield Case('llama', 'fsdp', 'bf16', 2, 256, False, **its)
            yield Case('llama', 'fsdp_grad_op', 'bf16', 2, 256, True, **its)
            yield Case('qwen3, own head', 'fsdp_grad_op', 'fp32', 1, 256, False, **its)
    for rank in (0, 1):
        its = dict(pipeline=2, rank=rank, microbatches=4)
        yield Case('llama', 'fsdp_grad_op', 'bf16', 2, 512, True, tensor=2, **its)
        yield Case('qwen3, own head', 'fsdp_grad_op', 'bf16', 2, 512, False, tensor=2, **its)
        yield Case('llama', 'fsdp_grad_op', 'bf16', 1, 1024, True, context=2, **its)
        yield Case('llama', 'fsdp_grad_op', 'bf16', 1, 1024, False, tensor=2, context=2, **its)
    for model in MIXTURES:
        for expert in (2, 4, 8) if model == 'qwen3_moe' else (2, 4):
            yield Case(model, 'fsdp', 'bf16', 2, 256, False, expert=expert)
            yield Case(model, 'fsdp', 'bf16', 2, 256, True, expert=expert)
            yield Case(model, 'fsdp_grad_op', 'bf16', 2, 256, True, expert=expert)
    for model in ALIKE:
        yield Case(model, 'fsdp', 'bf16', 2, 256, False, expert=4)
        yield Case(model, 'fsdp', 'bf16', 4, 256, True, expert=2)
    for model in MIXTURES:
        yield Case(model, 'fsdp', 'bf16', 4, 256, True, replicas=2, expert=2)
        yield Case(model, 'fsdp', 'bf16', 2, 256, False, replicas=2, expert=4)
        yield Case(model, 'fsdp', 'mixed', 2, 256, True, expert=2)
        yield Case(model, 'fsdp', 'mixed', 2, 256, False, expert=4)
    yield Case('qwen3_moe', 'fsdp', 'mixed', 2, 256, True, expert=8)
    yield Case('qwen3_moe', 'fsdp', 'bf16', 2, 2048, True, context=2, expert=4)
    yield Case('qwen3_moe', 'fsdp', 'bf16', 2, 1024, False, context=2, expert=2)
    for rank in (0, 1):
        its = dict(pipeline=2, rank=rank, microbatches=4, expert=2)
        yield Case('qwen3_moe', 'fsdp_grad_op', 'bf16', 2, 256, True, **its)
        yield Case('qwen3_moe', 'fsdp_grad_op', 'mixed', 2, 256, False, **its)
        yield Case('qwen3_moe', 'fsdp', 'bf16', 2, 256, True, **its)

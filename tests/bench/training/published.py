#!/usr/bin/env python3
"""Published measurements of training runs, against the estimates of the same runs.

    tests/bench/training/published.py [--bin build/release/bin] [--record]

Every row names its source. Rows of older software are shown and counted separately: their code kept more, or other,
tensors than the modelled versions. The Transformers page of 2022 had zeroed gradients and attention that keeps more;
bitsandbytes before 0.43.2 held the inputs of frozen 4-bit layers (its CHANGELOG). LitGPT's and torchtune's model code
differs from that of Transformers, too; those rows count, because users run these tools. Rows of states alone are not
whole runs and have a separate line, and so have runs that were compiled or computed in FP8, neither of which is modelled:
their errors are the range that an answer names for `compile` and `fp8`.
"""

import collections
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import results  # noqa: E402

MB, GB, MIB, GIB = 1e6, 1e9, 2 ** 20, 2 ** 30
Row = collections.namedtuple('Row', 'source run figure published args kind', defaults=[None])
OLDER, RUNS, STATES = 'runs of older software', 'whole runs', 'weights and states alone'
TUNERS = 'runs of torchtune, torchtitan and axolotl'  # not compiled
COMPILED = 'compiled runs of torchtune and torchtitan, some in FP8'

LITGPT = 'LitGPT, tutorials/resource-tables.md (A100 40 GB, PyTorch 2.1, longest sample 1304 tokens)'
LITGPT_HUB = 'LitGPT, config_hub/finetune/README.md (A10G, samples of at most 512 tokens)'
STABLELM_LENGTH = 1034  # of its tokenizer's longest sample
ANATOMY = 'Transformers, docs "performance", v4.16 (V100, BERT large, 512 tokens, context of 1343 MiB)'
PAPER = 'Rajbhandari et al. 2020, ZeRO, table 1 (7.5 billion parameters; states alone)'
TORCHTUNE = 'torchtune, README (batch of 2 packed rows, A100; peak of active memory)'
TITAN = 'torchtitan, benchmarks/llama3_h100_202412_torchtitan.md (H100 96 GB; peak of reserved memory)'
AXOLOTL = 'axolotl, examples/*/README.md ("about", reserved; 2 packed rows of 2048 tokens, rank 32, Cut Cross-Entropy)'
HEADS = ['q_proj', 'v_proj']
NEOX = dict(model_type='gpt_neox', architectures=['GPTNeoXForCausalLM'], vocab_size=50688, hidden_size=4096,
            num_hidden_layers=16, num_attention_heads=32, intermediate_size=16384, rotary_pct=0.25,
            max_position_embeddings=4096, use_parallel_residual=True, tie_word_embeddings=False)
LLAMA_13B = dict(model_type='llama', architectures=['LlamaForCausalLM'], vocab_size=32000, hidden_size=5120,
                 num_hidden_layers=40, num_attention_heads=40, num_key_value_heads=40, intermediate_size=13824,
                 hidden_act='silu', tie_word_embeddings=False)
MISTRAL = dict(model_type='mistral', architectures=['MistralForCausalLM'], vocab_size=32000, hidden_size=4096,
               num_hidden_layers=32, num_attention_heads=32, num_key_value_heads=8, intermediate_size=14336,
               hidden_act='silu', tie_word_embeddings=False, sliding_window=4096)
GEMMA_2B = dict(model_type='gemma', architectures=['GemmaForCausalLM'], vocab_size=256000, hidden_size=2048,
                num_hidden_layers=18, num_attention_heads=8, num_key_value_heads=1, intermediate_size=16384,
                head_dim=256)
LLAMA_3B = dict(model_type='llama', architectures=['LlamaForCausalLM'], vocab_size=128256, hidden_size=3072,
                num_hidden_layers=28, num_attention_heads=24, num_key_value_heads=8, head_dim=128, intermediate_size=8192,
                hidden_act='silu', tie_word_embeddings=True)
LLAMA_70B = dict(model_type='llama', architectures=['LlamaForCausalLM'], vocab_size=128256, hidden_size=8192,
                 num_hidden_layers=80, num_attention_heads=64, num_key_value_heads=8, intermediate_size=28672,
                 hidden_act='silu', tie_word_embeddings=False)
LLAMA_405B = {**LLAMA_70B, 'hidden_size': 16384, 'num_hidden_layers': 126, 'num_attention_heads': 128,
              'intermediate_size': 53248}
MISTRAL_24B = {**MISTRAL, 'vocab_size': 131072, 'hidden_size': 5120, 'num_hidden_layers': 40, 'head_dim': 128,
               'intermediate_size': 32768, 'sliding_window': None}
MINISTRAL_8B = {**MISTRAL, 'vocab_size': 131072, 'num_hidden_layers': 36, 'head_dim': 128, 'intermediate_size': 12288,
                'sliding_window': None}
QWEN_1B5 = dict(model_type='qwen2', architectures=['Qwen2ForCausalLM'], vocab_size=151936, hidden_size=1536,
                num_hidden_layers=28, num_attention_heads=12, num_key_value_heads=2, intermediate_size=8960,
                hidden_act='silu', tie_word_embeddings=True)


def args(model, length, batch, gpu='a100_40gb', cluster=None, **training):
    model = {'config': model} if isinstance(model, dict) else {'preset': model}
    training = {'precision': 'bf16', 'clip': False, 'optimizer_kernel': 'foreach', **training}
    if training.get('optimizer', 'adamw') != 'adamw':
        del training['optimizer_kernel']  # only AdamW has several
    out = {'model': model, 'gpus': [gpu], 'what_ifs': False,
           'training': {'sequence_length': length, 'batch': batch, **training}}
    return {**out, 'cluster': cluster} if cluster else out


def lit(source, name, published, model, length, batch, rank, dropout, modules, quantization='none'):
    """LoRA as LitGPT does it: weights and adapters in bf16 (`--precision bf16-true`), max_memory_allocated."""
    lora = {'rank': rank, 'dropout': dropout, 'dtype': 'model'}
    lora |= {'targets': 'all_linear'} if modules is None else {'modules': modules}
    return Row(source, name, 'peak_allocated_bytes', published * GB,
               args(model, length, batch, lora=lora, quantization=quantization, target=8),
               OLDER if quantization != 'none' else None)


def anatomy(name, mib, batch, **training):
    return Row(ANATOMY, name, 'anatomy', mib * MIB,
               args('bert-large', 512, batch, 'v100_16gb', attention='eager', clip=True, optimizer_kernel='single',
                    **{'precision': 'fp32', **training}), OLDER)


def tune(name, gib, model, length, kind=COMPILED, **training):
    """torchtune's recipes for one GPU: everything in bf16, AdamW's fused kernel, adapters on all but keys."""
    if rank := training.pop('rank', 0):
        training['lora'] = {'rank': rank, 'dropout': 0.0, 'dtype': 'model',
                            'modules': [*HEADS, 'o_proj', 'gate_proj', 'up_proj', 'down_proj']}
    return Row(TORCHTUNE, name, 'peak_allocated_bytes', gib * GIB,
               args(model, length, 2, 'a100_80gb', optimizer_kernel='fused', compile=kind == COMPILED, **training), kind)


def axolotl(name, published, model, dropout=0.05, **training):
    lora = {'rank': 32, 'dropout': dropout, 'targets': 'all_linear'}
    return Row(AXOLOTL, name, 'peak_reserved_bytes', published,
               args(model, 2048, 2, 'a100_80gb', lora=lora, quantization='nf4_double', packed=True, fused_loss=True,
                    checkpointing=True, clip=True, attention='flash_attention_2', target=8, **training), TUNERS)


def titan(name, gib, model, length, batch, cards, compiled=True, fp8=True, cluster=None, **training):
    """torchtitan, whose segments expand."""
    run = args(model, length, batch, 'h200', {'cards': cards, 'sharding': 'fsdp', 'fp32_reduce': True, **(cluster or {})},
               precision='bf16_autocast', checkpointing=True, clip=True, optimizer_kernel='foreach', compile=compiled, fp8=fp8,
               **training)
    if 'pipeline_parallel' not in (cluster or {}):  # which needs the logits of every micro-batch
        run['training']['free_logits'] = True
    return Row(TITAN, name, 'peak_reserved_bytes', gib * GIB, {**run, 'allocator': {'expandable_segments': True}},
               COMPILED if compiled else TUNERS)


def rows():
    chunked = {'fused_loss': True}  # the nearest to a loss from chunks of the logits
    recomputed = {**chunked, 'checkpointing': True}
    early = {**recomputed, 'optimizer_in_backward': True}
    yield tune('Llama 3.2 3B, full, not compiled', 60.0, LLAMA_3B, 4096, TUNERS, free_logits=True)
    yield tune('Llama 3.2 3B, loss in chunks', 42.9, LLAMA_3B, 4096, **chunked)
    yield tune('  and recomputation', 24.9, LLAMA_3B, 4096, **recomputed)
    yield tune('  and updates in backward', 23.1, LLAMA_3B, 4096, **early)
    yield tune('  and recomputation, LoRA', 8.5, LLAMA_3B, 4096, rank=64, **recomputed)
    yield tune('  and recomputation, QLoRA', 4.6, LLAMA_3B, 4096, rank=64, quantization='nf4_double', **recomputed)
    yield tune('Llama 3.1 8B, full, paged 8-bit AdamW', 18.9, 'llama-8b', 2048, optimizer='paged_adamw_8bit', **early)
    yield tune('Llama 3.1 8B, LoRA', 16.2, 'llama-8b', 2048, rank=8, **recomputed)
    yield tune('Llama 3.1 8B, LoRA, no recomputation', 30.3, 'llama-8b', 2048, rank=8, **chunked)
    yield tune('Llama 3.1 8B, QLoRA', 7.4, 'llama-8b', 2048, rank=8, quantization='nf4_double', **recomputed)
    eight_bit = {'optimizer': 'adam_8bit'}
    yield axolotl('Devstral Small 24B', 21 * GB, MISTRAL_24B, 0)
    yield axolotl('Magistral Small 24B, 2506', 24 * GB, MISTRAL_24B, **eight_bit)
    yield axolotl('Magistral Small 24B, 2507', 19.1 * GIB, MISTRAL_24B, **eight_bit)
    yield axolotl('Ministral 8B', 8.76 * GIB, MINISTRAL_8B, **eight_bit)
    for cards, plain, compiled, fp8 in [(8, 82.4, 77.0, 76.8), (128, 67.0, 62.0, 61.8)]:
        for what, gib, how in [(', not compiled', plain, (False, False)), ('', compiled, (True, False)), (', FP8', fp8, (True, True))]:
            yield titan(f'Llama 3.1 8B, FSDP {cards}, selective{what}', gib, 'llama-8b', 8192, 2, cards, *how,
                        selective_checkpointing=True)
    for shards, context, gib in [(8, 1, 83.9), (4, 2, 84.2), (2, 4, 84.0), (1, 8, 84.5)]:
        yield titan(f'Llama 3.1 8B, FSDP {shards}, CP {context}', gib, 'llama-8b', 32768 * context, 1, 8,
                    cluster={'context_parallel': context})
    for name, gib in [('', 71.9), (', AsyncTP', 67.6)]:
        yield titan(f'Llama 3.1 70B, FSDP 32, TP 8{name}', gib, LLAMA_70B, 8192, 16, 256, cluster={'tensor_parallel': 8})
    # As many micro-batches as stages, its default then. "We take the maximum across all GPUs."
    divided = {'tensor_parallel': 8, 'pipeline_parallel': 8, 'microbatches': 8, 'sharding': 'fsdp_grad_op'}
    for schedule, gib in [('1f1b', 82.5), ('interleaved_1f1b', 72.7)]:
        yield titan(f'Llama 3.1 405B, FSDP 8, TP 8, PP 8, {schedule}', gib, LLAMA_405B, 8192, 4, 512,
                    cluster={**divided, 'schedule': schedule})
    for context, gib in [(1, 75.3), (2, 75.9), (4, 77.1), (8, 84.9)]:
        yield titan(f'Llama 3.1 405B, FSDP {8 // context}, CP {context}, TP 8, PP 8', gib, LLAMA_405B, 32768 * context, 1, 512,
                    cluster={**divided, 'context_parallel': context})
    for name, published, batch, quantization in [
            ('Llama 2 7B, batch 1', 21.30, 1, 'none'), ('Llama 2 7B, batch 2', 29.07, 2, 'none'),
            ('Llama 2 7B, nf4', 14.14, 1, 'nf4'), ('Llama 2 7B, nf4-dq', 13.84, 1, 'nf4_double')]:
        yield lit(LITGPT, name, published, 'llama-7b', 1304, batch, 8, 0.05, HEADS, quantization)
    for name, published, quantization in [('Llama 2 13B, batch 1', 38.12, 'none'), ('Llama 2 13B, nf4', 23.14, 'nf4'),
                                          ('Llama 2 13B, nf4-dq', 22.55, 'nf4_double')]:
        yield lit(LITGPT, name, published, LLAMA_13B, 1304, 1, 8, 0.05, HEADS, quantization)
    for name, published, batch, quantization in [
            ('StableLM 3B, batch 1', 9.69, 1, 'none'), ('StableLM 3B, batch 2', 12.10, 2, 'none'),
            ('StableLM 3B, batch 4', 16.92, 4, 'none'), ('StableLM 3B, nf4', 6.35, 1, 'nf4'),
            ('StableLM 3B, nf4-dq', 6.19, 1, 'nf4_double')]:
        yield lit(LITGPT, name, published, NEOX, STABLELM_LENGTH, batch, 8, 0.05, ['query_key_value'], quantization)
    for name, published, model, batch, rank, modules, quantization in [
            ('Llama 2 7B, LoRA', 19.77, 'llama-7b', 2, 32, HEADS, 'none'),
            ('Llama 2 7B, QLoRA', 13.68, 'llama-7b', 2, 32, HEADS, 'nf4'),
            ('Llama 3 8B, LoRA', 19.73, 'llama-8b', 1, 32, HEADS, 'none'),
            ('Llama 3 8B, QLoRA', 17.41, 'llama-8b', 2, 32, HEADS, 'nf4'),
            ('Mistral 7B, LoRA', 20.66, MISTRAL, 2, 32, HEADS, 'none'),
            ('Mistral 7B, QLoRA', 14.29, MISTRAL, 2, 32, HEADS, 'nf4'),
            ('StableLM 3B, LoRA', 8.58, NEOX, 1, 32, ['query_key_value'], 'none'),
            ('TinyLlama 1.1B, LoRA', 13.50, 'llama-1b', 8, 32, None, 'none'),
            ('TinyLlama 1.1B, QLoRA', 16.24, 'llama-1b', 8, 32, None, 'nf4')]:
        yield lit(LITGPT_HUB, name, published, model, 512, batch, rank, 0.05, modules, quantization)
    yield lit(LITGPT_HUB, 'Gemma 2B, LoRA', 12.62, GEMMA_2B, 512, 2, 8, 0.1, None)
    yield lit(LITGPT_HUB, 'Gemma 2B, QLoRA', 11.58, GEMMA_2B, 512, 2, 16, 0.1, None, 'nf4')
    yield Row(LITGPT_HUB, 'TinyLlama 1.1B, full', 'peak_allocated_bytes', 14.10 * GB,
              args('llama-1b', 512, 4, target=32))
    yield Row('torchtune, pull request 389 (length not stated: 512 assumed)', 'Llama 2 7B, full, SGD',
              'peak_allocated_bytes', 27.83 * GB, args('llama-7b', 512, 1, optimizer='sgd'))
    yield Row('Hugging Face forum 172332 (PyTorch 2.9, "about")', 'GPT-2, batch 8, fp32', 'peak_allocated_bytes',
              8 * GIB, args('gpt2', 512, 8, precision='fp32', clip=True, optimizer_kernel='fused'))
    yield Row('Hugging Face blog "train_memory" (5 x 4 bytes a parameter)', 'Qwen2.5 1.5B, fp32', 'peak_allocated_bytes',
              30.87 * GB, args(QWEN_1B5, 128, 2, 'a100_80gb', precision='fp32'))
    for figure, published in [('weights', 413.18 * MIB), ('states', 1.61 * GIB)]:
        yield Row('Accelerate, docs "model size estimator"', f'BERT base, cased, {figure}', figure, published,
                  args('bert-base-cased', 128, 1, precision='fp32'))
    for cards, sharding, published in [
            (4, 'zero1', 52.5), (4, 'zero2', 41.3), (4, 'zero3', 30.0), (16, 'zero1', 35.6), (16, 'zero2', 21.6),
            (16, 'zero3', 7.5), (64, 'ddp', 120.0), (64, 'zero1', 31.4), (64, 'zero2', 16.6), (64, 'zero3', 1.88)]:
        yield Row(PAPER, f'{sharding}, {cards} cards', 'states of 7.5 billion', published * GB,
                  args('llama-7b', 128, 1, 'h200', {'cards': cards, 'sharding': sharding}, precision='bf16_autocast'))
    yield Row('Dettmers et al. 2023, QLoRA, section 2', 'LLaMA 7B, the 4-bit base', 'weights', 5048 * MB,
              args('llama-7b', 512, 1, lora={'rank': 64, 'dropout': 0.05, 'targets': 'all_linear'},
                   quantization='nf4_double', precision='bf16_autocast'))
    yield anatomy('batch 1 x 4, checkpointing', 6775, 1, checkpointing=True, target=4)
    yield anatomy('batch 1 x 4, checkpointing, fp16', 7275, 1, checkpointing=True, precision='fp16_autocast', target=4)
    yield anatomy('batch 1 x 4, checkpointing, fp16, 8-bit Adam', 5363, 1, checkpointing=True,
                  precision='fp16_autocast', optimizer='adam_8bit', target=4)
    yield anatomy('batch 1 x 4, checkpointing, fp16, Adafactor', 4847, 1, checkpointing=True,
                  precision='fp16_autocast', optimizer='adafactor', target=4)
    yield anatomy('batch 1 x 4', 8681, 1, target=4)
    yield anatomy('batch 4', 14949, 4)
    yield anatomy('batch 4, fp16', 13939, 4, precision='fp16_autocast')
    yield anatomy('batch 4, Adafactor', 12295, 4, optimizer='adafactor')
    yield anatomy('batch 4, 8-bit Adam', 13085, 4, optimizer='adam_8bit')


def answered(program, row):
    given = json.loads(json.dumps(row.args))
    target = given['training'].pop('target', None)
    cluster = given.get('cluster', {})
    copies = cluster.get('cards', 1) * cluster.get('microbatches', 1)
    for divides in ('tensor_parallel', 'context_parallel', 'pipeline_parallel'):
        copies //= cluster.get(divides, 1)
    given['target_effective_batch'] = target or given['training']['batch'] * copies
    with tempfile.NamedTemporaryFile('w', suffix='.json') as file:
        json.dump(given, file)
        file.flush()
        ran = subprocess.run([program, '--json', 'estimate', file.name], capture_output=True, text=True)
    if not ran.stdout:
        raise SystemExit(f'{row.run}: {ran.stderr}')
    return json.loads(ran.stdout)


def figure(row, told):
    card = told['gpus'][0]
    parts = collections.Counter({part['group']: part['bytes'] for part in card['breakdown']})
    states = sum(parts[group] for group in ('weights', 'gradients', 'optimizer'))
    if row.figure == 'weights':
        return parts['weights']
    if row.figure == 'anatomy':
        return card['memory']['peak_reserved_bytes'] + 1343 * MIB
    if row.figure.startswith('states'):
        return states * (7.5e9 / card['parameters'] if 'billion' in row.figure else 1)
    return card['memory'][row.figure]


def main():
    parser = results.arguments(rounds=1, programs=True)
    options = parser.parse_args()
    program = results.programs_of(options, 'plimsoll') / 'plimsoll'
    errors = {RUNS: [], STATES: [], OLDER: [], TUNERS: [], COMPILED: []}
    source = None
    for row in rows():
        if row.source != source:
            source = row.source
            print(f"\n{source}{', older software' if row.kind is OLDER else ''}")
        ours = figure(row, answered(program, row))
        error = (ours / row.published - 1) * 100
        kind = row.kind or (RUNS if row.figure == 'peak_allocated_bytes' else STATES)
        errors[kind].append((abs(error), row.run))
        print(f'  {row.run:46} published {row.published / GB:8.3f} GB, estimated {ours / GB:8.3f} GB, {error:+6.1f} %')
    entries = []
    together = {'all but older software': errors[RUNS] + errors[STATES],
                'all of torchtune, torchtitan and axolotl': errors[TUNERS] + errors[COMPILED]}
    for kind, pairs in {**errors, **together}.items():
        name = f'published figures, {kind}'
        found = [error for error, _ in pairs]
        median, worst = statistics.median(found), max(pairs)
        print(f'\n{name}: {len(found)} rows, median {median:.1f} %, largest {worst[0]:.1f} % ({worst[1]}), '
              f'over 10 %: {sum(error > 10 for error in found)}')
        of_tuners = kind in (TUNERS, COMPILED) or kind.startswith('all of')
        for what, value, most in [('median', median, 6 if of_tuners else 3), ('largest', worst[0], 10)]:
            entries.append(results.entry_of_least(
                f'training: error of {name}, {what} of {len(found)}', 'training', round(value, 1), '%', most=most,
                must=None if kind == OLDER or (of_tuners and what == 'largest') else 1, stretch=2 if what == 'median' else 1, rounds=1,
                command='tests/bench/training/published.py --record'))
    results.publish(entries, options)


if __name__ == '__main__':
    main()

#!/usr/bin/env python3
"""What a forward pass keeps for its backward: Plimsoll's tape against PyTorch itself, byte by byte, without a GPU.

    tests/pytorch/saved_tensors.py [--plimsoll build/release/bin/plimsoll] [--only WORD] [--record]

PyTorch's fake tensors claim to be on a CUDA device and have no memory, so its real dispatcher, autocast and autograd
run the CUDA path at any size. Every storage that an operation creates is tracked; those still alive after the forward
pass are what the backward pass needs. Kernels compute nothing, and we choose them: fused attention is called by the
name of the kernel that PyTorch uses on the card.

Needs PyTorch, Transformers, PEFT and bitsandbytes in the versions of README.md; any build of PyTorch, no GPU.
"""

import argparse
import collections
import contextlib
import copy
import json
import os
import pathlib
import subprocess
import sys
import tempfile
from unittest import mock

os.environ['PYTORCH_JIT'] = '0'  # DeBERTa's scripted functions do not see fake tensors

import methods
import peft
import torch
import transformers as tf
from fake_cuda import Packed, Packed8, Storages, autocast, fused_attention, grouped_product
from models import MODELS
from recorded import record
from torch._subclasses.fake_tensor import FakeTensorMode

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / 'tests/unit/engine/training/data/pytorch_2_11_saved.json'
CLASSES = {'sequence': tf.AutoModelForSequenceClassification, 'masked': tf.AutoModelForMaskedLM,
           'causal': tf.AutoModelForCausalLM, 'translation': tf.AutoModelForSeq2SeqLM,
           'image': tf.AutoModelForImageClassification,
           'sound': tf.AutoModelForAudioClassification}
HEADS = {'sequence': 'ForSequenceClassification', 'masked': 'ForMaskedLM', 'causal': 'ForCausalLM',
         'translation': 'T5ForConditionalGeneration', 'image': 'ViTForImageClassification', 'sound': 'WhisperForAudioClassification'}
LORA_TARGETS = {'bert': ['query', 'value'], 'roberta': ['query', 'value'], 'distilbert': ['q_lin', 'v_lin'],
                'gpt2': ['c_attn'], 'gpt_neox': ['query_key_value'], 'phi3': ['qkv_proj'], 'modernbert': ['Wqkv'],
                'deberta-v2': ['query_proj', 'value_proj'], 't5': ['q', 'v'], 'mt5': ['q', 'v'],
                'electra': ['query', 'value'], 'bloom': ['query_key_value'], 'deepseek_v2': ['q_proj', 'kv_b_proj'],
                'deepseek_v3': ['q_b_proj', 'kv_b_proj'], 'qwen3_5_text': ['q_proj', 'v_proj', 'in_proj_qkv'],
                'qwen3_5_moe_text': ['q_proj', 'v_proj', 'in_proj_qkv'], 'qwen3_next': ['q_proj', 'v_proj', 'in_proj_qkvz']}

QUANTIZED = ('bert', 'llama', 'qwen3', 'gemma2', 'phi3', 'qwen3_5_text', 'lfm2')
MIXTURES = ('mixtral', 'qwen3_moe', 'olmoe', 'gpt_oss')  # whose experts are not
POSITIONS = {'vit-base': 197, 'whisper-small': 1500}  # of a sample, whatever the case's length
LINEAR = ('qwen3_5_text', 'qwen3_5_moe_text', 'qwen3_next')  # attention in most layers
LIGER = ('llama', 'qwen3', 'gemma2', 'gemma3_text', 'phi3', 'mixtral', 'smollm3', 'olmo2', 'olmo3',
         'exaone4', 'glm4', 'deepseek_v2', 'deepseek_v3', 'gpt_oss', 'llama4_text', *LINEAR)
UNFUSED = ('deberta-v2', 'gpt_oss', 'bloom')  # have one implementation of attention
UNEQUAL = ('deepseek_v2', 'deepseek_v3')  # sizes of k and v, for which flash-attn has no kernel
masks = tf.masking_utils
# Models take it by name when they are loaded. Whether something is padded cannot be read from fake tensors.
masks.create_recurrent_attention_mask = lambda attention_mask, **_: attention_mask if methods.padded else None
FIXED = ('image', 'sound')  # tasks of which every sample has the same length

Case = collections.namedtuple('Case', 'model precision attention batch length lora checkpointing padded gpu quantization '
                              'adapters method', defaults=['none', 'fp32', 'none'])


def cases():
    for model in MODELS:
        small, long = (4, 128), (2, 512)
        for precision in ('fp32', 'bf16_autocast', 'bf16'):
            for attention in ('sdpa', 'eager'):
                yield Case(model, precision, attention, *small, 0, False, False, 'a100_80gb')
        yield Case(model, 'bf16_autocast', 'sdpa', 3, 50, 0, False, False, 'a100_80gb')
        yield Case(model, 'bf16_autocast', 'sdpa', *long, 0, False, False, 'h200')
        yield Case(model, 'bf16', 'sdpa', *long, 0, True, False, 'a100_80gb')
        for precision in ('fp32', 'bf16_autocast'):
            yield Case(model, precision, 'sdpa', *long, 8, False, False, 'a100_80gb')
            if MODELS[model][0] not in FIXED:
                yield Case(model, precision, 'sdpa', 3, 50, 0, False, True, 'a100_80gb')
        if MODELS[model][0] not in FIXED:
            yield Case(model, 'bf16', 'eager', *small, 0, False, True, 'a100_80gb')
        yield Case(model, 'bf16', 'sdpa', *small, 0, False, False, 't4')
        yield Case(model, 'bf16', 'sdpa', *long, 8, False, False, 'a100_80gb')
        yield Case(model, 'bf16', 'sdpa', *long, 8, False, False, 'a100_80gb', adapters='model')
        if MODELS[model][0] == 'causal':
            yield Case(model, 'fp16', 'sdpa', *long, 8, False, False, 't4')

        yield from method_cases(model)
        if MODELS[model][1]['model_type'] in QUANTIZED:
            for quantization in ('nf4', 'nf4_double', 'int8'):
                yield Case(model, 'bf16_autocast', 'sdpa', *long, 8, False, False, 'a100_80gb', quantization)
            yield Case(model, 'bf16_autocast', 'sdpa', *long, 8, True, False, 'a100_80gb', 'nf4_double')
            yield Case(model, 'fp32', 'sdpa', *long, 8, False, False, 'a100_80gb', 'nf4_double')
        if MODELS[model][1]['model_type'] in MIXTURES:
            for quantization in ('nf4_double', 'int8'):
                yield Case(model, 'bf16', 'sdpa', *long, 8, False, False, 'a100_80gb', quantization)


def method_cases(model):
    task, values = MODELS[model]
    type_, long = values['model_type'], (2, 512)
    if model in ('bert-base', 'gpt2', 'llama-1b'):
        for precision in ('bf16_autocast', 'bf16'):
            yield Case(model, precision, 'sdpa', *long, 0, True, False, 'a100_80gb', method='every_2')
    for precision in ('fp32', 'bf16_autocast', 'bf16'):
        yield Case(model, precision, 'sdpa', *long, 8, False, False, 'a100_80gb', method='dora')
    yield Case(model, 'bf16', 'sdpa', *long, 8, False, False, 'a100_80gb', adapters='model', method='dora')
    if type_ in QUANTIZED:
        yield Case(model, 'bf16_autocast', 'sdpa', *long, 8, False, False, 'a100_80gb', 'nf4_double', method='dora')
    if type_ not in (*UNFUSED, *UNEQUAL, 't5', 'mt5', 'bart', 'whisper'):
        for precision in ('bf16_autocast', 'bf16'):
            yield Case(model, precision, 'flash_attention_2', *long, 0, False, False, 'a100_80gb')
    # BLOOM does not see where texts begin; router losses would count experts in a tensor.
    if task == 'causal' and type_ != 'bloom' and 'output_router_logits' not in values:
        for attention, precision in (('flash_attention_2', 'bf16_autocast'), ('flash_attention_2', 'bf16'),
                                     ('sdpa', 'bf16'), ('eager', 'fp32')):
            if type_ in (*UNFUSED, *UNEQUAL) if attention == 'flash_attention_2' else type_ in LINEAR:
                continue
            yield Case(model, precision, attention, 3, 128, 0, False, False, 'a100_80gb', method='packed')
    if type_ in LIGER:
        for precision in ('fp32', 'bf16_autocast', 'bf16'):
            yield Case(model, precision, 'sdpa', *long, 0, False, False, 'a100_80gb', method='fused_loss')
        yield Case(model, 'bf16', 'sdpa', *long, 8, False, False, 'a100_80gb', method='fused_loss')


# ------------------------------------------------------------------------------------------------------ PyTorch

def layers_of(model):
    """The list of the model's equal layers."""
    return max((m for m in model.modules() if isinstance(m, torch.nn.ModuleList)), key=len)


def config_of(case):
    values = dict(MODELS[case.model][1])
    type_ = values.pop('model_type')
    attention = 'eager' if type_ in UNFUSED else case.attention
    attention = 'sdpa' if attention == 'flash_attention_2' else attention  # would ask for the package
    return tf.AutoConfig.for_model(type_, **values, attn_implementation=attention,
                                   use_cache=False)


def quantize(model, case):
    """What from_pretrained(quantization_config=...) and prepare_model_for_kbit_training do to the layers."""
    for parent in layers_of(model).modules():
        for name, layer in list(parent.named_children()):
            if type(layer) is torch.nn.Linear:  # as transformers chooses
                setattr(parent, name, Packed8(layer) if case.quantization == 'int8' else
                        Packed(layer, case.quantization == 'nf4_double'))
    model.is_loaded_in_4bit, model.is_loaded_in_8bit = case.quantization != 'int8', case.quantization == 'int8'
    return model.requires_grad_(False)


def has_own_head(case):
    """The class ties heads that published checkpoints of this file have for themselves."""
    return MODELS[case.model][0] == 'translation' and MODELS[case.model][1].get('tie_word_embeddings') is False


def whole_modules(case):
    """What is trained whole beside adapters: "whole, embed_tokens, lm_head"."""
    return [name for name in case.method.split(', ')[1:] if name != 'wide'] if case.method.startswith('whole') else None


def duplicate(thing, *memo, deepcopy=copy.deepcopy):
    """A module of fake tensors would be copied with their mode."""
    if not isinstance(thing, torch.nn.Module):
        return deepcopy(thing, *memo)
    one = copy.copy(thing)
    one._parameters = thing._parameters | {name: torch.nn.Parameter(torch.empty_like(value))
                                           for name, value in thing.named_parameters(recurse=False)}
    return one


WEIGHTS = {'bf16': torch.bfloat16, 'fp16': torch.float16}


def build(case):
    task, _ = MODELS[case.model]
    config = config_of(case)
    with torch.device('cuda'):
        model = CLASSES[task].from_config(config, dtype=WEIGHTS.get(case.precision, torch.float32))
        if has_own_head(case):
            model.lm_head.weight = torch.nn.Parameter(torch.empty_like(model.lm_head.weight))
        if case.quantization != 'none':
            model = quantize(model, case)
        # Modules of fake tensors cannot be moved; adapters are made where they belong.
        with (mock.patch.object(torch.nn.Module, 'to', lambda module, *_, **__: module),
              mock.patch.object(copy, 'deepcopy', duplicate)):
            model = model if not case.lora else peft.get_peft_model(model, peft.LoraConfig(
                r=case.lora, lora_alpha=16, lora_dropout=0.1, bias='none', use_dora=case.method == 'dora',
                target_modules=LORA_TARGETS.get(config.model_type, ['q_proj', 'v_proj']),
                fan_in_fan_out=config.model_type == 'gpt2', modules_to_save=whole_modules(case)), autocast_adapter_dtype=case.adapters == 'fp32')
    own = torch.float32 if case.method.endswith('wide') else torch.bfloat16 if case.adapters == 'bf16' else None
    for module in model.modules() if own else ():  # as LLaMA-Factory and TRL
        for name, parameter in module.named_parameters(recurse=False):
            if parameter.requires_grad:
                setattr(module, name, torch.nn.Parameter(parameter.data.to(own)))
    if case.adapters == 'model':  # peft would have moved them, and with that converted them
        for name, layer in model.named_modules():
            if isinstance(layer, (torch.nn.Linear, peft.tuners.lora.dora.DoraLinearLayer)) and '.lora_' in name:
                layer.weight = torch.nn.Parameter(layer.weight.to(torch.bfloat16))
    if case.attention == 'flash_attention_2':
        model.config._attn_implementation = case.attention
    if case.method == 'fused_loss':
        methods.fuse_loss(model)
    if case.checkpointing and case.lora:
        model.enable_input_require_grads()
    if case.checkpointing:
        model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={'use_reentrant': False})
    if case.method == 'every_2':  # the last of two, as torchtitan does
        for index, layer in enumerate(layers_of(model)):
            layer.gradient_checkpointing = index % 2 == 1
    return model.train()


def batch_of(case):
    task, values = MODELS[case.model]
    labels = torch.empty(case.batch, dtype=torch.long, device='cuda')
    if task == 'image':
        size = values['image_size']
        return {'pixel_values': torch.empty(case.batch, 3, size, size, device='cuda'), 'labels': labels}
    if task == 'sound':
        kind = torch.bfloat16 if case.precision == 'bf16' else torch.float32
        features = torch.empty(case.batch, values['num_mel_bins'], 2 * values['max_source_positions'], dtype=kind,
                               device='cuda')
        return {'input_features': features, 'labels': labels}
    ids = torch.empty(case.batch, case.length, dtype=torch.long, device='cuda')
    if case.method == 'packed':
        ids = ids.view(1, -1)
        starts = {f'cu_seq_lens_{of}': torch.empty(case.batch + 1, dtype=torch.int32, device='cuda') for of in 'qk'}
        # flash-linear-attention's parts of 64 tokens, whose number cannot be read from fake tensors.
        starts['cu_seq_lens_q'].chunks = torch.empty(case.batch * -(-case.length // 64), 2, dtype=torch.int32, device='cuda')
        lengths = {f'max_length_{of}': case.length for of in 'qk'}
        return {'input_ids': ids, 'position_ids': torch.empty_like(ids), 'labels': ids.clone(),
                **(starts | lengths if case.attention == 'flash_attention_2' else {})}
    return {'input_ids': ids, 'attention_mask': torch.ones_like(ids),
            'labels': labels if task == 'sequence' else ids.clone()}


@contextlib.contextmanager
def patches(case):
    """What asks a card, or looks into a tensor."""
    # Whether nothing is padded, and masks can be left out, cannot be read from fake tensors.
    def needless(local):
        return not case.padded and case.method != 'packed' and (local is None or case.length < local)

    def unmasked():  # the decoder of a pair, whose labels alone are padded
        return MODELS[case.model][0] == 'translation'

    with (mock.patch.object(methods, 'padded', case.padded),
          mock.patch.object(torch.nn.functional, 'scaled_dot_product_attention', fused_attention(case.gpu)),
          mock.patch.object(masks, '_ignore_causal_mask_sdpa', lambda *args: needless(args[5]) or unmasked()),
          mock.patch.object(masks, '_ignore_bidirectional_mask_sdpa', lambda *args: needless(args[2])),
          mock.patch.object(masks, 'find_packed_sequence_indices',
                            methods.packed_indices if case.method == 'packed' else lambda *_: None),
          mock.patch.object(torch, 'rand', lambda *_: 1.0),  # Whisper drops no layers by default
          mock.patch.object(torch.cuda, 'get_device_capability', lambda *_: (7, 5) if case.gpu == 't4' else (8, 0)),
          mock.patch.object(torch._meta_registrations, '_meta_grouped_mm_common', grouped_product),
          methods.patches(case)):
        yield


def tensors_of(batch):
    return [value for value in batch.values() if isinstance(value, torch.Tensor)]


def measured(case):
    with patches(case), FakeTensorMode():
        model = build(case)
        batch = batch_of(case)
        storages = Storages(model.parameters(), [*model.buffers(), *tensors_of(batch)])

        def enters(layer):
            def hook(*_):
                storages.layer = layer
            return hook

        for index, layer in enumerate(layers_of(model)):
            layer.register_forward_pre_hook(enters(index))
            layer.register_forward_hook(enters(-1))
        with storages, autocast(case.precision):
            outputs = model(**batch)
        torch.clear_autocast_cache()
        activations, copies, layers = storages.alive()
        head = model.get_output_embeddings()
        if case.method == 'fused_loss' and head.weight.requires_grad:  # its gradient is made in forward
            activations -= head.weight.numel() * head.weight.element_size()
        del outputs
    return {'activations': activations, 'weight_copies': copies, 'layers': [layers[i] for i in range(len(layers_of(model)))]}


# ----------------------------------------------------------------------------------------------------- Plimsoll

def architectures(case):
    return [HEADS[MODELS[case.model][0]]]


def arguments(case):
    config = {**config_of(case).to_dict(), 'architectures': architectures(case)}
    if has_own_head(case):
        config['tie_word_embeddings'] = False
    args = {'model': {'config': json.loads(json.dumps(config, default=str))}, 'gpus': [case.gpu], 'what_ifs': False,
            'target_effective_batch': case.batch,  # with accumulation, gradients of the steps before would be there
            'training': {'precision': case.precision, 'attention': case.attention, 'batch': case.batch,
                         'checkpointing': case.checkpointing, 'padded': case.padded}}
    if MODELS[case.model][0] not in FIXED:
        args['training']['sequence_length'] = case.length
    if case.quantization != 'none':
        args['training']['quantization'] = case.quantization
    if case.lora:
        args['training']['lora'] = {'rank': case.lora, 'dropout': 0.1, 'dora': case.method == 'dora'}
        if names := whole_modules(case):
            args['training']['lora'] |= {'modules_to_save': names}
        if case.adapters == 'bf16':
            args['training']['lora']['dtype'] = 'all_bf16'
        elif case.precision in WEIGHTS:  # elsewhere they have the type of the weights
            args['training']['lora']['dtype'] = 'all_fp32' if case.method.endswith('wide') else case.adapters
    if case.method == 'every_2':
        args['training']['checkpointing_every'] = 2
    for method in ('packed', 'fused_loss'):
        args['training'][method] = case.method == method
    return args


def predicted(case, program):
    args = arguments(case)
    with tempfile.NamedTemporaryFile('w', suffix='.json') as file:
        json.dump(args, file)
        file.flush()
        ran = subprocess.run([program, '--json', 'estimate', file.name], capture_output=True, text=True)
    if ran.returncode:
        raise SystemExit(f'{case}: {ran.stderr}')
    card = json.loads(ran.stdout)['gpus'][0]
    return {'activations': card['memory']['saved_for_backward_bytes'],
            'layers': [layer['saved_bytes'] for layer in card['layers']]}


def table(rows):
    """The Markdown table of engine/training/README.md: bytes that a middle layer keeps for a token."""
    chosen = {(row['model'], row['precision'], row['attention']): row for row in rows
              if row['length'] == 128 and not row['padded'] and row['gpu'] == 'a100_80gb' and not row['lora']}
    columns = [(precision, attention) for attention in ('sdpa', 'eager')
               for precision in ('fp32', 'bf16_autocast', 'bf16')]
    print('\n| model | ' + ' | '.join(f'{attention}, {precision}' for precision, attention in columns) + ' |')
    print('|---|' + '---:|' * len(columns))
    for model in dict.fromkeys(row['model'] for row in rows):
        positions = POSITIONS.get(model)
        cells = [chosen.get((model, *column)) for column in columns]
        print(f'| {model} | ' + ' | '.join(
            f"{row['measured']['layers'][1] / row['batch'] / (positions or row['length']):,.0f}" if row else '' for row in cells) + ' |')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--plimsoll', default=ROOT / 'build/release/bin/plimsoll')
    parser.add_argument('--only', default='', help='cases whose description holds this')
    parser.add_argument('--record', action='store_true', help=f'write {DATA.relative_to(ROOT)}')
    options = parser.parse_args()
    methods.pytorch_has_the_kernel = True
    rows, wrong = [], 0
    for case in cases():
        name = ' '.join(f'{key}={value}' for key, value in case._asdict().items())
        if options.only not in name:
            continue
        real, ours = measured(case), predicted(case, options.plimsoll)
        rows.append({**case._asdict(), 'config': {**MODELS[case.model][1], 'architectures': architectures(case)},
                     'measured': real})
        total = ours['activations'] - real['activations']
        worst = max((o - r for r, o in zip(real['layers'], ours['layers'])), key=abs)
        wrong += bool(worst or total)
        print(f"{'DIFFERS' if worst or total else 'same'}  {name}  layer {real['layers'][1]:,} ({worst:+,})"
              f"  all {real['activations']:,} ({total:+,})", flush=True)
    table(rows)
    print(f'\n{len(rows) - wrong} of {len(rows)} the same to the byte')
    if options.record:
        record(DATA, rows, Case._fields)
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())

#!/usr/bin/env python3
"""What a forward pass keeps for its backward: Plimsoll's tape against PyTorch itself, byte by byte, without a GPU.

    tests/pytorch/saved_tensors.py [--plimsoll build/dev/bin/plimsoll] [--only WORD] [--record]

PyTorch's fake tensors say that they lie on a CUDA device and own no memory, so its real dispatcher, autocast and
autograd run CUDA's path at any size. Every storage that an operation makes is followed; those still alive when the
forward pass is done are what the backward pass will need. Kernels compute nothing, and their choice is ours: fused
attention is called by the name of the kernel that PyTorch takes on the card.

Needs PyTorch, Transformers and PEFT in the versions of README.md; any build of PyTorch, no GPU.
"""

import argparse
import collections
import contextlib
import json
import pathlib
import subprocess
import sys
import tempfile
from unittest import mock

import peft
import torch
import transformers as tf
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import TorchDispatchMode

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / 'tests/unit/engine/training/data/pytorch_2_11_saved.json'
aten = torch.ops.aten

BERT = dict(model_type='bert', vocab_size=30522, max_position_embeddings=512, type_vocab_size=2, num_labels=3)
LLAMA = dict(model_type='llama', vocab_size=32000, max_position_embeddings=2048)
MODELS = {
    'bert-base': ('sequence', dict(BERT, num_hidden_layers=12, hidden_size=768, num_attention_heads=12,
                                   intermediate_size=3072)),
    'bert-large': ('sequence', dict(BERT, num_hidden_layers=24, hidden_size=1024, num_attention_heads=16,
                                    intermediate_size=4096)),
    'bert-base, masked words': ('masked', dict(BERT, num_hidden_layers=12, hidden_size=768, num_attention_heads=12,
                                               intermediate_size=3072)),
    'minilm-l6': ('sequence', dict(BERT, num_hidden_layers=6, hidden_size=384, num_attention_heads=12,
                                   intermediate_size=1536)),
    'distilbert': ('sequence', dict(model_type='distilbert', vocab_size=30522, n_layers=6, dim=768, n_heads=12,
                                    hidden_dim=3072, max_position_embeddings=512, num_labels=3)),
    'roberta-base': ('sequence', dict(BERT, model_type='roberta', vocab_size=50265, max_position_embeddings=514,
                                      type_vocab_size=1, num_hidden_layers=12, hidden_size=768,
                                      num_attention_heads=12, intermediate_size=3072)),
    'gpt2': ('causal', dict(model_type='gpt2', vocab_size=50257, n_positions=1024, n_embd=768, n_layer=12, n_head=12)),
    'gpt2-medium': ('causal', dict(model_type='gpt2', vocab_size=50257, n_positions=1024, n_embd=1024, n_layer=24,
                                   n_head=16)),
    'llama-1b': ('causal', dict(LLAMA, num_hidden_layers=22, hidden_size=2048, num_attention_heads=32,
                                num_key_value_heads=4, intermediate_size=5632)),
    'llama-8b': ('causal', dict(LLAMA, vocab_size=128256, num_hidden_layers=32, hidden_size=4096,
                                num_attention_heads=32, num_key_value_heads=8, intermediate_size=14336)),
}
CLASSES = {'sequence': tf.AutoModelForSequenceClassification, 'masked': tf.AutoModelForMaskedLM,
           'causal': tf.AutoModelForCausalLM}
LORA_TARGETS = {'bert': ['query', 'value'], 'roberta': ['query', 'value'], 'distilbert': ['q_lin', 'v_lin'],
                'gpt2': ['c_attn'], 'llama': ['q_proj', 'v_proj']}

Case = collections.namedtuple('Case', 'model precision attention batch length lora checkpointing padded gpu')


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
            yield Case(model, precision, 'sdpa', 3, 50, 0, False, True, 'a100_80gb')
        yield Case(model, 'bf16', 'eager', *small, 0, False, True, 'a100_80gb')
        yield Case(model, 'bf16', 'sdpa', *small, 0, False, False, 't4')


# ------------------------------------------------------------------------------------------------------ PyTorch

class Storages(TorchDispatchMode):
    """Follows every storage that an operation makes: its bytes, the layer whose code made it, whether it is a copy of
    a parameter in another type."""

    def __init__(self, before):
        super().__init__()
        self.layer = -1
        self.before = {self._key(tensor) for tensor in before}  # weights, buffers and the batch
        self.made = {}  # StorageWeakRef.cdata -> (reference, bytes, layer, is a weight's copy)

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        out = function(*args, **(kwargs or {}))
        copies = function is aten._to_copy.default and self._key(args[0]) in self.before
        kept = out
        if function is aten._scaled_dot_product_efficient_attention.default:
            kept = out[:2]  # the seed and its offset lie in host memory on a real card
        for tensor in torch.utils._pytree.tree_leaves(kept):
            if not isinstance(tensor, torch.Tensor) or tensor.device.type != 'cuda':
                continue
            reference = StorageWeakRef(tensor.untyped_storage())
            known = self.made.get(reference.cdata)
            # An address is used again once its storage is gone.
            if reference.cdata not in self.before and (known is None or known[0].expired()):
                self.made[reference.cdata] = (reference, tensor.untyped_storage().nbytes(), self.layer, copies)
        return out

    @staticmethod
    def _key(tensor):
        return StorageWeakRef(tensor.untyped_storage()).cdata

    def alive(self):
        """(bytes of activations, bytes of weights' copies, bytes of activations by layer)"""
        activations, copies, layers = 0, 0, collections.Counter()
        for reference, size, layer, is_copy in self.made.values():
            if reference.expired():
                continue
            if is_copy:
                copies += size
                continue
            activations += size
            layers[layer] += size
        return activations, copies, layers


def fused_attention(gpu):
    """scaled_dot_product_attention as CUDA dispatches it: its choice of a kernel asks the driver, so it is made here."""

    def attend(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
        if torch.is_autocast_enabled('cuda'):
            query, key, value = (t.to(torch.get_autocast_dtype('cuda')) for t in (query, key, value))
        with torch._C._DisableAutocast():
            return chosen(query, key, value, bias_of(attn_mask, query), dropout_p, is_causal, scale, enable_gqa)

    def bias_of(mask, query):
        if mask is None:
            return None
        bias = torch.zeros_like(mask, dtype=query.dtype).masked_fill_(mask.logical_not(), -torch.inf)
        keys = mask.size(-1)
        bias = torch.nn.functional.pad(bias, (0, -keys % 8))[..., :keys] if keys % 8 else bias
        return bias.expand(*query.shape[:2], query.size(2), keys)

    def chosen(query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa):
        half, grouped = query.dtype != torch.float32, enable_gqa and query.size(-3) != key.size(-3)
        if half and gpu == 'h200':
            return aten._scaled_dot_product_cudnn_attention(query, key, value, attn_mask, True, dropout_p, is_causal,
                                                            False, scale=scale)[0]
        if half and gpu == 'a100_80gb' and attn_mask is None:
            return aten._scaled_dot_product_flash_attention(query, key, value, dropout_p, is_causal, False,
                                                            scale=scale)[0]
        if grouped or (half and gpu == 't4'):
            return aten._scaled_dot_product_attention_math(query, key, value, attn_mask, dropout_p, is_causal, None,
                                                           scale=scale, enable_gqa=enable_gqa)[0]
        return aten._scaled_dot_product_efficient_attention(query, key, value, attn_mask, True, dropout_p, is_causal,
                                                            scale=scale)[0]
    return attend


@contextlib.contextmanager
def autocast(precision):
    """torch.autocast("cuda") switches itself off where no GPU is; these are its own calls."""
    if not precision.endswith('autocast'):
        yield
        return
    before = torch.is_autocast_enabled('cuda'), torch.get_autocast_dtype('cuda')
    torch.set_autocast_enabled('cuda', True)
    torch.set_autocast_dtype('cuda', torch.bfloat16)
    torch.autocast_increment_nesting()
    try:
        yield
    finally:
        if torch.autocast_decrement_nesting() == 0:
            torch.clear_autocast_cache()
        torch.set_autocast_enabled('cuda', before[0])
        torch.set_autocast_dtype('cuda', before[1])


def layers_of(model):
    """The list of the model's equal layers."""
    return max((m for m in model.modules() if isinstance(m, torch.nn.ModuleList)), key=len)


def config_of(case):
    values = dict(MODELS[case.model][1])
    return tf.AutoConfig.for_model(values.pop('model_type'), **values, attn_implementation=case.attention,
                                   use_cache=False)


def build(case):
    task, _ = MODELS[case.model]
    config = config_of(case)
    with torch.device('cuda'):
        model = CLASSES[task].from_config(config, dtype=torch.bfloat16 if case.precision == 'bf16' else torch.float32)
        # Modules of fake tensors cannot be moved; adapters are made where they belong.
        with mock.patch.object(torch.nn.Module, 'to', lambda module, *_, **__: module):
            model = model if not case.lora else peft.get_peft_model(model, peft.LoraConfig(
                r=case.lora, lora_alpha=16, lora_dropout=0.1, bias='none',
                target_modules=LORA_TARGETS[config.model_type], fan_in_fan_out=config.model_type == 'gpt2'))
    if case.checkpointing:
        model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={'use_reentrant': False})
    return model.train()


def measured(case):
    # Transformers takes fake tensors for tracing, and then builds masks that it leaves out where nothing is padded.
    with (mock.patch.object(torch.nn.functional, 'scaled_dot_product_attention', fused_attention(case.gpu)),
          mock.patch.object(tf.masking_utils, 'is_tracing', lambda *_: case.padded),
          mock.patch.object(tf.masking_utils, 'find_packed_sequence_indices', lambda *_: None), FakeTensorMode()):
        model = build(case)
        ids = torch.empty(case.batch, case.length, dtype=torch.long, device='cuda')
        labels = (torch.empty(case.batch, dtype=torch.long, device='cuda') if MODELS[case.model][0] == 'sequence'
                  else ids.clone())
        mask = torch.ones_like(ids) if case.padded else None
        storages = Storages([*model.parameters(), *model.buffers(), ids, labels, *([mask] if case.padded else [])])

        def enters(layer):
            def hook(*_):
                storages.layer = layer
            return hook

        for index, layer in enumerate(layers_of(model)):
            layer.register_forward_pre_hook(enters(index))
            layer.register_forward_hook(enters(-1))
        with storages, autocast(case.precision):
            outputs = model(input_ids=ids, attention_mask=mask, labels=labels)
        torch.clear_autocast_cache()
        activations, copies, layers = storages.alive()
        del outputs
    return {'activations': activations, 'weight_copies': copies, 'layers': [layers[i] for i in range(len(layers_of(model)))]}


# ----------------------------------------------------------------------------------------------------- Plimsoll

def architectures(case):
    return [{'sequence': 'ForSequenceClassification', 'masked': 'ForMaskedLM', 'causal': 'ForCausalLM'}[
        MODELS[case.model][0]]]


def predicted(case, program):
    config = {**config_of(case).to_dict(), 'architectures': architectures(case)}
    args = {'model': {'config': json.loads(json.dumps(config, default=str))}, 'gpus': [case.gpu], 'what_ifs': False,
            'training': {'precision': case.precision, 'attention': case.attention, 'batch': case.batch,
                         'sequence_length': case.length, 'checkpointing': case.checkpointing,
                         'padded': case.padded}}
    if case.lora:
        args['training']['lora'] = {'rank': case.lora, 'dropout': 0.1}
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
              if row['length'] == 128 and not row['padded'] and row['gpu'] == 'a100_80gb'}
    columns = [(precision, attention) for attention in ('sdpa', 'eager')
               for precision in ('fp32', 'bf16_autocast', 'bf16')]
    print('\n| model | ' + ' | '.join(f'{attention}, {precision}' for precision, attention in columns) + ' |')
    print('|---|' + '---:|' * len(columns))
    for model in dict.fromkeys(row['model'] for row in rows):
        cells = [chosen.get((model, *column)) for column in columns]
        print(f'| {model} | ' + ' | '.join(
            f"{row['measured']['layers'][1] / row['batch'] / row['length']:,.0f}" if row else '' for row in cells) + ' |')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--plimsoll', default=ROOT / 'build/dev/bin/plimsoll')
    parser.add_argument('--only', default='', help='cases whose description holds this')
    parser.add_argument('--record', action='store_true', help=f'write {DATA.relative_to(ROOT)}')
    options = parser.parse_args()
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
        DATA.write_text('[\n' + ',\n'.join(json.dumps(row) for row in rows) + '\n]\n')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())

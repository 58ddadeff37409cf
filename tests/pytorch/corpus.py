"""The configurations in configs.txtar, the estimate of each run, and the library that reads it."""

import collections

import libraries as of

# `unmodelled`: the file says so itself; the rest of it is applied.
Case = collections.namedtuple('Case', 'folder files args load proposed unmodelled', defaults=[False, False])


def args(preset, target, length, cluster=None, **training):
    lora = training.pop('lora', None)
    out = {'model': {'preset': preset}, 'gpus': ['a100_40gb'], 'target_effective_batch': target,
           'training': {'precision': 'bf16_autocast', 'sequence_length': length, **training}}
    if lora:
        out['training']['lora'] = lora
    return {**out, 'cluster': cluster} if cluster else out


QUERY_VALUE = {'rank': 16, 'dropout': 0.05, 'modules': ['q_proj', 'v_proj']}
BLOCK = {'rank': 16, 'dropout': 0.05, 'modules': ['q_proj', 'k_proj', 'v_proj', 'o_proj']}
CASES = [
    Case('transformers', ['text_classification.yaml'], args('bert-base', 32, 128, clip=False), of.transformers_),
    Case('transformers', ['run_glue.json'], args('bert-base-cased', 64, 128, precision='fp16_autocast'),
         of.transformers_),
    Case('transformers', ['run_clm.json'], args('gpt2', 64, 512), of.transformers_),
    Case('transformers', ['nested.yaml'], args('qwen3-0.6b', 64, 512, precision='bf16', checkpointing=True),
         of.transformers_),
    Case('transformers', ['qlora.yaml'],
         args('qwen3-0.6b', 16, 1024, lora=QUERY_VALUE, quantization='nf4_double', optimizer='paged_adamw_8bit',
              checkpointing=True), of.transformers_),
    Case('transformers', ['anchors.yaml'], args('bert-large', 256, 256), of.transformers_),
    Case('transformers', ['run_ner.json'], args('bert-base', 512, 128, precision='fp32', checkpointing=True),
         of.transformers_),
    Case('transformers', ['run_mlm.yaml'],
         args('roberta-base', 2048, 256, optimizer='adam_8bit', checkpointing=True), of.transformers_),
    Case('transformers', ['fsdp.yaml'], args('qwen3-0.6b', 256, 1024, {'cards': 4, 'sharding': 'fsdp'}),
         of.transformers_),
    Case('transformers', ['with_zero2.yaml', 'with_zero2.json'],
         args('qwen3-0.6b', 256, 1024, {'cards': 4, 'sharding': 'zero2'}), of.transformers_and_deepspeed),
    Case('transformers', ['hydra_target.yaml'], args('modernbert-base', 256, 512, checkpointing=True),
         of.hydra_arguments),
    Case('transformers', ['momentum.yaml'], args('vit-base', 512, 197, optimizer='sgd_momentum', precision='fp32',
                                                 clip=False), of.transformers_),
    Case('transformers', ['dora.yaml'], args('qwen3-0.6b', 64, 512, lora={**QUERY_VALUE, 'dora': True}), of.transformers_),
    Case('trl', ['sft_packed.yaml'],
         args('qwen3-0.6b', 64, 1024, precision='bf16_autocast', attention='flash_attention_2', packed=True, fused_loss=True),
         of.trl_),
    Case('trl', ['sft.yaml'], args('qwen3-0.6b', 64, 1024, precision='bf16'), of.trl_),
    Case('trl', ['sft_lora.yaml'],
         args('qwen3-0.6b', 32, 512, lora=BLOCK, quantization='nf4', optimizer='paged_adamw', checkpointing=True),
         of.trl_),
    Case('trl', ['sft_optimizer.yaml'], args('qwen3-0.6b', 128, 1024, optimizer='adafactor', precision='fp32'), of.trl_),
    Case('trl', ['reward.yaml'], args('bert-base', 64, 512), of.trl_rewards,
         unmodelled=True),
    Case('trl', ['fp32.yaml'], args('gpt2', 64, 512, precision='fp32', checkpointing=True), of.trl_),
    Case('llama_factory', ['lora_sft.yaml'],
         args('qwen3-0.6b', 32, 1024, lora={'rank': 8, 'dropout': 0.1, 'targets': 'all_linear'}), of.llama_factory),
    Case('llama_factory', ['full_sft.yaml'], args('qwen3-0.6b', 32, 512, precision='bf16', checkpointing=True),
         of.llama_factory),
    Case('accelerate', ['single.yaml'], args('bert-base', 32, 128, precision='fp32'), of.accelerate_),
    Case('accelerate', ['multi_gpu.yaml'], args('bert-base', 64, 128, {'cards': 2, 'sharding': 'ddp'}),
         of.accelerate_),
    Case('accelerate', ['fsdp2.yaml'],
         args('qwen3-0.6b', 256, 1024, {'cards': 8, 'sharding': 'fsdp'}, checkpointing=True), of.accelerate_),
    Case('accelerate', ['zero3.yaml'],
         args('qwen3-0.6b', 512, 1024, {'cards': 4, 'sharding': 'zero3', 'offload': 'optimizer'}),
         of.accelerate_),
    Case('accelerate', ['default.json'], args('gpt2', 64, 512, precision='fp16_autocast'), of.accelerate_),
    Case('deepspeed', ['zero2.json'], args('qwen3-0.6b', 256, 1024, {'cards': 8, 'sharding': 'zero2'}), of.deepspeed_),
    Case('deepspeed', ['zero3.json'],
         args('qwen3-0.6b', 256, 1024, {'cards': 8, 'sharding': 'zero3', 'offload': 'parameters'},
              precision='fp16_autocast', clip=False),
         of.deepspeed_),
    Case('deepspeed', ['zero1_fp16.json'],
         args('bert-large', 256, 256, {'cards': 2, 'sharding': 'zero1'}, precision='fp16_autocast', clip=False),
         of.deepspeed_),
    Case('deepspeed', ['plain.json'], args('vit-base', 512, 197, precision='fp32'), of.deepspeed_),
    Case('deepspeed', ['no_zero_block.json'],
         args('qwen3-0.6b', 64, 512, {'cards': 2, 'sharding': 'zero2'}, clip=False), of.deepspeed_),
    Case('lightning', ['cli.yaml'], args('bert-base', 1024, 128, checkpointing=True), of.lightning_cli),
    Case('lightning', ['plain.yaml'], args('bert-large', 256, 256), of.lightning_),
    Case('lightning', ['ddp.yaml'],
         args('bert-base', 512, 128, {'cards': 4, 'sharding': 'ddp'}, precision='fp16_autocast'), of.lightning_),
    Case('lightning', ['no_clip.json'], args('gpt2', 64, 512, precision='fp32', clip=False), of.lightning_),
    Case('hydra/groups', ['trainer/gpu.yaml', 'data/texts.yaml'], args('bert-large', 512, 128, clip=False),
         of.hydra_groups),
    Case('hydra', ['experiment.yaml'], args('bert-base', 256, 512), of.hydra_experiment),
    Case('hydra', ['staged.yaml'], args('gpt2', 512, 512, precision='bf16'), of.hydra_experiment),
    Case('naics/conf', ['config.yaml', 'curriculum/01_stage.yaml', 'curriculum/02_stage.yaml'],
         {'model': {'preset': 'naics-4ch'}, 'gpus': ['rtx_6000'], 'training': {'precision': 'bf16_autocast'}},
         of.naics),
    Case('proposals', ['torchtune_full.yaml'],
         args('llama-3.2-1b', 64, 512, precision='bf16', optimizer='paged_adamw_8bit', checkpointing=True, clip=False),
         of.torchtune_, True),
    Case('proposals', ['axolotl_qlora.yaml'],
         args('qwen3-0.6b', 32, 1024, lora={'rank': 32, 'dropout': 0.05, 'targets': 'all_linear'}, quantization='nf4',
              optimizer='paged_adamw_8bit', checkpointing=True), of.axolotl, True),
    Case('proposals', ['litgpt_lora.yaml'],
         args('llama-3.2-1b', 32, 512, precision='bf16', clip=False, lora={'rank': 8, 'dropout': 0.05, 'dtype': 'model'}),
         of.litgpt_, True),
    Case('proposals', ['composer.yaml'], args('gpt2', 256, 512), of.composer, True),
    Case('proposals', ['own.json'], args('bert-base', 256, 128, optimizer='adafactor'), of.own, True),
]

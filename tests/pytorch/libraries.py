"""How each library reads a configuration, and the run that its objects describe, in the terms of an estimate."""

import collections
import contextlib
import json
import os
import sys
from unittest import mock

import accelerate
import lightning
import peft
import torch
import transformers
import yaml
from snippets_test import as_on_a_gpu, trained_by

Read = collections.namedtuple('Read', 'training batch accumulation cluster', defaults=[None, None, None])
LIGHTNING = {'32-true': 'fp32', 'bf16-mixed': 'bf16_autocast', '16-mixed': 'fp16_autocast', 'bf16-true': 'bf16'}
MIXED = {'no': 'fp32', 'bf16': 'bf16_autocast', 'fp16': 'fp16_autocast'}


def versions():
    return f'Transformers {transformers.__version__}, Accelerate {accelerate.__version__}, Lightning {lightning.__version__}'


def load(file):
    return json.loads(file.read_text()) if file.suffix == '.json' else yaml.safe_load(file.read_text())


# ------------------------------------------------------------------------------------ Transformers, TRL, LLaMA-Factory

def run_of(values):
    """The mapping with the arguments."""
    own = next((values[name] for name in ('training', 'training_arguments', 'training_args') if name in values), values)
    return {name: value for name, value in own.items() if name != '_target_'}


def adapters_of(config):
    targets = config.target_modules
    return {'rank': config.r, 'dropout': config.lora_dropout, 'dora': config.use_dora,
            **({'targets': 'all_linear'} if targets == 'all-linear' else {'modules': sorted(targets)})}


def quantization_of(config):
    if config.load_in_8bit:
        return 'int8'
    assert config.load_in_4bit and config.bnb_4bit_quant_type == 'nf4'
    return 'nf4_double' if config.bnb_4bit_use_double_quant else 'nf4'


def arguments_of(values, kind=transformers.TrainingArguments):
    with as_on_a_gpu():
        return transformers.HfArgumentParser(kind).parse_dict(values, allow_extra_keys=True)[0]


def run_from(arguments, training):
    cluster = None
    if arguments.fsdp:
        assert arguments.fsdp_plugin_args['fsdp_version'] == 2
        cluster = {'cards': 4, 'sharding': 'fsdp'}
    return Read(training, arguments.per_device_train_batch_size, arguments.gradient_accumulation_steps, cluster)


def transformers_(_, files):
    values = load(files[0])
    arguments = arguments_of(run_of(values))
    model = values.get('model', {})
    training = trained_by(arguments, isinstance(model, dict) and model.get('dtype') == 'bfloat16')
    if 'attn_implementation' in model:
        training['attention'] = model['attn_implementation']
    if 'lora' in values:
        training['lora'] = adapters_of(peft.LoraConfig(**values['lora']))
    if 'quantization' in values:
        training['quantization'] = quantization_of(transformers.BitsAndBytesConfig(**values['quantization']))
    for length in ('max_seq_length', 'max_length', 'block_size'):
        if length in values:
            training['sequence_length'] = values[length]
    return run_from(arguments, training)


def transformers_and_deepspeed(folder, files):
    """The Trainer fills "auto" in DeepSpeed's file from its own arguments."""
    with contextlib.chdir(folder), mock.patch.object(transformers.TrainingArguments, 'world_size', 4):
        arguments = arguments_of(load(files[0]))
        zero = arguments.hf_deepspeed_config
        zero.trainer_config_process(arguments)
    read = run_from(arguments, trained_by(arguments))
    assert zero.get_value('train_micro_batch_size_per_gpu') == read.batch
    return read._replace(cluster={'cards': 4, 'sharding': f"zero{zero.get_value('zero_optimization.stage')}"})


def hydra_arguments(folder, files):
    import hydra
    with hydra.initialize_config_dir(version_base=None, config_dir=str(folder)):
        config = hydra.compose(files[0].stem, overrides=['training_args.output_dir=out'])
    with as_on_a_gpu():
        arguments = hydra.utils.instantiate(config.training_args)
    return run_from(arguments, trained_by(arguments))


def trl_(_, files, kind='SFTConfig'):
    import trl
    parser = trl.TrlParser((getattr(trl, kind), trl.ModelConfig))  # TRL's modules look for a GPU when they are loaded
    with as_on_a_gpu():
        arguments, model, _ = parser.parse_args_and_config(['--config', str(files[0])], return_remaining_strings=True)
    training = {**trained_by(arguments, model.dtype == 'bfloat16' and not model.load_in_4bit),
                'attention': model.attn_implementation or 'sdpa', 'sequence_length': arguments.max_length,
                'packed': getattr(arguments, 'packing', False) or getattr(arguments, 'padding_free', False),
                'fused_loss': arguments.use_liger_kernel}
    adapters, quantized = trl.get_peft_config(model), trl.get_quantization_config(model)
    if adapters:
        training['lora'] = adapters_of(adapters)
    if quantized:
        training['quantization'] = quantization_of(quantized)
    return run_from(arguments, training)


def trl_rewards(folder, files):
    return trl_(folder, files, 'RewardConfig')


def llama_factory(_, files):
    values = load(files[0])
    arguments = arguments_of(values)
    arguments.gradient_checkpointing = not values.get('disable_gradient_checkpointing', False)
    training = {**trained_by(arguments, values.get('pure_bf16', False)), 'sequence_length': values['cutoff_len']}
    if values['finetuning_type'] == 'lora':
        assert values['lora_target'] == 'all'
        training['lora'] = {'rank': values['lora_rank'], 'dropout': values['lora_dropout'], 'targets': 'all_linear'}
    return run_from(arguments, training)


# ----------------------------------------------------------------------------------------------- Accelerate, DeepSpeed

def offload_of(optimizer, parameters):
    return 'parameters' if parameters == 'cpu' else 'optimizer' if optimizer == 'cpu' else 'none'


def accelerate_(_, files):
    from accelerate.commands.config.config_args import load_config_from_file
    config = load_config_from_file(str(files[0]))
    kind = config.distributed_type.value
    training = {'precision': MIXED[str(config.mixed_precision)]}
    accumulation = None
    cluster = {'cards': config.num_processes, 'sharding': 'ddp'} if config.num_processes > 1 else None
    if kind == 'FSDP':
        fsdp = config.fsdp_config
        assert fsdp['fsdp_version'] == 2 and fsdp['fsdp_reshard_after_forward'] and not fsdp['fsdp_offload_params']
        training['checkpointing'] = fsdp['fsdp_activation_checkpointing']
        cluster['sharding'] = 'fsdp'
    if kind == 'DEEPSPEED':
        zero = config.deepspeed_config
        training['clip'] = zero['gradient_clipping'] > 0
        accumulation = zero['gradient_accumulation_steps']
        cluster['sharding'] = f"zero{zero['zero_stage']}"
        cluster['offload'] = offload_of(zero['offload_optimizer_device'], zero['offload_param_device'])
    return Read(training, None, accumulation, cluster)


CARDS_OF_FILE = {'zero2': 8, 'zero3': 8, 'zero1_fp16': 2, 'plain': 1, 'no_zero_block': 2}


def deepspeed_(_, files):
    os.environ.setdefault('DS_ACCELERATOR', 'cpu')
    from deepspeed.runtime.config import DeepSpeedConfig
    cards = CARDS_OF_FILE[files[0].stem]
    with (mock.patch('deepspeed.runtime.config.dist.get_rank', lambda *_: 0),
          mock.patch('deepspeed.runtime.config.dist.get_world_size', lambda *_: cards)):
        config = DeepSpeedConfig(str(files[0]))
    half = 'bf16_autocast' if config.bfloat16_config.enabled else None
    half = half or ('fp16_autocast' if config.float16_config.enabled else 'fp32')
    training = {'precision': half, 'clip': config.gradient_clipping > 0}
    if config.optimizer_name:
        momentum = (config.optimizer_params or {}).get('momentum', 0)
        training['optimizer'] = {'adam': 'adamw', 'adamw': 'adamw',
                                 'sgd': 'sgd_momentum' if momentum else 'sgd'}[config.optimizer_name.lower()]
    stage = int(config.zero_config.stage)
    cluster = {'cards': cards, 'sharding': f'zero{stage}' if stage else 'ddp'} if cards > 1 else None
    blocks = config.zero_config.offload_optimizer, config.zero_config.offload_param
    if stage:
        cluster['offload'] = offload_of(*(str(getattr(block.device, 'value', block.device)) if block else 'none' for block in blocks))
    return Read(training, config.train_micro_batch_size_per_gpu, config.gradient_accumulation_steps, cluster)


# ------------------------------------------------------------------------------------------- Lightning, Hydra, a guide

def trained_in(settings):
    """A trainer of these settings on this machine, which has no GPU for its accelerator and its half precisions."""
    given = {name: value for name, value in settings.items() if name != '_target_'}
    precision = str(given.pop('precision', '32-true'))
    precision = {'16': '16-mixed', '32': '32-true', 'bf16': 'bf16-mixed'}.get(precision, precision)
    trainer = lightning.Trainer(**{**given, 'accelerator': 'cpu', 'precision': precision.replace('16-mixed', 'bf16-mixed')
                                   if precision == '16-mixed' else precision},
                                logger=False, enable_checkpointing=False)
    training = {'precision': LIGHTNING[precision], 'clip': bool(trainer.gradient_clip_val)}
    cluster = {'cards': trainer.num_devices, 'sharding': 'ddp'} if trainer.num_devices > 1 else None
    return Read(training, None, trainer.accumulate_grad_batches, cluster)


def lightning_(_, files):
    values = load(files[0])
    trainer = values.get('trainer') or values['training']['trainer']
    data = values.get('data', {}).get('train') or values.get('dataloader') or values['data_loader']
    loader = torch.utils.data.DataLoader(range(8192), **{**data, 'num_workers': 0})
    return trained_in(trainer)._replace(batch=loader.batch_size)


def lightning_cli(_, files):
    from lightning.pytorch.cli import LightningCLI
    with mock.patch.object(sys, 'argv', ['fit']):
        cli = LightningCLI(args=['--config', str(files[0]), '--trainer.accelerator=cpu', '--trainer.logger=false'],
                           run=False, save_config_callback=None)
    read = trained_in({name: value for name, value in load(files[0])['trainer'].items() if name != 'logger'})
    assert cli.trainer.accumulate_grad_batches == read.accumulation
    return read._replace(batch=cli.datamodule.hparams.batch_size, training={
        **read.training, 'checkpointing': cli.model.hparams.gradient_checkpointing})


def hydra_groups(folder, files):
    import hydra
    from omegaconf import OmegaConf
    with hydra.initialize_config_dir(version_base=None, config_dir=str(folder)):
        config = hydra.compose('train')
    data = hydra.utils.instantiate(config.data)
    return trained_in(OmegaConf.to_container(config.trainer))._replace(batch=data.hparams.batch_size)


def hydra_experiment(folder, files):
    from omegaconf import OmegaConf
    values = OmegaConf.to_container(OmegaConf.load(files[0]))
    data = values['data'].get('train', values['data'])
    return trained_in(values['trainer'])._replace(batch=data['batch_size'])


def naics(folder, files):
    import hydra
    from omegaconf import OmegaConf
    with hydra.initialize_config_dir(version_base=None, config_dir=str(folder)):
        config = hydra.compose('config')
    read = trained_in(OmegaConf.to_container(config.training.trainer))
    return read._replace(batch=config.data_loader.batch_size,
                         training={**read.training, 'negatives': config.curriculum.n_negatives})


# -------------------------------------------------------------------- what apply does not know, and has places named for

def torchtune_(_, files):
    from omegaconf import OmegaConf
    config = OmegaConf.load(files[0])
    optimizer = {'torch.optim.AdamW': 'adamw', 'bitsandbytes.optim.PagedAdamW8bit': 'paged_adamw_8bit'}
    return Read({'precision': {'bf16': 'bf16', 'fp32': 'fp32'}[config.dtype], 'clip': bool(config.clip_grad_norm),
                 'checkpointing': config.enable_activation_checkpointing,
                 'optimizer': optimizer[config.optimizer._component_]}, config.batch_size,
                config.gradient_accumulation_steps)


def axolotl(_, files):
    values = load(files[0])
    optimizer = {'paged_adamw_32bit': 'paged_adamw', 'paged_adamw_8bit': 'paged_adamw_8bit'}
    assert values['lora_target_linear'] and values['load_in_4bit']
    return Read({'precision': 'bf16_autocast' if values['bf16'] else 'fp32', 'optimizer': optimizer[values['optimizer']],
                 'checkpointing': values['gradient_checkpointing'],
                 'lora': {'rank': values['lora_r'], 'dropout': values['lora_dropout'], 'targets': 'all_linear'}},
                values['micro_batch_size'], values['gradient_accumulation_steps'])


def litgpt_(_, files):
    from litgpt.args import TrainArgs
    values = load(files[0])
    train = TrainArgs(**values['train'])
    return Read({'precision': LIGHTNING[values['precision']], 'sequence_length': train.max_seq_length},
                train.micro_batch_size, train.gradient_accumulation_iters(values['devices']))


def composer(_, files):
    values = load(files[0])
    batch = values['device_train_microbatch_size']
    assert values['global_train_batch_size'] % batch == 0
    return Read({'precision': {'amp_bf16': 'bf16_autocast', 'amp_fp16': 'fp16_autocast', 'fp32': 'fp32'}[
        values['precision']]}, batch, values['global_train_batch_size'] // batch)


def own(_, files):
    values = load(files[0])
    return Read({'precision': 'bf16_autocast' if values['bf16'] else 'fp16_autocast' if values['fp16'] else 'fp32',
                 'optimizer': values['optim']}, values['bs'], values['grad_accum'])

#!/usr/bin/env python3
"""Every key of the published libraries' configuration classes is known to `plimsoll show-config`.

    tests/pytorch/known_keys.py [--plimsoll build/release/bin/plimsoll] [--wheels FOLDER]

Downloads the newest wheels without their dependencies, and reads the classes' sources. A file with every key at its
default must have no unknown key, and be estimated; a file of a trainer that is not modelled must be refused. Files of
settings that the wheels bring must have no unknown key, and be estimated or refused because of one.
"""

import argparse
import ast
import json
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGES = ('transformers', 'trl', 'peft', 'accelerate', 'lightning', 'llamafactory', 'deepspeed', 'axolotl', 'torchtune')
TRAINER = {'per_device_train_batch_size': 1, 'num_train_epochs': 1}
NO_SETTINGS = {'commands', 'command_file'}  # of `accelerate` itself, on TPUs


class Library:
    """The Python sources of a package that was downloaded, not installed."""

    def __init__(self, folder, package):
        (file,) = [one for one in folder.iterdir() if one.name.startswith(package + '-')]
        if file.suffix == '.whl':
            with zipfile.ZipFile(file) as wheel:
                self.sources = {name: wheel.read(name).decode() for name in wheel.namelist() if name.endswith(('.py', '.yaml'))}
        else:
            with tarfile.open(file) as archive:
                self.sources = {one.name.split('/', 1)[1]: archive.extractfile(one).read().decode()
                                for one in archive if one.name.endswith(('.py', '.yaml'))}

    def keys(self, path, *classes):
        """Fields and their defaults of these classes of a file; of all of them, if none is named."""
        found = {}
        for node in ast.parse(self.sources[path]).body:
            if isinstance(node, ast.ClassDef) and (not classes or node.name in classes):
                found |= {name_of(one): default_of(one.value) for one in node.body if isinstance(one, ast.AnnAssign)}
        assert found, (path, classes)
        return found

    def parameters(self, path, name):
        """Those of a class's constructor."""
        for node in ast.walk(ast.parse(self.sources[path])):
            if isinstance(node, ast.ClassDef) and node.name == name:
                (init,) = [one for one in node.body if getattr(one, 'name', '') == '__init__']
                named = init.args.args[1:]
                defaults = [None] * (len(named) - len(init.args.defaults)) + init.args.defaults
                return {one.arg: default_of(value) for one, value in
                        zip(named + init.args.kwonlyargs, defaults + init.args.kw_defaults)}
        raise KeyError(name)

    def matches(self, path, pattern):
        return dict.fromkeys(re.findall(pattern, self.sources[path]))


def name_of(field):
    alias = next((one.value for one in getattr(field.value, 'keywords', []) if one.arg == 'alias'), None)
    return ast.literal_eval(alias) if alias else field.target.id


def default_of(value):
    if isinstance(value, ast.Call):  # field(default=…), Field(…)
        named = [one.value for one in value.keywords if one.arg == 'default']
        value = (named or value.args or [None])[0]
        if isinstance(value, ast.Call):  # pp_int(5e8)
            value = value.args[0] if value.args else None
    try:
        return ast.literal_eval(value) if value is not None else None
    except ValueError:
        return None


def files(of):
    """Name, configuration, and whether it is estimated."""
    arguments = of['transformers'].keys('transformers/training_args.py', 'TrainingArguments')
    yield 'Transformers', {**arguments, **TRAINER}, True
    base = {**arguments, **of['trl'].keys('trl/trainer/base_config.py', '_BaseConfig')}
    model = of['trl'].keys('trl/trainer/model_config.py', 'ModelConfig')
    for name, modelled in (('sft', True), ('dpo', True), ('kto', True), ('grpo', True), ('rloo', False), ('reward', True)):
        own = of['trl'].keys(f'trl/trainer/{name}_config.py')
        if name == 'reward':
            own['center_rewards_coefficient'] = 0.01  # the key by which its files are known
        yield f'TRL, {name}', {**base, **model, **own, **TRAINER}, modelled
    hparams = [path for path in of['llamafactory'].sources if re.fullmatch(r'llamafactory/hparams/(?!eval)\w+_args.py', path)]
    factory = {key: value for path in hparams for key, value in of['llamafactory'].keys(path).items()}
    yield 'LLaMA-Factory', {**arguments, **factory, **TRAINER, 'template': 'qwen3', 'finetuning_type': 'lora',
                            'cutoff_len': 1024}, True
    adapters = of['peft'].keys('peft/tuners/lora/config.py', 'LoraConfig')
    yield 'PEFT', {**TRAINER, 'lora': adapters}, True
    launch = of['accelerate'].keys('accelerate/commands/config/config_args.py', 'BaseConfig', 'ClusterConfig')
    cluster = 'accelerate/commands/config/cluster.py'
    launch = {key: value for key, value in launch.items() if key not in NO_SETTINGS}
    launch |= {f'{of_what}_config': of['accelerate'].matches(cluster, rf'{of_what}_config\["(\w+)"\]')
               for of_what in ('fsdp', 'deepspeed')}
    for kind in ('NO', 'FSDP', 'DEEPSPEED'):
        yield f'Accelerate, {kind}', {**launch, 'distributed_type': kind, 'num_processes': 2,
                                      'compute_environment': 'LOCAL_MACHINE'}, True
    zero = of['deepspeed'].keys('deepspeed/runtime/zero/config.py', 'DeepSpeedZeroConfig')
    offload = of['deepspeed'].sources['deepspeed/runtime/zero/offload_config.py'] and {
        f'offload_{which}': of['deepspeed'].keys('deepspeed/runtime/zero/offload_config.py', f'DeepSpeedZeroOffload{kind}Config')
        for which, kind in (('optimizer', 'Optimizer'), ('param', 'Param'))}
    yield 'DeepSpeed', {'train_micro_batch_size_per_gpu': 1, 'zero_optimization': {**zero, **offload}}, True
    schemas = {'config': ('AxolotlInputConfig',), 'model': ('ModelInputConfig', 'ModelOutputConfig'),
               'peft': ('LoraConfig', 'ReLoRAConfig'), 'training': ('HyperparametersConfig', 'JaggedLRConfig', 'LISAConfig'),
               'integrations': (), 'multimodal': ('MultiModalConfig',), 'deprecated': ()}
    axolotl = {key: value for name, classes in schemas.items()
               for key, value in of['axolotl'].keys(f'axolotl/utils/schemas/{name}.py', *classes).items()}
    yield 'axolotl', {**axolotl, 'base_model': 'gpt2', 'micro_batch_size': 1}, True
    trainer = of['lightning'].parameters('lightning/pytorch/trainer/trainer.py', 'Trainer')
    yield 'Lightning', {'trainer': {**trainer, 'devices': 1}, 'data': {'batch_size': 1}}, True
    for name in ('DDP', 'FSDP', 'DeepSpeed'):
        arguments = of['lightning'].parameters(f'lightning/pytorch/strategies/{name.lower()}.py', f'{name}Strategy')
        strategy = {'class_path': f'{name}Strategy', 'init_args': arguments}
        yield f'Lightning, {name}', {'trainer': {'max_epochs': 1, 'devices': 2, 'strategy': strategy}, 'data': {'batch_size': 1}}, True


def check(program, config, modelled, folder):
    (folder / 'config.json').write_text(json.dumps(config))
    (folder / 'train.json').write_text(json.dumps(TRAINER))
    beside = [] if {'data', 'per_device_train_batch_size', 'micro_batch_size'} & config.keys() else [folder / 'train.json']
    done = subprocess.run([program, '--json', 'show-config', folder / 'config.json', *beside, '--preset', 'gpt2', '--gpu',
                           'a100_80gb'], capture_output=True, text=True)
    text = done.stdout + done.stderr
    found = re.findall(r'not known, and taken to change nothing: ([^"\n\\]*)', text)
    if found:
        return f'unknown: {found[0]}'
    if modelled == ('There is no estimate' in text):
        return f'wrongly {"refused" if modelled else "estimated"}: {text}'
    return '' if modelled == (done.returncode == 0) else text


def brought(of):
    """Name and text of the launchers' and recipes' files."""
    for package, folder in (('torchtune', 'recipes/configs/'), ('trl', 'trl/accelerate_configs/')):
        for path, text in of[package].sources.items():
            if path.startswith(folder) and path.endswith('.yaml') and ('\noptimizer:' in text or package == 'trl'):
                yield path, text


def check_brought(program, text, folder):
    (folder / 'brought.yaml').write_text(text)
    (folder / 'train.json').write_text(json.dumps(TRAINER))
    beside = [] if 'batch_size' in text else [folder / 'train.json']
    asked = [program, 'show-config', folder / 'brought.yaml', *beside, '--preset', 'llama-1b', '--gpu', 'a100_80gb']
    done = subprocess.run(asked, capture_output=True, text=True)
    if 'give --cards' in done.stderr:
        done = subprocess.run([*asked, '--cards', '8'], capture_output=True, text=True)
    text = done.stdout + done.stderr
    return '' if 'not known' not in text and (done.returncode == 0 or 'There is no estimate' in text) else text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--plimsoll', default=ROOT / 'build/release/bin/plimsoll')
    parser.add_argument('--wheels', type=pathlib.Path, help='use these instead of downloading')
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if not options.wheels:
            subprocess.run([sys.executable, '-m', 'pip', 'download', '-q', '--no-deps', '-d', folder / 'wheels', *PACKAGES],
                           check=True)
        of = {package: Library(options.wheels or folder / 'wheels', package) for package in PACKAGES}
        wrong = 0
        for name, config, modelled in files(of):
            answer = check(options.plimsoll, config, modelled, folder)
            wrong += bool(answer)
            print(f'{"WRONG" if answer else "ok   "} {name}: {len(config)} keys {answer}')
        for name, text in brought(of):
            if answer := check_brought(options.plimsoll, text, folder):
                wrong += 1
                print(f'WRONG {name}: {answer}')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())

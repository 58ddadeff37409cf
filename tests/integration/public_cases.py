"""What the cases from the public world share: how they run the programs."""

import json
import os
import pathlib
import subprocess

from harness import BIN, Server

GIB = 2 ** 30
CASES = {}  # number: source, function
ALL_LINEAR = "q_proj,k_proj,v_proj,o_proj,gate_proj,up_proj,down_proj"
FACTORY = {"model_name_or_path": "Qwen/Qwen3-4B", "stage": "sft", "do_train": True, "finetuning_type": "lora", "lora_target": "all",
           "lora_rank": 8, "template": "qwen3", "cutoff_len": 2048, "per_device_train_batch_size": 1, "gradient_accumulation_steps": 8,
           "learning_rate": 1e-4, "bf16": True}
TRL = {"model_name_or_path": "mistralai/Mistral-7B-v0.1", "bf16": True, "gradient_checkpointing": True, "max_length": 1024,
       "per_device_train_batch_size": 2, "gradient_accumulation_steps": 4, "learning_rate": 5.0e-7, "dataset_num_proc": 4}
AXOLOTL = {"base_model": "NousResearch/Meta-Llama-3.1-8B", "micro_batch_size": 1, "gradient_accumulation_steps": 4,
           "sequence_len": 4096, "gradient_checkpointing": True, "bf16": "auto", "optimizer": "adamw_bnb_8bit"}


def case(number, source):
    def add(function):
        CASES[number] = source, function
        return function
    return add


class World:
    """A folder with what a case writes, and the programs."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self._server = None

    @property
    def server(self):
        if not self._server:
            self._server = Server().start()
            self.api = self._server.api()
        return self._server

    def remove(self):
        if self._server:
            self._server.remove()

    def write(self, name, content):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else
                         (content if isinstance(content, str) else json.dumps(content)).encode())
        return path

    def run(self, *arguments):
        """Exit status, JSON or None, text."""
        env = {**os.environ, "PLIMSOLL_CREDENTIALS": str(self.folder / "none.json"), "HF_HOME": str(self.folder)}
        done = subprocess.run([BIN / "plimsoll", *map(str, arguments)], cwd=self.folder, capture_output=True, text=True, env=env)
        try:
            return done.returncode, json.loads(done.stdout or done.stderr), done.stdout + done.stderr
        except ValueError:
            return done.returncode, None, done.stdout + done.stderr

    def model(self, model):
        return ("--preset", model) if isinstance(model, str) else ("--config", self.write("model.json", model))

    def card(self, model, *flags):
        """The only GPU of an estimate."""
        _, told, text = self.run("--json", "estimate", *self.model(model), *flags)
        assert told and "gpus" in told, text
        return told["gpus"][0]

    def reserved(self, model, *flags):
        return self.card(model, *flags)["memory"]["peak_reserved_bytes"] / GIB

    def refusal(self, model, *flags):
        status, told, text = self.run("--json", "estimate", *self.model(model), *flags)
        assert status != 0 and told and "error" in told, text
        return told["error"]["message"]

    def shown(self, *files, flags=()):
        """A run's answer by show-config, from mappings."""
        paths = [one if isinstance(one, pathlib.Path) else self.write(f"run{i}.json", one) for i, one in enumerate(files)]
        status, told, text = self.run("--json", "show-config", *paths, *flags)
        assert status == 0 and told and "fits" in told, text
        return told

    def unmodelled(self, *files, flags=()):
        paths = [one if isinstance(one, pathlib.Path) else self.write(f"run{i}.json", one) for i, one in enumerate(files)]
        status, _, text = self.run("show-config", *paths, *flags)
        assert status != 0 and ("not modelled" in text or "--method" in text or "modelled" in text), text
        return text


def near(found, published, low=-5, high=20):
    off = (found / published - 1) * 100
    assert low <= off <= high, f"{found:.2f} against {published}: {off:+.1f} %"

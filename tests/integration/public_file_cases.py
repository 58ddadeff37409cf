"""Models, configurations and prices as people have them in files."""

import datetime
import json
import re

import public_models as models
from public_cases import ALL_LINEAR, AXOLOTL, FACTORY, GIB, TRL, case, near


@case(20, "google/gemma-3-4b-it: nested, and only what differs from the class's defaults")
def _(w):
    _, told, text = w.run("--json", "estimate", *w.model(models.GEMMA3_4B), "--gpu", "b300")
    assert told and ("text_config" in text or told["model"]["parameters"] >= 3880e6), text[:300]
    _, told, text = w.run("--json", "estimate", *w.model(models.GEMMA3_4B["text_config"]), "--gpu", "b300")
    assert told and round(told["model"]["parameters"] / 1e6, 1) == 3880.3, text


@case(21, "CLIP and Llama-4: no advice that leads nowhere")
def _(w):
    told = w.refusal({"model_type": "clip", "text_config": {"model_type": "clip_text_model"}}, "--gpu", "b300")
    assert "Give only its" not in told, told
    scout = w.card({"model_type": "llama4", "text_config": {"model_type": "llama4_text"}}, "--gpu", "b300", "--batch", 1)
    assert scout["parameters"] > 1e11, scout["parameters"]


@case(22, "other types are modelled, or refused by what they are: never guessed")
def _(w):
    for model_type in models.MODELLED:
        _, told, text = w.run("--json", "estimate", *w.model({"model_type": model_type, "hidden_size": 1024}), "--gpu", "b300")
        assert told and told["model"]["parameters"] > 1e8, (model_type, text[:300])
    for model_type, says in models.REFUSED.items():
        assert says in w.refusal({"model_type": model_type, "hidden_size": 1024}, "--gpu", "b300"), model_type


@case(23, "google/mt5-base")
def _(w):
    assert w.card(models.MT5_BASE, "--gpu", "a100_80gb", "--sequence-length", 512, "--batch", 1)["fits"] == "yes"


@case(24, "openai/whisper-small: transcription is refused")
def _(w):
    told = w.refusal({"model_type": "whisper", "architectures": ["WhisperForConditionalGeneration"], "d_model": 768,
                      "encoder_layers": 12, "encoder_attention_heads": 12, "encoder_ffn_dim": 3072, "num_mel_bins": 80, "vocab_size": 51865,
                      "max_source_positions": 1500}, "--gpu", "b300")
    assert "transcription" in told, told


# ------------------------------------------------------------------------------------ files of a run

@case(25, "alignment-handbook, zephyr-7b: SFT on 8 x 80 GB with ZeRO-3, batch 16; QLoRA on one")
def _(w):
    zero = {"compute_environment": "LOCAL_MACHINE", "distributed_type": "DEEPSPEED", "mixed_precision": "bf16", "num_processes": 8,
            "deepspeed_config": {"zero_stage": 3, "offload_optimizer_device": "none", "zero3_init_flag": True}}
    model = models.decoder("mistral", 32, 4096, 32, 8, 14336, 32000, sliding_window=4096)
    flags = ("--gpu", "a100_80gb", *w.model(model))
    told = w.shown(TRL | {"learning_rate": 2e-5, "per_device_train_batch_size": 16, "gradient_accumulation_steps": 1}, zero, flags=flags)
    assert (told["batch"], told["effective_batch"], told["fits"]) == (16, 128, "yes"), told
    assert not any("learning_rate" in note for note in told["notes"]), told["notes"]
    lora = {"load_in_4bit": True, "use_peft": True, "lora_r": 16, "lora_target_modules": ALL_LINEAR.split(",")}
    assert w.shown(TRL | lora, flags=flags)["fits"] == "yes"


@case(26, "alignment-handbook, zephyr DPO and ORPO: 8 x 46 GB runs out at batch 1 in 2023 (#22)")
def _(w):
    dpo = TRL | {"beta": 0.01, "per_device_train_batch_size": 8, "max_prompt_length": 512}
    assert "--method" in w.unmodelled(dpo, flags=("--gpu", "a100_80gb", "--preset", "llama-7b"))
    flags = ("--gpu", "l40s", "--preset", "llama-7b", "--cards", 8, "--sharding", "zero3")
    assert w.shown(dpo, flags=(*flags, "--method", "orpo"))["training"]["method"] == "orpo"
    told = w.shown(dpo, flags=(*flags, "--method", "dpo"))
    assert (told["training"]["method"], told["training"]["reference"]) == ("dpo", "model"), told


@case(27, "LLaMA-Factory DPO, KTO, reward and PPO; TRL's GRPO and reward models")
def _(w):
    flags = ("--gpu", "a100_80gb", "--preset", "qwen3-4b")
    plain = w.shown(FACTORY, flags=flags)["device_used_bytes"]
    for stage, more in (("dpo", 1.2), ("kto", 0.9)):  # a batch of 1 is a pair, but for KTO
        told = w.shown(FACTORY | {"stage": stage}, flags=flags)
        assert told["training"]["method"] == stage and told["device_used_bytes"] > more * plain, told
    for stage in ("rm", "ppo"):
        assert f"stage is {stage}" in w.unmodelled(FACTORY | {"stage": stage}, flags=flags)
    grpo = w.shown(TRL | {"num_generations": 8, "max_completion_length": 256}, flags=flags)
    assert (grpo["training"]["method"], grpo["training"]["target_length"]) == ("grpo", 256), grpo
    ppo = w.shown(TRL | {"vf_coef": 0.1, "response_length": 100}, flags=flags)
    assert (ppo["training"]["method"], ppo["training"]["target_length"]) == ("ppo", 100), ppo
    assert "as large as the policy" in w.unmodelled(TRL | {"vf_coef": 0.1, "reward_model_path": "a/b"}, flags=flags)
    vllm = TRL | {"num_generations": 8, "use_vllm": True}
    beside, apart = [w.shown(vllm | {"vllm_mode": mode}, flags=flags)["device_used_bytes"] for mode in ("colocate", "server")]
    near((beside - apart) / GIB, 0.3 * 79.1, low=-0.1, high=0.1)
    assert w.shown(TRL | {"center_rewards_coefficient": 0.01}, flags=flags)["training"]["method"] == "reward"


@case(28, "LLaMA-Factory, quantization_bit 4: 9.2 GiB; 8")
def _(w):
    flags = ("--gpu", "rtx_4090", "--preset", "qwen3-4b")
    found = [w.shown(FACTORY | {"quantization_bit": bits}, flags=flags)["device_used_bytes"] / GIB for bits in (4, 8)]
    near(found[0], 9.2)  # 11.3 with the rest in fp32, but LLaMA-Factory 0.9.5 leaves it in the checkpoint's 16 bits
    assert found[0] < found[1] < w.shown(FACTORY, flags=flags)["device_used_bytes"] / GIB * 1.3, found


@case(29, "LLaMA-Factory, LoRA in bf16: frozen weights in 16 bits, 14.2 GiB")
def _(w):
    near(w.shown(FACTORY, flags=("--gpu", "rtx_4090", "--preset", "qwen3-4b"))["device_used_bytes"] / GIB, 14.2)


@case(30, "a DeepSpeed file that is named, or in the arguments: ZeRO-3 on 8 GPUs, 16.8 GiB, not DDP")
def _(w):
    zero = {"train_micro_batch_size_per_gpu": "auto", "gradient_accumulation_steps": "auto", "bf16": {"enabled": "auto"},
            "zero_optimization": {"stage": 3}}
    w.write("ds_z3.json", zero)
    full = {key: value for key, value in FACTORY.items() if not key.startswith("lora")} | {"finetuning_type": "full"}
    for deepspeed in ("ds_z3.json", zero):
        told = w.shown(full | {"deepspeed": deepspeed}, flags=("--gpu", "rtx_4090", "--preset", "qwen3-4b", "--cards", 8))
        assert told["cluster"]["sharding"] == "zero3" and told["fits"] == "yes", told
        near(told["device_used_bytes"] / GIB, 16.8, low=-10)
    w.write("here.json", full | {"deepspeed": "deepspeed_configs/ds_z3.json"})
    told = w.run("--json", "show-config", "here.json", "--gpu", "rtx_4090", "--preset", "qwen3-4b", "--cards", 8)[1]
    assert told["cluster"]["sharding"] == "zero3", told
    assert "is not there" in w.unmodelled(full | {"deepspeed": "modelled.json"}, flags=("--gpu", "rtx_4090", "--preset", "qwen3-4b"))


@case(31, "LLaMA-Factory: freeze, other optimizers, FP8, unsloth and what trains besides adapters are named; defaults are its own")
def _(w):
    flags = ("--gpu", "a100_80gb", "--preset", "qwen3-4b")
    for key in ("use_galore", "use_apollo", "use_badam", "use_adam_mini", "use_muon", "use_unsloth"):
        assert f"{key} is True" in w.unmodelled(FACTORY | {key: True}, flags=flags) or key in w.unmodelled(FACTORY | {key: True}, flags=flags)
    assert "FP8 is not modelled" in w.shown(FACTORY | {"fp8": True}, flags=flags)["notes"][0]
    assert "freeze" in w.unmodelled(FACTORY | {"finetuning_type": "freeze"}, flags=flags)
    eight = w.shown(FACTORY, flags=flags)["device_used_bytes"]
    # A copy of 389 million numbers in fp32, its gradients and both moments, and fp32 from layer to layer; in larger segments.
    near((w.shown(FACTORY | {"additional_target": "embed_tokens"}, flags=flags)["device_used_bytes"] - eight) / GIB, 5.8, 0, 45)
    assert w.shown({key: value for key, value in FACTORY.items() if key != "lora_rank"}, flags=flags)["device_used_bytes"] == eight
    assert w.shown(FACTORY | {"flash_attn": "fa2"}, flags=flags)["training"]["attention"] == "flash_attention_2"
    assert w.shown(FACTORY | {"enable_liger_kernel": True}, flags=flags)["device_used_bytes"] < eight


@case(32, "Accelerate's and Transformers' FSDP, by every strategy")
def _(w):
    flags = ("--gpu", "a100_80gb", "--preset", "llama-1b")
    train = {"per_device_train_batch_size": 2, "bf16": True}

    def launch(**fsdp):
        return {"compute_environment": "LOCAL_MACHINE", "distributed_type": "FSDP", "num_processes": 4, "mixed_precision": "bf16",
                "fsdp_config": {"fsdp_version": 2} | fsdp}
    assert w.shown(launch(fsdp_sharding_strategy="NO_SHARD"), train, flags=flags)["cluster"]["sharding"] == "ddp"
    assert w.shown(launch(fsdp_sharding_strategy="FULL_SHARD"), train, flags=flags)["cluster"]["sharding"] == "fsdp"
    hybrid = w.shown(launch(fsdp_sharding_strategy="HYBRID_SHARD") | {"num_machines": 2}, train, flags=flags)
    assert hybrid["cluster"]["replicas"] == 2, hybrid
    whole = w.shown(launch(), train, flags=flags)["device_used_bytes"]
    for own in ({"fsdp_sharding_strategy": "SHARD_GRAD_OP"}, {"fsdp_reshard_after_forward": False}):
        told = w.shown(launch(**own), train, flags=flags)
        assert told["cluster"]["sharding"] == "fsdp_grad_op" and told["device_used_bytes"] > whole, told
    for kind in ("MEGATRON_LM", "TP"):
        w.unmodelled({"compute_environment": "LOCAL_MACHINE", "distributed_type": kind}, train, flags=flags)
    w.unmodelled(launch() | {"parallelism_config": {"parallelism_config_tp_size": 2}}, train, flags=flags)
    w.unmodelled(train | {"fsdp": ["hybrid_shard"]}, flags=flags)
    told = w.shown(train | {"fsdp": ["full_shard", "auto_wrap"], "fsdp_config": {"activation_checkpointing": True}}, flags=(*flags, "--cards", 4))
    assert told["training"]["checkpointing"] and told["cluster"]["sharding"] == "fsdp", told


@case(33, "DeepSpeed: stages, offload and buckets are read; other types and divisions are named")
def _(w):
    flags = ("--gpu", "a100_80gb", "--preset", "llama-1b", "--cards", 4)
    zero = {"train_micro_batch_size_per_gpu": 2, "bf16": {"enabled": True}}
    assert w.shown(zero | {"zero_optimization": {"stage": 2, "cpu_offload": True}}, flags=flags)["cluster"]["offload"] == "optimizer"
    w.unmodelled(zero | {"zero_optimization": {"stage": 3, "zero_hpz_partition_size": 8}}, flags=flags)
    used = [w.shown(zero | {"zero_optimization": {"stage": 2, "reduce_bucket_size": 2e9} | own}, flags=flags)["device_used_bytes"] / GIB
            for own in ({}, {"overlap_comm": True})]
    near(used[1] - used[0], 2e9 * 2 / GIB, high=5)  # a second bucket
    for more in ({"bf16": {"enabled": True, "bf16_master_weights_and_grads": True}}, {"tensor_parallel": {"autotp_size": 2}},
                 {"optimizer": {"type": "OneBitAdam"}}):
        w.unmodelled(zero | {"zero_optimization": {"stage": 2}} | more, flags=flags)


@case(34, "Lightning: devices and strategies as people write them")
def _(w):
    flags = ("--gpu", "a100_80gb", "--preset", "bert-base")

    def cluster(**trainer):
        return w.shown({"trainer": {"max_epochs": 1} | trainer, "data": {"batch_size": 8}}, flags=flags)
    for devices in ([0, 1, 2, 3], "0,1,2,3", 4, "4"):
        assert cluster(devices=devices, strategy="ddp")["cluster"]["cards"] == 4, devices
    assert cluster(devices=2, num_nodes=2, strategy="ddp")["cluster"]["cards"] == 4
    assert any("number of GPUs" in note for note in cluster(devices=-1)["notes"])
    fsdp = {"class_path": "lightning.pytorch.strategies.FSDPStrategy"}
    assert cluster(devices=4, strategy=fsdp)["cluster"]["sharding"] == "fsdp"
    assert cluster(devices=4, strategy="deepspeed_stage_3_offload", precision="bf16-mixed")["cluster"] == {
        "sharding": "zero3", "cards": 4, "offload": "parameters", "reduce_bucket_size": 200_000_000}
    assert cluster(devices=1, precision="bf16-true")["training"]["precision"] == "bf16"
    w.unmodelled({"trainer": {"max_epochs": 1, "accumulate_grad_batches": {0: 8, 4: 4}}, "data": {"batch_size": 8}}, flags=flags)


@case(35, "axolotl: show-config reads it, apply writes its settings and leaves bf16: auto")
def _(w):
    told = w.shown(AXOLOTL | {"adapter": "lora", "lora_r": 16, "lora_target_linear": True}, flags=("--gpu", "rtx_4090"))
    assert (told["training"]["precision"], told["training"]["lora_rank"], told["accumulation"]) == ("bf16", 16, 4), told["training"]
    w.write("report.json", w.run("--json", "estimate", "--preset", "llama-8b", "--lora", 16, "--checkpointing", "--gpu", "a100_80gb")[2])
    path = w.write("axolotl.yaml", "".join(f"{key}: {json.dumps(value)}\n" for key, value in AXOLOTL.items()))
    _, _, text = w.run("apply", "report.json", path, "--dry-run")
    assert "+micro_batch_size: " in text and "-bf16" not in text, text


@case(36, "ashleve/lightning-hydra-template: trainer and data change, model and search do not")
def _(w):
    w.write("report.json", w.run("--json", "estimate", "--preset", "bert-base", "--gpu", "rtx_4090")[2])
    files = {"trainer.yaml": "_target_: lightning.pytorch.trainer.Trainer\nmax_epochs: 10\naccelerator: gpu\ndevices: 1\nprecision: 32\n",
             "data.yaml": "_target_: src.data.mnist_datamodule.MNISTDataModule\nbatch_size: 128\nnum_workers: 0\n",
             "model.yaml": "_target_: src.models.LitModule\noptimizer: {_target_: torch.optim.Adam, _partial_: true, weight_decay: 0.0}\n",
             "search.yaml": "hydra: {sweeper: {params: {model.optimizer.lr: 'interval(0.0001, 0.1)'}}}\n"}
    changed = set()
    for name, content in files.items():
        _, _, text = w.run("apply", "report.json", w.write(name, content), "--dry-run")
        changed |= {name for _ in re.findall(r"(?m)^\+[a-z_]+:", text)}
    assert changed == {"trainer.yaml", "data.yaml"}, changed


@case(37, "GPUs of reports, by their names; a suggestion never has less memory or an older generation")
def _(w):
    for name, id in (("RTX A6000", "rtx_a6000"), ("A40", "a40"), ("A5000", "rtx_a5000"), ("A10G", "a10g"), ("P100", "p100"),
                     ("2080 Ti", "rtx_2080_ti"), ("3080", "rtx_3080"), ("4060 Ti 16G", "rtx_4060_ti_16gb"), ("H20", "h20"),
                     ("RTX PRO 6000", "rtx_pro_6000"), ("GH200", "gh200"), ("MI300X", "mi300x")):
        assert w.card("bert-base", "--gpu", name)["gpu"]["id"].startswith(id), name
    told = w.refusal("bert-base", "--gpu", "RTX Z6000")
    assert "--gpu-memory" in told and "rtx_6000\"" not in told, told


def table(separator, header, row, newest_first=False, count=30):
    """Made-up prices; "|" stands between columns."""
    rows = []
    for i in range(count):
        day, close = datetime.datetime(2024, 1, 1, tzinfo=datetime.timezone.utc) + datetime.timedelta(days=i), 1000 + i * 37 % 90 + i / 4
        rows.append(row(day, close - 3, close + 8, close - 9, close))
    text = "\n".join([*([header] if header else []), *(rows[::-1] if newest_first else rows)]) + "\n"
    return text.replace("|", separator)


def german(number):
    return f"{number:,.2f}".replace(",", "_").replace(".", ",").replace("_", ".")


PRICES = {
    "alphavantage": table(",", "timestamp|open|high|low|close|volume", lambda d, o, h, l, c: f"{d:%F}|{o}|{h}|{l}|{c}|100", True),
    "investing": table(",", "\ufeffDate|Price|Open|High|Low|Vol.|Change %", lambda d, o, h, l, c: (
        f'"{d:%m/%d/%Y}"|"{c:,.2f}"|"{o:,.2f}"|"{h:,.2f}"|"{l:,.2f}"|"80.21M"|"0.1%"'), True),
    "nasdaq": table(",", "Date|Close/Last|Volume|Open|High|Low", lambda d, o, h, l, c: f"{d:%m/%d/%Y}|${c}|9|${o}|${h}|${l}", True),
    "wsj": table(",", "Date| Open| High| Low| Close", lambda d, o, h, l, c: f"{d:%m/%d/%y}|{o}|{h}|{l}|{c}", True),
    "nse": table(",", '"Date "|"series "|"OPEN "|"HIGH "|"LOW "|"close "', lambda d, o, h, l, c: (
        f'"{d:%d-%b-%Y}"|"EQ"|"{o:,.2f}"|"{h:,.2f}"|"{l:,.2f}"|"{c:,.2f}"'), True),
    "binance": table(",", "", lambda d, o, h, l, c: f"{d.timestamp():.0f}000|{o}|{h}|{l}|{c}|5|1|1|1|1|1|0"),
    "kraken": table(",", "", lambda d, o, h, l, c: f"{d.timestamp():.0f}|{o}|{h}|{l}|{c}|5|1"),
    "mt5": table("\t", "<DATE>|<TIME>|<OPEN>|<HIGH>|<LOW>|<CLOSE>", lambda d, o, h, l, c: f"{d:%Y.%m.%d}|00:00:00|{o}|{h}|{l}|{c}"),
    "excel_de": table(";", "Datum|Eröffnung|Hoch|Tief|Schluss", lambda d, o, h, l, c: (
        f"{d:%d.%m.%Y}|{german(o)}|{german(h)}|{german(l)}|{german(c)}")),
    "fred": table(",", "observation_date|SP500", lambda d, o, h, l, c: f"{d:%F}|{c if d.weekday() < 5 else '.'}"),
    "yahoo": table(",", "Date|Open|High|Low|Close|Adj Close|Volume", lambda d, o, h, l, c: (
        f"{d:%F}|{o}|{h}|{l}|{c}|{c}|9" if d.day != 9 else f"{d:%F}|null|null|null|null|null|null")),
    "yfinance": table(",", "Price|Close|High|Low|Open|Volume\nTicker|A|A|A|A|A\nDate|||||", lambda d, o, h, l, c: f"{d:%F}|{c}|{h}|{l}|{o}|9"),
    "cryptodatadownload": table(",", "https://www.CryptoDataDownload.com\nunix|date|symbol|open|high|low|close", lambda d, o, h, l, c: (
        f"{d.timestamp():.0f}|{d:%F} 00:00:00|BTC/USD|{o}|{h}|{l}|{c}"), True),
}


@case(42, "prices as sites and libraries write them")
def _(w):
    for name, content in [*PRICES.items(), ("mt5 in UTF-16", PRICES["mt5"])]:
        status, _, text = w.run("waves", w.write(f"{name}.csv", content.encode("utf-16" if "UTF-16" in name else "utf-8")))
        assert status == 0 and re.search(r"to 2024-01-30, last close 10[0-9.]+" if name != "fred" else "last close 10", text), (name, text[:300])

"""Estimates against what others measured."""

import public_models as models
from public_cases import ALL_LINEAR, AXOLOTL, GIB, case, near


@case(1, "peft, method_comparison/MetaMathQA: Llama-3.2-3B on an L40S, max 22.27e9 bytes")
def _(w):
    near(w.reserved(models.LLAMA_3B, "--gpu", "l40s", "--lora", 32, "--sequence-length", 768, "--batch", 4), 22.27e9 / GIB, high=12)


@case(2, 'axolotl examples: devstral QLoRA 21 GiB, ministral 8.76, fft-8b 48, "about"')
def _(w):
    packed = ("--packed", "--checkpointing", "--attention", "flash_attention_2", "--gpu", "a100_80gb", "--batch", 1)
    full = w.reserved("llama-8b", *packed, "--sequence-length", 8192, "--optimizer", "paged_adamw_8bit")
    near(full, 48)
    lora = ("--lora", 32, "--lora-modules", ALL_LINEAR, "--quantization", "nf4_double", "--fused-loss", "--sequence-length", 2048)
    near(w.reserved(models.DEVSTRAL, *packed, *lora, "--optimizer", "adam_8bit"), 21)
    near(w.reserved(models.MINISTRAL, *packed, *lora, "--optimizer", "adam_8bit", "--precision", "bf16"), 8.76, low=-15)


@case(3, "axolotl#3800: LoRA of rank 16 at 32k tokens with fused kernels: 13 to 35 % below what peft keeps")
def _(w):
    axolotl = AXOLOTL | {"adapter": "lora", "lora_r": 16, "lora_target_modules": ALL_LINEAR.split(","), "sample_packing": True,
                         "flash_attention": True, "cut_cross_entropy": True, "sequence_len": 32768}
    fused = {"lora_mlp_kernel": True, "lora_qkv_kernel": True, "lora_o_kernel": True}
    flags = ("--gpu", "rtx_5090", *w.model(models.QWEN3_1B7))
    found = [w.shown(axolotl | own, flags=flags)["device_used_bytes"] for own in ({}, fused)]
    near(found[0] / found[1], 1.2, low=-8, high=15)


@case(6, "AnswerDotAI/fsdp_qlora, 03/2024, on 2 x 24 GB: LoRA and QLoRA under FSDP; 70B with offload. Older software")
def _(w):
    run = ("--cards", 2, "--sharding", "fsdp", "--checkpointing", "--precision", "bf16", "--gpu", "rtx_3090", "--lora", 64,
           "--lora-modules", ALL_LINEAR, "--set", "training.lora.dropout=0")
    packed = (*run, "--quantization", "nf4")
    for flags, length, batch, published in ((run, 512, 1, 10.24), (run, 2048, 4, 16.14), (run, 2048, 6, 21.35), (packed, 512, 1, 4.98),
                                            (packed, 2048, 4, 11.22), (packed, 2048, 10, 20.97)):
        near(w.reserved("llama-7b", *flags, "--sequence-length", length, "--batch", batch), published, low=-12)
    assert w.card(models.LLAMA_34B, *packed, "--sequence-length", 2048, "--batch", 2)["fits"] != "no"
    large = (*packed, "--sequence-length", 2048, "--batch", 2)
    assert w.card(models.LLAMA_70B, *large)["fits"] == "no"
    assert w.card(models.LLAMA_70B, *large, "--offload", "parameters")["fits"] == "yes"


@case(7, "LitGPT, resource table: Llama-2-7B LoRA, batch 1 of 1304 tokens, 21.30 GB allocated")
def _(w):
    told = w.card("llama-7b", "--lora", 8, "--sequence-length", 1304, "--batch", 1, "--gpu", "a100_40gb", "--precision", "bf16",
                  "--set", "training.lora.dtype=model")
    near(told["memory"]["peak_allocated_bytes"] / 1e9, 21.30, high=5)


@case(4, "torchtune README: Llama-3.1-8B, batch 2, 2048 tokens; the 4090 has 18.9 GiB with its optimizer in backward")
def _(w):
    run = ("--sequence-length", 2048, "--batch", 2, "--checkpointing", "--precision", "bf16", "--fused-loss")
    near(w.reserved("llama-8b", *run, "--gpu", "a6000", "--lora", 8, "--lora-modules", "q_proj,v_proj,o_proj"), 16.2, high=25)
    recipe = {"model": {"_component_": "torchtune.models.llama3_1.llama3_1_8b"}, "tokenizer": {"max_seq_len": 2048}, "batch_size": 2,
              "optimizer": {"_component_": "bitsandbytes.optim.PagedAdamW8bit", "lr": 2e-5}, "optimizer_in_bwd": True, "dtype": "bf16",
              "enable_activation_checkpointing": True, "compile": True}
    told = w.shown(recipe, flags=("--gpu", "rtx_4090", "--fused-loss"))
    near(told["device_used_bytes"] / GIB, 18.9, high=15)
    assert told["fits"] == "yes" and any("compile" in note for note in told["notes"]), told


@case(5, "QwenLM/Qwen README: GPTQ and other code of its own are not comparable, and refused")
def _(w):
    config = models.LLAMA_3B | {"quantization_config": {"quant_method": "gptq", "bits": 4}}
    assert "packed by gptq" in w.refusal(config, "--lora", 64, "--gpu", "a100_80gb")
    assert '"qwen"' in w.refusal({"model_type": "qwen", "hidden_size": 4096}, "--gpu", "a100_80gb")


@case(8, "peft#675: RoBERTa-large, batch 64, 96 tokens, eager fp32: around 17 and 12 GB")
def _(w):
    run = ("--attention", "eager", "--precision", "fp32", "--sequence-length", 96, "--batch", 64, "--gpu", "rtx_3090")
    near(w.reserved("roberta-large", *run), 17e9 / GIB)
    near(w.reserved("roberta-large", *run, "--lora", 8), 12e9 / GIB, low=-10)


@case(9, "xtuner#88: Llama-2-70B QLoRA does not fit 40 GB at 512 tokens")
def _(w):
    assert w.card(models.LLAMA_70B, "--lora", 16, "--quantization", "nf4", "--checkpointing", "--sequence-length", 512, "--batch", 1,
                  "--gpu", "a100_40gb")["fits"] == "no"


@case(10, "OpenRLHF#698: Llama-3-8B under ZeRO-2 on ONE A100 80GB runs out in the step, and fits with Adam offloaded")
def _(w):
    run = ("--sharding", "zero2", "--gpu", "a100_80gb", "--checkpointing", "--sequence-length", 2048, "--batch", 1)
    assert w.card("llama-8b", *run)["fits"] == "no"
    assert w.card("llama-8b", *run, "--offload", "optimizer")["fits"] == "yes"


@case(11, "LLaMA-Factory#5977: Llama-3-8B on 8 x 3090, ZeRO-3, 1024 tokens runs out, and fits with offload")
def _(w):
    run = ("--cards", 8, "--sharding", "zero3", "--gpu", "rtx_3090", "--checkpointing", "--sequence-length", 1024, "--batch", 1)
    assert w.card("llama-8b", *run)["fits"] == "no"
    assert w.card("llama-8b", *run, "--offload", "optimizer")["fits"] == "yes"


@case(12, "LLaMA-Factory#1158: Baichuan2-13B, 1536 tokens: no on 4 x 80 with ZeRO-2, yes on 8, yes with ZeRO-3; tight on 8 x 40")
def _(w):
    for cards, sharding, gpu, fits in ((4, "zero2", "a100_80gb", "no"), (8, "zero2", "a100_80gb", "yes tight"),
                                       (4, "zero3", "a100_80gb", "yes tight"), (8, "zero3", "a100_40gb", "no tight")):
        told = w.card(models.BAICHUAN_13B, "--cards", cards, "--sharding", sharding, "--gpu", gpu, "--checkpointing",
                      "--sequence-length", 1536, "--batch", 1)
        assert told["fits"] in fits, (cards, sharding, told["fits"])


@case(13, "philschmid#6, #49: FLAN-T5-XXL, ZeRO-3: out on 4 x 48 and 8 x 22 GB; definition_modeling#6: XL on 64 GB under DDP fits")
def _(w):
    for gpu, cards in (("a6000", 4), ("a10g", 8)):
        assert w.card(models.T5_XXL, "--cards", cards, "--sharding", "zero3", "--gpu", gpu, "--sequence-length", 512, "--batch", 8)[
            "fits"] == "no"
    assert w.card(models.T5_XL, "--cards", 8, "--gpu", "mi250x", "--sequence-length", 256, "--batch", 1, "--optimizer", "adafactor")["fits"] == "yes"


@case(14, "axolotl's Colab notebook: Qwen3-14B QLoRA, 4096 tokens on a T4: 9.77 + 3.29 + 0.65 = 13.7 GiB in use")
def _(w):
    told = w.shown({"base_model": "Qwen/Qwen3-14B", "load_in_4bit": True, "adapter": "qlora", "lora_r": 32,
                    "lora_target_modules": ALL_LINEAR.split(","), "lora_qkv_kernel": True, "lora_o_kernel": True, "lora_mlp_kernel": True,
                    "embeddings_skip_upcast": True, "xformers_attention": True, "sample_packing": True, "sequence_len": 4096,
                    "plugins": ["axolotl.integrations.cut_cross_entropy.CutCrossEntropyPlugin"], "micro_batch_size": 1,
                    "gradient_checkpointing": True, "optimizer": "paged_adamw_8bit", "fp16": True, "bf16": False},
                   flags=("--gpu", "t4", *w.model(models.QWEN3_14B)))
    near(told["device_used_bytes"] / GIB, 13.7, high=6)
    assert told["fits"] != "no", told


@case(15, "unsloth#4687, bitsandbytes#1849: experts stay in 16 bits under 4-bit quantization in transformers 5")
def _(w):
    run = (models.QWEN3_30B, "--lora", 16, "--quantization", "nf4", "--checkpointing", "--batch", 1, "--gpu", "a100_80gb")
    near(w.reserved(*run), 54.0 + 1.8, high=6)
    _, told, _ = w.run("--json", "estimate", *w.model(run[0]), *run[1:])
    assert "Experts are not quantized: their 54.0 GiB stay in 16 bits" in told["limits"][-1], told


@case(16, "LitGPT 19.73 GB, torchtune 16.2 GiB, LLaMA-Factory 16 GB: LoRA on 8B fits 24 GB without naming a precision")
def _(w):
    told = w.card("llama-8b", "--lora", 16, "--checkpointing", "--gpu", "rtx_4090")
    assert told["fits"] == "yes" and told["max_batch"] >= 1, told["fits"]
    near(told["memory"]["peak_reserved_bytes"] / GIB, 16.2)


@case(17, "fewer adapters need no more memory")
def _(w):
    run = ("--lora", 16, "--checkpointing", "--gpu", "a100_80gb", "--batch", 1, "--precision", "bf16_autocast")
    assert w.reserved("llama-8b", *run) <= w.reserved("llama-8b", *run, "--lora-modules", ALL_LINEAR)


# ------------------------------------------------------------------------------------ config.json as published

@case(18, "parameters of published config.json files")
def _(w):
    for config, millions in models.PARAMETERS:
        _, told, text = w.run("--json", "estimate", *w.model(config), "--gpu", "b300")
        assert told and round(told["model"]["parameters"] / 1e6, 1) == millions, (config, text[:300])


@case(19, "T5 v1.1 and mT5: checkpoints hold a head of their own (transformers#48154)")
def _(w):
    for config, millions in ((models.T5_XL, 2849.8), (models.MT5_BASE, 582.4)):
        _, told, text = w.run("--json", "estimate", *w.model(config), "--gpu", "b300")
        assert told and round(told["model"]["parameters"] / 1e6, 1) == millions, text[:300]

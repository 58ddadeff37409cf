"""Dimensions of published models, as their config.json has them, and how many parameters their checkpoints hold."""


def decoder(model_type, layers, hidden, heads, kv_heads, ffn, vocabulary, tied=False, **more):
    return {"model_type": model_type, "architectures": [{"llama": "Llama", "mistral": "Mistral", "qwen2": "Qwen2", "qwen3": "Qwen3",
                                                         "phi3": "Phi3"}[model_type] + "ForCausalLM"],
            "num_hidden_layers": layers, "hidden_size": hidden, "num_attention_heads": heads, "num_key_value_heads": kv_heads,
            "intermediate_size": ffn, "vocab_size": vocabulary, "tie_word_embeddings": tied, "hidden_act": "silu",
            "torch_dtype": "bfloat16", **more}


def t5(hidden, ffn, layers, heads, vocabulary=32128, model_type="t5"):
    return {"model_type": model_type, "architectures": [f"{model_type.upper()}ForConditionalGeneration"], "d_model": hidden, "d_kv": 64,
            "d_ff": ffn, "num_layers": layers, "num_decoder_layers": layers, "num_heads": heads, "vocab_size": vocabulary,
            "feed_forward_proj": "gated-gelu", "tie_word_embeddings": False}


LLAMA_3B = decoder("llama", 28, 3072, 24, 8, 8192, 128256, tied=True, head_dim=128)
LLAMA_70B = decoder("llama", 80, 8192, 64, 8, 28672, 32000)
LLAMA_34B = decoder("llama", 48, 8192, 64, 8, 22016, 32016)
BAICHUAN_13B = decoder("llama", 40, 5120, 40, 40, 13696, 125696)
DEVSTRAL = decoder("mistral", 40, 5120, 32, 8, 32768, 131072, head_dim=128, sliding_window=None)
MINISTRAL = decoder("mistral", 36, 4096, 32, 8, 12288, 131072, head_dim=128, sliding_window=32768)
QWEN3_1B7 = decoder("qwen3", 28, 2048, 16, 8, 6144, 151936, tied=True, head_dim=128)
QWEN3_14B = decoder("qwen3", 40, 5120, 40, 8, 17408, 151936, head_dim=128)
QWEN3_30B = decoder("qwen3", 48, 2048, 32, 4, 6144, 151936, head_dim=128) | {
    "model_type": "qwen3_moe", "architectures": ["Qwen3MoeForCausalLM"], "moe_intermediate_size": 768, "num_experts": 128,
    "num_experts_per_tok": 8, "decoder_sparse_step": 1, "mlp_only_layers": []}
T5_XXL, T5_XL, MT5_BASE = t5(4096, 10240, 24, 64), t5(2048, 5120, 24, 32), t5(768, 2048, 12, 12, 250112, "mt5")
GEMMA3_4B = {"architectures": ["Gemma3ForConditionalGeneration"], "model_type": "gemma3", "text_config": {
    "hidden_size": 2560, "intermediate_size": 10240, "model_type": "gemma3_text", "num_hidden_layers": 34, "sliding_window": 1024},
    "vision_config": {"hidden_size": 1152, "model_type": "siglip_vision_model"}}
ENCODER = {"hidden_size": 1024, "intermediate_size": 4096, "num_attention_heads": 16, "num_hidden_layers": 24, "hidden_act": "gelu"}

PARAMETERS = (  # millions
    (QWEN3_30B, 30532.1), (QWEN3_14B, 14768.3), (DEVSTRAL, 23572.4), (MINISTRAL, 8019.8),
    (decoder("phi3", 32, 3072, 24, 8, 8192, 200064, tied=True, partial_rotary_factor=0.75), 3836.0),
    (decoder("phi3", 40, 5120, 40, 10, 17920, 100352), 14659.5),
    (decoder("qwen2", 28, 1536, 12, 2, 8960, 151936, use_sliding_window=False), 1777.1),
    (decoder("llama", 18, 2048, 8, 4, 8192, 131072, head_dim=256), 1669.4),
    (decoder("llama", 32, 4096, 32, 32, 11008, 32000), 6738.4),
    (ENCODER | {"model_type": "xlm-roberta", "architectures": ["XLMRobertaModel"], "vocab_size": 250002, "type_vocab_size": 1,
                "max_position_embeddings": 8194}, 567.8),
    (ENCODER | {"model_type": "deberta-v2", "vocab_size": 128100, "type_vocab_size": 0, "relative_attention": True, "position_buckets": 256,
                "norm_rel_ebd": "layer_norm", "share_att_key": True, "pos_att_type": "p2c|c2p", "max_relative_positions": -1,
                "position_biased_input": False, "max_position_embeddings": 512}, 435.1),
    ({"model_type": "gpt_neox", "architectures": ["GPTNeoXForCausalLM"], "hidden_size": 2560, "intermediate_size": 10240,
      "num_attention_heads": 32, "num_hidden_layers": 32, "vocab_size": 50304, "rotary_pct": 0.25, "hidden_act": "gelu",
      "use_parallel_residual": True, "tie_word_embeddings": False, "max_position_embeddings": 2048}, 2775.2))

# Types that were refused first: those that are modelled since, whose classes' defaults complete them, and what the refusal of
# the others has to name.
MODELLED = ("gpt_oss", "granitemoe", "bloom", "bart", "qwen2_5_vl")
REFUSED = {"deepseek_v2": "num_experts_per_tok", "falcon": "LayerNorm", "electra": "narrower embeddings", "wav2vec2": "sound"}

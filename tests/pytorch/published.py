"""Shapes of models that others have published: the values of their config.json, and the task they are tried with."""


def bert(layers, hidden, heads, ffn, **more):
    return {'model_type': 'bert', 'vocab_size': 30522, 'max_position_embeddings': 512, 'type_vocab_size': 2,
            'num_hidden_layers': layers, 'hidden_size': hidden, 'num_attention_heads': heads, 'intermediate_size': ffn,
            'num_labels': 5, **more}


def decoder(type_, layers, hidden, heads, kv, ffn, vocab, **more):
    return {'model_type': type_, 'num_hidden_layers': layers, 'hidden_size': hidden, 'num_attention_heads': heads,
            'num_key_value_heads': kv, 'intermediate_size': ffn, 'vocab_size': vocab,
            'max_position_embeddings': 4096, 'tie_word_embeddings': False, **more}


def gpt2(layers, hidden, heads):
    return {'model_type': 'gpt2', 'vocab_size': 50257, 'n_positions': 1024, 'n_embd': hidden, 'n_layer': layers, 'n_head': heads}


def pythia(layers, hidden, heads, ffn, vocab=50304):
    return {'model_type': 'gpt_neox', 'vocab_size': vocab, 'num_hidden_layers': layers, 'hidden_size': hidden,
            'num_attention_heads': heads, 'intermediate_size': ffn, 'rotary_pct': 0.25, 'max_position_embeddings': 2048}


def deberta(layers, hidden, heads, ffn):
    return {'model_type': 'deberta-v2', 'vocab_size': 128100, 'num_hidden_layers': layers, 'hidden_size': hidden,
            'num_attention_heads': heads, 'intermediate_size': ffn, 'type_vocab_size': 0, 'position_buckets': 256,
            'share_att_key': True, 'max_position_embeddings': 512, 'relative_attention': True,
            'position_biased_input': False, 'pos_att_type': ['p2c', 'c2p'], 'norm_rel_ebd': 'layer_norm', 'num_labels': 3,
            'problem_type': 'single_label_classification'}


def t5(layers, hidden, heads, ffn, d_kv=64, **more):
    return {'model_type': 't5', 'vocab_size': 32128, 'num_layers': layers, 'd_model': hidden, 'num_heads': heads,
            'd_ff': ffn, 'd_kv': d_kv, 'decoder_start_token_id': 0, **more}


def vit(layers, hidden, heads, ffn, image=224, patch=16, labels=1000):
    return {'model_type': 'vit', 'num_hidden_layers': layers, 'hidden_size': hidden, 'num_attention_heads': heads,
            'intermediate_size': ffn, 'image_size': image, 'patch_size': patch, 'num_labels': labels}


def whisper(layers, hidden, heads, ffn, mels=80):
    return {'model_type': 'whisper', 'encoder_layers': layers, 'd_model': hidden, 'encoder_attention_heads': heads,
            'encoder_ffn_dim': ffn, 'decoder_layers': 1, 'num_mel_bins': mels, 'max_source_positions': 1500,
            'num_labels': 7}


GATED = {'feed_forward_proj': 'gated-gelu', 'tie_word_embeddings': False}
MODERNBERT = {'model_type': 'modernbert', 'vocab_size': 50368, 'num_hidden_layers': 28, 'hidden_size': 1024,
              'num_attention_heads': 16, 'intermediate_size': 2624, 'max_position_embeddings': 8192, 'num_labels': 3}
XLM = {'model_type': 'xlm-roberta', 'vocab_size': 250002, 'max_position_embeddings': 514, 'type_vocab_size': 1}
MOE = {'norm_topk_prob': True, 'head_dim': 128}
SHAPES = {
    'bert-tiny': ('sequence', bert(2, 128, 2, 512)),
    'bert-multilingual': ('sequence', bert(12, 768, 12, 3072, vocab_size=119547)),
    'xlm-roberta-large': ('masked', bert(24, 1024, 16, 4096, **XLM)),
    'distilgpt2': ('causal', gpt2(6, 768, 12)),
    'gpt2-xl': ('causal', gpt2(48, 1600, 25)),
    'pythia-160m': ('causal', pythia(12, 768, 12, 3072)),
    'gpt-neox-20b': ('causal', pythia(44, 6144, 64, 24576, 50432)),
    'smollm2-135m': ('causal', decoder('llama', 30, 576, 9, 3, 1536, 49152, tie_word_embeddings=True)),
    'llama-3.2-3b': ('causal', decoder('llama', 28, 3072, 24, 8, 8192, 128256, head_dim=128, tie_word_embeddings=True)),
    'mistral-nemo': ('causal', decoder('mistral', 40, 5120, 32, 8, 14336, 131072, head_dim=128, sliding_window=None)),
    'qwen2.5-1.5b': ('causal', decoder('qwen2', 28, 1536, 12, 2, 8960, 151936, tie_word_embeddings=True)),
    'qwen3-8b': ('causal', decoder('qwen3', 36, 4096, 32, 8, 12288, 151936, head_dim=128)),
    'gemma-7b': ('causal', decoder('gemma', 28, 3072, 16, 16, 24576, 256000, head_dim=256, tie_word_embeddings=True)),
    'gemma-2-9b': ('causal', decoder('gemma2', 42, 3584, 16, 8, 14336, 256000, head_dim=256, sliding_window=4096,
                                     tie_word_embeddings=True)),
    'gemma-3-4b': ('causal', decoder('gemma3_text', 34, 2560, 8, 4, 10240, 262208, head_dim=256, sliding_window=1024,
                                     tie_word_embeddings=True)),
    'phi-3-medium': ('causal', decoder('phi3', 40, 5120, 40, 10, 17920, 32064, pad_token_id=32000, sliding_window=None)),
    'mixtral-8x22b': ('causal', decoder('mixtral', 56, 6144, 48, 8, 16384, 32768, num_local_experts=8,
                                        num_experts_per_tok=2)),
    'qwen2-57b-a14b': ('causal', decoder('qwen2_moe', 28, 3584, 28, 4, 18944, 151936, moe_intermediate_size=2560,
                                         shared_expert_intermediate_size=20480, num_experts=64, num_experts_per_tok=8)),
    'qwen3-235b-a22b': ('causal', decoder('qwen3_moe', 94, 4096, 64, 4, 12288, 151936, moe_intermediate_size=1536,
                                          num_experts=128, num_experts_per_tok=8, **MOE)),
    'deberta-v3-large': ('sequence', deberta(24, 1024, 16, 4096)),
    'deberta-v3-xsmall': ('sequence', deberta(12, 384, 6, 1536)),
    'modernbert-large': ('masked', MODERNBERT),
    'modernbert-large, labels': ('sequence', {**MODERNBERT, 'classifier_pooling': 'mean'}),
    't5-small': ('translation', t5(6, 512, 8, 2048)),
    't5-3b': ('translation', t5(24, 1024, 32, 16384, 128)),
    't5-v1.1-small': ('translation', t5(8, 512, 6, 1024, **GATED)),
    'vit-tiny': ('image', vit(12, 192, 3, 768)),
    'vit-large, 384': ('image', vit(24, 1024, 16, 4096, 384)),
    'vit-huge-14': ('image', vit(32, 1280, 16, 5120, 224, 14, 21841)),
    'whisper-tiny': ('sound', whisper(4, 384, 6, 1536)),
    'whisper-large-v3': ('sound', whisper(32, 1280, 20, 5120, 128)),
}

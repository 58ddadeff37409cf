// What is known of the keys of axolotl and torchtune that no reader reads.
#include "server/kinds/training_config/command/configs/structures/known_keys.hpp"

namespace plimsoll::jobs::training_config {
namespace {

using Effect = WeighingKeys::Effect;

constexpr std::string_view kAxolotlHarmless =
    // model, tokenizer and data
    "base_model_config cls_model_config tokenizer_config tokenizer_use_fast tokenizer_legacy "
    "tokenizer_use_mistral_common tokenizer_type processor_type processor_kwargs model_type "
    "tokenizer_save_jinja_files trust_remote_code use_kernels revision_of_model type_of_model "
    "base_model_ignore_patterns "
    "resize_token_embeddings_to_32x mean_resizing_embeddings shrink_embeddings num_labels datasets "
    "test_datasets shuffle_merged_datasets shuffle_before_merging_datasets dataset_prepared_path "
    "dataset_shard_num dataset_shard_idx skip_prepare_dataset num_dataset_shards_to_save "
    "pretraining_dataset dataset_processes dataset_num_proc dataset_exact_deduplication "
    "dataset_keep_in_memory dataloader_pin_memory dataloader_num_workers "
    "dataloader_prefetch_factor dataloader_drop_last remove_unused_columns push_dataset_to_hub "
    "hf_use_auth_token chat_template chat_template_jinja chat_template_kwargs eot_tokens "
    "default_system_message special_tokens tokens added_tokens_overrides train_on_inputs "
    "group_by_length pad_to_sequence_len excess_length_strategy eval_sequence_len min_sample_len "
    "sample_packing_group_size sample_packing_bin_size sample_packing_sequentially "
    "sample_packing_mp_start_method eval_sample_packing pad_to_multiple_of curriculum_sampling "
    "pretrain_multipack_buffer_size pretrain_multipack_attn pretraining_sample_concatenation "
    "streaming streaming_multipack_buffer_size sample_packing_eff_est total_num_tokens "
    "total_supervised_tokens roles_to_train image_size image_resize_algorithm role_boundaries "
    "multipack_real_batches is_falcon_derived_model is_llama_derived_model "
    "is_mistral_derived_model is_qwen_derived_model fix_untrained_tokens is_preprocess "
    // training
    "strict resume_from_checkpoint auto_resume_from_checkpoints seed device_map device local_rank "
    "world_size ddp ddp_timeout ddp_broadcast_buffers ddp_find_unused_parameters output_dir "
    "hub_model_id hub_strategy hub_revision save_safetensors num_epochs max_steps warmup_steps "
    "warmup_ratio eval_steps evals_per_epoch eval_strategy evaluation_strategy save_steps "
    "saves_per_epoch save_strategy save_total_limit save_first_step logging_steps "
    "early_stopping_patience load_best_model_at_end save_only_model eval_batch_size learning_rate "
    "embedding_lr embedding_lr_scale weight_decay optim_args lr_scheduler lr_scheduler_kwargs "
    "lr_quadratic_warmup cosine_min_lr_ratio cosine_constant_lr_ratio lr_div_factor adam_epsilon "
    "adam_epsilon2 adam_beta1 adam_beta2 adam_beta3 jagged_restart_steps "
    "jagged_restart_warmup_steps jagged_restart_anneal_steps metric_for_best_model "
    "greater_is_better loss_watchdog_threshold loss_watchdog_patience gc_steps gc_collect_steps "
    "torch_empty_cache_steps tf32 float32 bfloat16 float16 gradient_checkpointing_kwargs "
    "torch_compile_backend torch_compile_mode torch_compile_options neftune_noise_alpha "
    "noisy_embedding_alpha low_cpu_mem_usage use_tensorboard profiler_steps profiler_steps_start "
    "include_tokens_per_second include_tkps do_causal_lm_eval eval_causal_lm_metrics do_bench_eval "
    "bench_dataset bench_split eval_table_size eval_max_new_tokens accelerator_config "
    "fsdp_final_state_dict_type fsdp_version plugins axolotl_config_path debug "
    // adapters
    "lora_model_dir lora_alpha lora_fan_in_fan_out lora_alpha_pattern peft_layers_pattern "
    "peft_use_rslora peft_init_lora_weights peft_ensure_weight_tying loraplus_lr_ratio "
    "loraplus_lr_embedding merge_lora merge_method peft qlora_sharded_model_loading lora_on_cpu "
    "bnb_config_kwargs "
    // reports
    "use_wandb wandb_name wandb_run_id wandb_mode wandb_project wandb_entity wandb_watch "
    "wandb_log_model use_mlflow mlflow_tracking_uri mlflow_experiment_name mlflow_run_name "
    "hf_mlflow_log_artifacts use_comet comet_api_key comet_workspace comet_project_name "
    "comet_experiment_key comet_mode comet_online comet_experiment_config gradio_title "
    "gradio_share gradio_server_name gradio_server_port gradio_max_new_tokens gradio_temperature "
    "use_ray ray_run_name ray_num_workers resources_per_worker use_otel_metrics otel_metrics_host "
    "otel_metrics_port use_trackio trackio_project_name trackio_run_name trackio_space_id "
    "liger_use_token_scaling liger_kernel_impl dpo_beta rl_beta orpo_alpha simpo_gamma cpo_alpha "
    "kto_desirable_weight kto_undesirable_weight rpo_alpha dpo_label_smoothing dpo_loss_type "
    "dpo_loss_weights dpo_use_weighting dpo_padding_free dpo_use_liger_kernel "
    "dpo_use_logits_to_keep dpo_generate_during_eval dpo_norm_loss center_rewards_coefficient "
    "max_prompt_len vllm generate_samples num_generation_samples generation_max_new_tokens "
    "generation_temperature generation_top_p generation_top_k generation_prompt_ratio "
    "generation_do_sample "
    // what plugins, older versions and the examples have
    "val_set_size test_value batch_size adam_eps eta_min model_config model_config_type "
    "lora_dropout lora_target_modules gptq_groupsize gptq_model_v1 gptq_disable_exllama eaft_alpha "
    "eaft_k experimental_skip_move_to_device flex_attn_compile_kwargs full_finetune "
    "model_quantization_config_kwargs expert_parallel_num_nvl_bytes "
    "expert_parallel_token_capacity use_swanlab swanlab_project swanlab_experiment_name "
    "swanlab_description swanlab_mode swanlab_workspace swanlab_log_completions "
    "swanlab_completion_log_interval swanlab_completion_max_buffer swanlab_log_model "
    // of fsdp_config
    "fsdp_config.auto_wrap_policy fsdp_config.transformer_layer_cls_to_wrap "
    "fsdp_config.state_dict_type fsdp_config.final_state_dict_type "
    "fsdp_config.sync_module_states fsdp_config.cpu_ram_efficient_loading "
    "fsdp_config.use_orig_params fsdp_config.limit_all_gathers fsdp_config.backward_prefetch "
    "fsdp_config.forward_prefetch fsdp_config.fsdp_auto_wrap_policy "
    "fsdp_config.fsdp_transformer_layer_cls_to_wrap fsdp_config.fsdp_state_dict_type "
    "fsdp_config.fsdp_sync_module_states fsdp_config.fsdp_cpu_ram_efficient_loading "
    "fsdp_config.fsdp_use_orig_params fsdp_config.fsdp_limit_all_gathers "
    "fsdp_config.fsdp_backward_prefetch fsdp_config.fsdp_forward_prefetch "
    "fsdp_config.fsdp_version fsdp_config.version";

constexpr WeighingKeys kAxolotlWeighing[] = {
    {"fsdp_config.sharding_strategy fsdp_config.fsdp_sharding_strategy",
     "only whole shards are modelled", "FULL_SHARD"},
    {"use_scattermoe use_sonicmoe use_dsv4_kernels use_glm_dsa_kernels dsv4_fp4_grouped_mode "
     "nvfp4_merge_aware",
     "these kernels for experts keep other tensors than estimated", "", Effect::names},
    {"flash_attn_rms_norm", "its kernel keeps less than estimated", "", Effect::names},
    {"diffusion llmcompressor", "this way to train is not modelled"},
    {"max_packed_sequence_len sample_packing_seq_len_multiplier", "old names have no effect", "",
     Effect::names},
    {"process_reward_model", "a reward of every step of an answer is not modelled"},
    {"rl_adapter_ref_model", "a second set of adapters as the reference is not modelled"},
    {"trl ebft trainer_cls", "this trainer is not modelled"},
    {"kd_trainer", "the teacher of a distillation is not modelled"},
    {"relora relora_prune_ratio relora_prune_method relora_cpu_offload lisa_n_layers "
     "lisa_step_interval lisa_layers_attribute unfrozen_parameters spectrum_top_fraction "
     "llama4_linearized_experts freeze_mm_modules reinit_weights",
     "training these parts only is not modelled"},
    {"lora_modules_to_save", "modules that are trained whole are not modelled"},
    {"lora_target_parameters", "adapters on parameters of experts are not modelled"},
    {"lora_rank_pattern", "ranks of single modules are not modelled"},
    {"peft_layers_to_transform", "adapters on some layers only are not modelled"},
    {"peft_layer_replication", "replicated layers are not modelled"},
    {"peft_trainable_token_indices", "embeddings that are trained are not modelled"},
    {"peft_autocast_adapter_dtype", "adapters are estimated in fp32", "true True", Effect::names},
    {"lora_embedding_kernel", "its fused kernel keeps less than estimated", "", Effect::names},
    {"liger_rope liger_rms_norm liger_rms_norm_gated liger_layer_norm liger_swiglu "
     "liger_glu_activation",
     "Liger's kernels besides its loss keep less than estimated", "", Effect::names},
    {"tiled_mlp tiled_mlp_num_shards tiled_mlp_use_original_mlp",
     "a feed-forward in pieces keeps less than estimated", "", Effect::names},
    {"torch_compile deepcompile",
     "compiling is not modelled; of published compiled runs the estimate was between 12 % low and "
     "28 % high",
     "", Effect::names},
    {"auto_find_batch_size", "the Trainer may lower the batch itself", "", Effect::names},
    {"activation_offloading layer_offloading ple_cpu_offload",
     "activations or weights on the CPU are not modelled"},
    {"selective_checkpointing", "only whole layers are recomputed in the estimate"},
    {"gptq qat quantization model_quantization_config use_onebitllms quantize_moe_experts "
     "experts_implementation",
     "this quantization is not modelled"},
    {"fp8 fp8_config fp8_enable_fsdp_float8_all_gather", "FP8 is not modelled"},
    {"fp32_norms embeddings_skip_upcast", "the types of norms are estimated as usual", "",
     Effect::names},
    {"tensor_parallel_size context_parallel_size sequence_parallel_degree expert_parallel_size "
     "heads_k_stride ring_attn_func",
     "parallelism besides data is not modelled", "1"},
    {"dp_shard_size dp_replicate_size",
     "sharding in groups is not modelled: give --cards and "
     "--sharding",
     "1"},
    {"optim_target_modules qgalore_rank lr_groups torchdistx_path",
     "an optimizer of these modules is not modelled"},
    {"flash_attn_cross_entropy flash_attn_fuse_mlp scaling_softmax gemma4_hybrid_attn_impl "
     "large_head_attention fused_attn_kernel use_eaft dense_mixer s2_attention",
     "this change of the model is not modelled"},
    {"chunked_cross_entropy", "a loss in pieces keeps less than estimated", "", Effect::names},
    {"use_pose", "changes positions only", "", Effect::names},
    {"max_memory gpu_memory_limit", "a limit of memory is not modelled", "", Effect::names},
    {"overrides_of_model_config overrides_of_model_kwargs",
     "the model is estimated without these changes", "", Effect::names},
    {"ddp_bucket_cap_mb", "gradients are estimated in buckets of 25 MiB", "25", Effect::names},
    {"fsdp_config.reshard_after_forward fsdp_config.fsdp_reshard_after_forward",
     "only resharding after the forward pass is modelled", "true True FULL_SHARD"},
};

constexpr std::string_view kTorchtuneHarmless =
    "output_dir device seed shuffle epochs max_steps_per_epoch lr_scheduler metric_logger "
    "log_every_n_steps log_peak_memory_stats log_level profiler checkpointer tokenizer._component_ "
    "tokenizer.path tokenizer.merges_file tokenizer.prompt_template tokenizer.max_seq_len "
    "tokenizer.truncation_type tokenizer.tokenizer_json_path tokenizer.special_tokens_path "
    "resume_from_checkpoint save_adapter_weights_only low_cpu_ram memory_efficient_fsdp_wrap "
    "dataloader collate_fn checkpoint_dir dataset._component_ dataset.train_on_input "
    "dataset.source dataset.data_files dataset.split dataset.column_map dataset.conversation_style "
    "dataset.conversation_column dataset.new_system_prompt dataset.column "
    "datasets run_val_every_n_steps dataset_val batch_size_val async_checkpointing "
    "model.lora_alpha model.use_rslora model.quantizer_kwargs model.scaling_factor "
    "optimizer.lr optimizer.weight_decay optimizer.betas optimizer.eps loss._component_ "
    "loss.num_output_chunks loss.ignore_index clip_grad_norm_type save_every_n_steps "
    "keep_last_n_checkpoints";

constexpr WeighingKeys kTorchtuneWeighing[] = {
    {"policy_model reward_and_value_model ref_policy_checkpointer ref_checkpointer "
     "reward_checkpointer value_checkpointer num_steps ppo_epochs kl_coeff",
     "preference and reinforcement tuning hold pairs of answers and further models, which are not "
     "modelled",
     "", Effect::belongs},
    {"teacher_model teacher_checkpointer kd_loss kd_ratio",
     "the teacher of a distillation is not modelled", "", Effect::belongs},
    {"quantizer", "quantization-aware training is not modelled", "", Effect::belongs},
    {"enable_activation_offloading", "activations on the CPU are not modelled"},
    {"fsdp_cpu_offload", "FSDP's offload is not modelled"},
    {"custom_sharded_layers ac_mode ac_option fsdp_reshard_after_forward",
     "layers are estimated as units of their own", "", Effect::names},
    {"tensor_parallel_dim tensor_parallel_plan context_parallel_dim data_parallel_replicate_dim "
     "data_parallel_shard_dim",
     "parallelism besides data is not modelled", "1 -1"},
    {"enable_fp8_training", "FP8 is not modelled"},
    {"compile",
     "compiling is not modelled; of published compiled runs the estimate was between 12 % low and "
     "28 % high",
     "", Effect::names},
    {"model.apply_lora_to_output", "an adapter on the head is not modelled"},
    {"optimizer.fused optimizer.foreach", "the kernel is estimated as PyTorch's usual one",
     "true True", Effect::names},
};

}  // namespace

const KnownKeys kAxolotlKeys = {kAxolotlHarmless, kAxolotlWeighing};
const KnownKeys kTorchtuneKeys = {kTorchtuneHarmless, kTorchtuneWeighing};

}  // namespace plimsoll::jobs::training_config

// What is known of the keys of each library that no reader reads. A test walks the classes of the
// published libraries: tests/pytorch/known_keys.py.
#include "server/kinds/training_config/command/configs/structures/known_keys.hpp"

namespace plimsoll::jobs::training_config {
namespace {

using Effect = WeighingKeys::Effect;

constexpr std::string_view kTransformersHarmless =
    "output_dir overwrite_output_dir num_train_epochs max_steps learning_rate lr_scheduler_type "
    "lr_scheduler_kwargs warmup_steps warmup_ratio weight_decay adam_beta1 adam_beta2 adam_epsilon "
    "optim_args average_tokens_across_devices bf16_full_eval fp16_full_eval tf32 "
    "activation_checkpointing_kwargs gradient_checkpointing_kwargs use_cache "
    "torch_empty_cache_steps "
    "torch_compile_backend torch_compile_mode neftune_noise_alpha logging_strategy logging_steps "
    "logging_first_step logging_dir log_on_each_node logging_nan_inf_filter "
    "include_num_input_tokens_seen include_tokens_per_second log_level log_level_replica "
    "disable_tqdm report_to run_name project trackio_space_id trackio_bucket_id "
    "trackio_static_space_id eval_strategy evaluation_strategy eval_steps eval_delay "
    "per_device_eval_batch_size prediction_loss_only eval_on_start eval_do_concat_batches "
    "eval_use_gather_object eval_accumulation_steps include_for_metrics include_inputs_for_metrics "
    "batch_eval_metrics save_only_model save_strategy save_steps save_on_each_node "
    "save_total_limit "
    "save_safetensors enable_jit_checkpoint push_to_hub hub_token hub_private_repo hub_model_id "
    "hub_strategy hub_always_push hub_revision load_best_model_at_end metric_for_best_model "
    "greater_is_better ignore_data_skip restore_callback_states_from_checkpoint full_determinism "
    "seed data_seed dataloader_drop_last dataloader_num_workers dataloader_pin_memory "
    "dataloader_persistent_workers dataloader_prefetch_factor dataloader_multiprocessing_context "
    "dataloader_in_order remove_unused_columns label_names train_sampling_strategy group_by_length "
    "length_column_name ddp_find_unused_parameters ddp_broadcast_buffers ddp_static_graph "
    "ddp_backend ddp_timeout debug skip_memory_metrics do_train do_eval do_predict "
    "resume_from_checkpoint local_rank accelerator_config.dispatch_batches "
    "accelerator_config.even_batches accelerator_config.use_seedable_sampler "
    "accelerator_config.non_blocking accelerator_config.gradient_accumulation_kwargs "
    "accelerator_config.use_configured_state accelerator_config.data_seed "
    "fsdp_config.auto_wrap_policy fsdp_config.transformer_layer_cls_to_wrap "
    "fsdp_config.transformer_cls_names_to_wrap fsdp_config.backward_prefetch "
    "fsdp_config.forward_prefetch fsdp_config.backward_prefetch_policy fsdp_config.use_orig_params "
    "fsdp_config.sync_module_states fsdp_config.cpu_ram_efficient_loading "
    "fsdp_config.state_dict_type fsdp_config.limit_all_gathers liger_kernel_config "
    // What the libraries' example programs and many projects keep beside them.
    "config_name tokenizer_name cache_dir use_fast_tokenizer model_revision token use_auth_token "
    "trust_remote_code low_cpu_mem_usage model_type config_overrides task_name dataset_name "
    "dataset_config_name dataset_config dataset_mixer dataset_splits train_file validation_file "
    "test_file max_train_samples max_eval_samples max_predict_samples overwrite_cache "
    "preprocessing_num_workers pad_to_max_length line_by_line mlm_probability "
    "validation_split_percentage keep_linebreaks streaming text_column_name label_column_name "
    "ignore_mismatched_sizes do_lower_case tokenizer_name_or_path defaults "
    "hydra _target_ _self_";

constexpr WeighingKeys kTransformersWeighing[] = {
    {"auto_find_batch_size", "the Trainer may lower the batch itself", "", Effect::names},
    {"torch_compile",
     "compiling is not modelled; of published compiled runs the estimate was "
     "between 12 % low and 28 % high",
     "", Effect::names},
    {"ddp_bucket_cap_mb", "gradients are estimated in buckets of 25 MiB", "25", Effect::names},
    {"optim_target_modules", "an optimizer of these modules only is not modelled"},
    {"label_smoothing_factor",
     "a smoothed loss needs a second copy of the logits, which is not "
     "modelled"},
    {"use_cpu no_cuda", "the run does not use a GPU"},
    {"parallelism_config", "tensor, context and sequence parallelism are not modelled"},
    {"accelerator_config.split_batches",
     "the batch is divided among the GPUs, which is not "
     "modelled"},
    {"fsdp_config.reshard_after_forward", "only resharding after the forward pass is modelled",
     "true True"},
    {"fsdp_config", "this file is not read: give its settings here"},
    {"fsdp_config.min_num_params", "every layer is estimated as a unit of its own", "",
     Effect::names},
    {"fsdp_config.xla fsdp_config.xla_fsdp_v2 fsdp_config.xla_fsdp_settings "
     "fsdp_config.xla_fsdp_grad_ckpt",
     "XLA is not modelled"},
};

constexpr std::string_view kTrlHarmless =
    "dataset_text_field dataset_kwargs dataset_num_proc dataset_train_split dataset_test_split "
    "dataset_streaming datasets eos_token pad_token chat_template_path truncation_mode "
    "shuffle_dataset packing_strategy pad_to_multiple_of eval_packing completion_only_loss "
    "assistant_only_loss router_aux_loss_coef disable_dropout lora_dropout lora_target_modules "
    "use_dora lora_alpha lora_task_type use_rslora "
    "bnb_4bit_quant_type bnb_4bit_quant_storage bnb_4bit_compute_dtype ignore_bias_buffers "
    "gradient_checkpointing_use_reentrant model_init_kwargs.trust_remote_code "
    "model_init_kwargs.revision model_init_kwargs.use_cache model_init_kwargs.device_map";

constexpr WeighingKeys kTrlWeighing[] = {
    {"activation_offloading", "activations on the CPU are not modelled"},
    {"lora_modules_to_save", "modules that are trained whole are not modelled"},
    {"lora_target_parameters", "adapters on parameters of experts are not modelled"},
    {"beta precompute_ref_batch_size sync_ref_model ref_model_mixup_alpha ref_model_sync_steps "
     "ld_alpha f_divergence_type f_alpha_divergence_coef use_weighting discopop_tau loss_weights "
     "loss_type label_smoothing desirable_weight undesirable_weight max_prompt_length "
     "max_completion_length rpo_alpha reference_free use_logits_to_keep generate_during_eval "
     "is_encoder_decoder padding_value label_pad_token_id model_adapter_name ref_adapter_name "
     "center_rewards_coefficient",
     "", "", Effect::prefers},
    {"cpo_alpha simpo_gamma tpo_alpha tpo_l_gamma", "the trainers CPO and TPO are not modelled", "",
     Effect::belongs},
    {"num_generations num_generations_eval generation_batch_size steps_per_generation temperature "
     "top_p top_k min_p generation_kwargs chat_template_kwargs repetition_penalty "
     "cache_implementation use_vllm vllm_mode vllm_model_impl vllm_enable_sleep_mode "
     "vllm_structured_outputs_regex vllm_server_base_url vllm_server_host vllm_server_port "
     "vllm_server_timeout vllm_group_port vllm_gpu_memory_utilization vllm_max_model_length "
     "vllm_tensor_parallel_size num_iterations epsilon delta epsilon_high sapo_temperature_neg "
     "sapo_temperature_pos vespo_k_pos vespo_lambda_pos vespo_k_neg vespo_lambda_neg "
     "importance_sampling_level reward_weights multi_objective_aggregation scale_rewards "
     "mask_truncated_completions top_entropy_quantile entropy_coef use_adaptive_entropy "
     "entropy_coef_min entropy_coef_max entropy_coef_delta entropy_target "
     "max_tool_calling_iterations vllm_importance_sampling_correction "
     "vllm_importance_sampling_mode vllm_importance_sampling_clip_max "
     "vllm_importance_sampling_clip_min vllm_importance_sampling_cap off_policy_mask_threshold "
     "use_bias_correction_kl log_completions log_multimodal num_completions_to_print "
     "log_unique_prompts log_completions_hub_repo use_transformers_continuous_batching "
     "transformers_continuous_batching_config use_transformers_paged cast_lm_head_to_fp32 "
     "ds3_gather_for_generation normalize_advantages reward_clip_range reward_model_path "
     "missing_eos_penalty max_new_tokens reward_funcs num_ppo_epochs num_mini_batches "
     "kl_coef cliprange vf_coef cliprange_value sft_model_path response_length "
     "teacher_model_name_or_path teacher_model_revision teacher_model_init_kwargs lmbda seq_kd",
     "a trainer that generates answers reads it, whose cache, reference and reward models are not "
     "modelled",
     "", Effect::belongs},
};

constexpr std::string_view kPeftHarmless =
    "lora_alpha alpha dropout fan_in_fan_out use_rslora init_lora_weights task_type peft_type "
    "inference_mode base_model_name_or_path revision auto_mapping layers_pattern alpha_pattern "
    "exclude_modules bias megatron_core runtime_config loftq_config eva_config corda_config "
    "lora_ga_config qalora_group_size lora_bias ensure_weight_tying alora_invocation_tokens "
    "arrow_config "
    "bnb_4bit_quant_type bnb_4bit_compute_dtype bnb_4bit_quant_storage quant_method "
    "llm_int8_threshold llm_int8_skip_modules llm_int8_has_fp16_weight "
    "llm_int8_enable_fp32_cpu_offload enabled name";

constexpr WeighingKeys kPeftWeighing[] = {
    {"modules_to_save", "modules that are trained whole are not modelled"},
    {"trainable_token_indices", "embeddings that are trained are not modelled"},
    {"layers_to_transform", "adapters on some layers only are not modelled"},
    {"rank_pattern", "ranks of single modules are not modelled"},
    {"layer_replication", "replicated layers are not modelled"},
    {"target_parameters", "adapters on parameters of experts are not modelled"},
    {"megatron_config use_qalora use_bdlora velora_config monteclora_config "
     "kasa_config",
     "this kind of adapter is not modelled"},
};

constexpr std::string_view kLlamaFactoryHarmless =
    // data
    "template dataset eval_dataset dataset_dir media_dir data_shared_file_system streaming "
    "buffer_size mix_strategy interleave_probs overwrite_cache preprocessing_batch_size "
    "preprocessing_num_workers max_samples eval_num_beams ignore_pad_token_for_loss val_size "
    "eval_on_each_dataset train_on_prompt mask_history tool_format default_system enable_thinking "
    "preserve_thinking tokenized_path "
    // model
    "adapter_name_or_path adapter_folder use_fast_tokenizer resize_vocab split_special_tokens "
    "add_tokens add_special_tokens new_special_tokens_config init_special_tokens rope_scaling "
    "moe_aux_loss_coef use_reentrant_gc train_from_scratch infer_backend offload_folder "
    "use_kv_cache use_v1_kernels infer_dtype hf_hub_token ms_hub_token om_hub_token "
    "print_param_status quantization_type quantization_device_map export_dir export_size "
    "export_device export_quantization_bit export_quantization_dataset "
    "export_quantization_nsamples export_quantization_maxlen export_legacy_format "
    "export_hub_model_id image_max_pixels image_min_pixels image_do_pan_and_scan crop_to_patches "
    "video_max_pixels video_min_pixels video_fps video_maxlen use_audio_in_video "
    "audio_sampling_rate vllm_maxlen vllm_gpu_util vllm_enforce_eager vllm_max_lora_rank "
    "vllm_config sglang_maxlen sglang_mem_fraction sglang_tp_size sglang_config "
    "sglang_lora_backend kt_weight_path kt_expert_checkpoint_path kt_use_lora_experts "
    "kt_lora_expert_num kt_lora_expert_intermediate_size "
    // method; settings of optimizers and trainers that are named by their switch
    "lora_dropout lora_target use_dora lora_alpha loraplus_lr_ratio loraplus_lr_embedding "
    "use_rslora pissa_init pissa_iter "
    "pissa_convert create_new_adapter module_dropout oft_rank oft_block_size oft_target "
    "freeze_trainable_layers freeze_trainable_modules freeze_extra_modules freeze_vision_tower "
    "freeze_multi_modal_projector freeze_language_model pref_beta pref_ftx pref_bco_weight "
    "pref_loss dpo_label_smoothing kto_chosen_weight kto_rejected_weight simpo_gamma "
    "ppo_buffer_size ppo_epochs ppo_score_norm ppo_target ppo_whiten_rewards ld_alpha "
    "ref_model_adapters ref_model_quantization_bit reward_model reward_model_adapters "
    "reward_model_quantization_bit reward_model_type galore_target galore_rank "
    "galore_update_interval galore_scale galore_proj_type galore_layerwise apollo_target "
    "apollo_rank apollo_update_interval apollo_scale apollo_proj apollo_proj_type "
    "apollo_scale_type apollo_layerwise apollo_scale_front badam_mode badam_start_block "
    "badam_switch_mode badam_switch_interval badam_update_ratio badam_mask_mode badam_verbose "
    "asft_alpha eaft_alpha use_dft_loss use_eaft_loss hyper_parallel_args compute_accuracy "
    "disable_shuffling early_stopping_steps plot_loss include_effective_tokens_per_second "
    "use_swanlab swanlab_project swanlab_workspace swanlab_run_name swanlab_mode swanlab_api_key "
    "swanlab_logdir swanlab_lark_webhook_url swanlab_lark_secret fp8_backend "
    "fp8_enable_fsdp_float8_all_gather ray_run_name ray_storage_path ray_num_workers "
    "ray_init_kwargs master_addr master_port enable_torch_profiler profiler_output_dir "
    "profiler_wait_steps profiler_warmup_steps profiler_active_steps profiler_repeat "
    "profiler_record_shapes profiler_profile_memory profiler_with_stack profile_modules "
    "do_sample temperature top_p top_k num_beams max_new_tokens repetition_penalty length_penalty "
    "skip_special_tokens predict_with_generate generation_max_length generation_num_beams "
    "generation_config sortish_sampler compute_dtype device_map block_diag_attn";

constexpr WeighingKeys kLlamaFactoryWeighing[] = {
    {"stage",
     "a reward model with LLaMA-Factory's own head and reinforcement tuning are not modelled",
     "sft pt dpo kto"},
    {"ref_model", "another model as the reference is not modelled"},
    {"finetuning_type", "only full tuning and LoRA are modelled", "lora full"},
    {"use_galore use_apollo use_badam use_adam_mini use_muon", "this optimizer is not modelled"},
    {"use_llama_pro use_mca use_hyper_parallel use_kt", "this way to train is not modelled"},
    {"use_unsloth use_unsloth_gc", "unsloth's kernels are not modelled"},
    {"fp8", "FP8 is not modelled"},
    {"additional_target", "modules that are trained whole are not modelled"},
    {"shift_attn mixture_of_depths", "this change of the model is not modelled"},
    {"upcast_layernorm upcast_lmhead_output", "weights or logits in float32 are not modelled"},
    {"use_asft_loss", "its reference model is not modelled"},
    {"quantization_method", "only bitsandbytes is modelled", "bnb"},
};

constexpr std::string_view kAccelerateHarmless =
    "compute_environment debug downcast_bf16 enable_cpu_affinity gpu_ids machine_rank "
    "main_process_ip main_process_port main_training_function num_machines rdzv_backend "
    "same_network tpu_env tpu_name tpu_use_cluster tpu_use_sudo tpu_vm tpu_zone command_file "
    "commands mpirun_config use_stateful_dataloader fsdp_config.fsdp_auto_wrap_policy "
    "fsdp_config.fsdp_backward_prefetch fsdp_config.fsdp_backward_prefetch_policy "
    "fsdp_config.fsdp_cpu_ram_efficient_loading fsdp_config.fsdp_forward_prefetch "
    "fsdp_config.fsdp_state_dict_type fsdp_config.fsdp_sync_module_states "
    "fsdp_config.fsdp_transformer_layer_cls_to_wrap fsdp_config.fsdp_use_orig_params "
    "fsdp_config.fsdp_limit_all_gathers deepspeed_config.zero3_init_flag "
    "deepspeed_config.zero3_save_16bit_model deepspeed_config.offload_optimizer_nvme_path "
    "deepspeed_config.offload_param_nvme_path deepspeed_config.deepspeed_multinode_launcher "
    "deepspeed_config.deepspeed_hostfile deepspeed_config.deepspeed_exclusion_filter "
    "deepspeed_config.deepspeed_inclusion_filter deepspeed_config.msamp_opt_level "
    "deepspeed_config.deepspeed_moe_layer_cls_names deepspeed_config.is_train_batch_min "
    "deepspeed_config.transformer_moe_cls_names";

constexpr WeighingKeys kAccelerateWeighing[] = {
    {"use_cpu", "the run does not use a GPU"},
    {"fp8_config deepspeed_config.enable_msamp", "FP8 is not modelled"},
    {"megatron_lm_config", "Megatron-LM is not modelled"},
    {"parallelism_config", "tensor, context and sequence parallelism are not modelled"},
    {"dynamo_config",
     "compiling is not modelled; of published compiled runs the estimate was "
     "between 12 % low and 28 % high",
     "", Effect::names},
    {"fsdp_config.fsdp_min_num_params", "every layer is estimated as a unit of its own", "",
     Effect::names},
    {"fsdp_config.fsdp_version", "FSDP1 is estimated as FSDP2", "2", Effect::names},
    {"fsdp_config.fsdp_activation_checkpointing_offload",
     "activations on the CPU are not modelled"},
};

constexpr std::string_view kDeepSpeedHarmless =
    "train_batch_size steps_per_print wall_clock_breakdown dump_state prescale_gradients "
    "gradient_predivide_factor gradient_allreduce_op sparse_gradients scheduler "
    "zero_allow_untested_optimizer zero_force_ds_cpu_optimizer memory_breakdown disable_allgather "
    "disable_python_gc checkpoint dataloader_drop_last tensorboard wandb comet csv_monitor "
    "comms_logger flops_profiler aio log_level seq_parallel_communication_data_type "
    "managed_gradient_accumulation compile activation_checkpointing optimizer.params "
    "optimizer.legacy_fusion bf16.check_overflow bf16.immediate_grad_update fp16.loss_scale "
    "fp16.auto_cast fp16.initial_scale_power fp16.loss_scale_window fp16.hysteresis "
    "fp16.consecutive_hysteresis fp16.min_loss_scale zero_optimization.contiguous_gradients "
    "zero_optimization.reduce_scatter zero_optimization.allgather_partitions "
    "zero_optimization.overlap_comm zero_optimization.use_multi_rank_bucket_allreduce "
    "zero_optimization.compute_grad_norm zero_optimization.load_from_fp32_weights "
    "zero_optimization.elastic_checkpoint zero_optimization.cpu_offload_use_pin_memory "
    "zero_optimization.sub_group_size zero_optimization.stage3_param_persistence_threshold "
    "zero_optimization.stage3_model_persistence_threshold "
    "zero_optimization.stage3_gather_16bit_weights_on_model_save "
    "zero_optimization.stage3_gather_fp16_weights_on_model_save "
    "zero_optimization.stage3_max_reuse_distance "
    "zero_optimization.stage3_module_granularity_threshold "
    "zero_optimization.stage3_use_all_reduce_for_fetch_params "
    "zero_optimization.stage3_allgather_sequential zero_optimization.ignore_unused_parameters "
    "zero_optimization.legacy_stage1 zero_optimization.round_robin_gradients "
    "zero_optimization.parameter_alignment zero_optimization.memory_efficient_linear "
    "zero_optimization.pipeline_loading_checkpoint zero_optimization.override_module_apply "
    "zero_optimization.log_trace_cache_warnings zero_optimization.enable_sanity_checks "
    "zero_optimization.save_muon_momentum_buffer_in_memory zero_optimization.leaf_module "
    "zero_optimization.offload_optimizer.nvme_path "
    "zero_optimization.offload_optimizer.buffer_count "
    "zero_optimization.offload_optimizer.pin_memory "
    "zero_optimization.offload_optimizer.pipeline_read "
    "zero_optimization.offload_optimizer.pipeline_write "
    "zero_optimization.offload_optimizer.pipeline zero_optimization.offload_optimizer.fast_init "
    "zero_optimization.offload_optimizer.cpuadam_cores_perc "
    "zero_optimization.offload_param.nvme_path zero_optimization.offload_param.buffer_count "
    "zero_optimization.offload_param.buffer_size zero_optimization.offload_param.max_in_cpu "
    "zero_optimization.offload_param.pin_memory";

constexpr WeighingKeys kDeepSpeedWeighing[] = {
    {"optimizer.type", "this optimizer is not modelled", "Adam AdamW SGD"},
    {"bf16.bf16_master_weights_and_grads bf16.bf16_optimizer_states "
     "fp16.fp16_master_weights_and_grads data_types communication_data_type torch_autocast amp "
     "ddp_bf16",
     "only DeepSpeed's usual types of weights and gradients are modelled"},
    {"tensor_parallel autotp_size sequence_parallel_size pipeline data_parallel_group "
     "use_data_before_expert_parallelism",
     "parallelism besides ZeRO's is not modelled", "1"},
    {"compression_training sparse_attention data_efficiency curriculum_learning elasticity "
     "autotuning hybrid_engine progressive_layer_drop quantize_training eigenvalue "
     "checkpoint_engine super_offload",
     "it is not modelled"},
    {"zero_optimization.reduce_bucket_size zero_optimization.allgather_bucket_size",
     "the estimate has buckets of 5e8", "<=500000000"},
    {"zero_optimization.stage3_prefetch_bucket_size", "the estimate prefetches at most 5e7",
     "<=50000000"},
    {"zero_optimization.stage3_max_live_parameters", "the estimate has at most 1e9 live",
     "<=1000000000"},
    {"zero_optimization.zero_hpz_partition_size zero_optimization.mics_shard_size",
     "a second division of the weights is not modelled", "1 -1"},
    {"zero_optimization.zero_quantized_weights "
     "zero_optimization.zero_quantized_nontrainable_weights "
     "zero_optimization.zero_quantized_gradients",
     "ZeRO++'s quantization is not modelled"},
    {"zero_optimization.zenflow zero_optimization.offload_optimizer.super_offload",
     "it is not modelled"},
    {"zero_optimization.offload_optimizer.ratio", "only whole offload is modelled", "1 1.0"},
};

constexpr std::string_view kLightningHarmless =
    "_target_ _partial_ logger callbacks fast_dev_run max_epochs min_epochs max_steps min_steps "
    "max_time limit_train_batches limit_val_batches limit_test_batches limit_predict_batches "
    "overfit_batches val_check_interval check_val_every_n_epoch num_sanity_val_steps "
    "log_every_n_steps enable_checkpointing enable_progress_bar enable_model_summary "
    "gradient_clip_algorithm deterministic benchmark inference_mode use_distributed_sampler "
    "profiler detect_anomaly barebones reload_dataloaders_every_n_epochs default_root_dir "
    "enable_autolog_hparams model_registry defaults weights_summary progress_bar_refresh_rate "
    "resume_from_checkpoint";

constexpr WeighingKeys kLightningWeighing[] = {
    {"accelerator", "the run does not use a GPU", "gpu cuda"},
    {"plugins", "plugins are not modelled"},
    {"sync_batchnorm", "synchronized batch normalization is not modelled", "", Effect::names},
};

}  // namespace

const KnownKeys kTransformersKeys = {kTransformersHarmless, kTransformersWeighing};
const KnownKeys kTrlKeys = {kTrlHarmless, kTrlWeighing};
const KnownKeys kPeftKeys = {kPeftHarmless, kPeftWeighing};
const KnownKeys kLlamaFactoryKeys = {kLlamaFactoryHarmless, kLlamaFactoryWeighing};
const KnownKeys kAccelerateKeys = {kAccelerateHarmless, kAccelerateWeighing};
const KnownKeys kDeepSpeedKeys = {kDeepSpeedHarmless, kDeepSpeedWeighing};
const KnownKeys kLightningKeys = {kLightningHarmless, kLightningWeighing};

}  // namespace plimsoll::jobs::training_config

#include "engine/training/advice/diagnosis.hpp"
#include "engine/training/advice/precision.hpp"
#include "engine/training/advice/snippets.hpp"
#include "engine/training/gpus/catalogue.hpp"
#include "engine/training/guides/gpu_profiles_guide.hpp"
#include "engine/training/guides/naics_memory.hpp"
#include "engine/training/models/presets.hpp"

#include <gmock/gmock.h>

namespace plimsoll::training {
namespace {

using testing::HasSubstr;

TEST(Accumulation, FloorNearestAndExact) {
    const auto a = advise_accumulation(45, 256);
    ASSERT_TRUE(a);
    EXPECT_EQ(a->floor.effective(), 225) << "the guide's choice";
    EXPECT_EQ(a->nearest.effective(), 270);
    EXPECT_EQ(a->exact->batch, 32);
    EXPECT_EQ(a->exact->effective(), 256);
    EXPECT_EQ(advise_accumulation(512, 256)->floor.batch, 256) << "never above the target";
    EXPECT_EQ(advise_accumulation(0, 256).error().where, "/batch");
    EXPECT_EQ(advise_accumulation(8, 0).error().where, "/target_effective_batch");
}

TEST(Accumulation, CountsEveryCard) {
    const auto even = advise_accumulation(45, 256, 4);
    ASSERT_TRUE(even);
    EXPECT_EQ(even->nearest.batch, 45);
    EXPECT_EQ(even->nearest.effective(), 180) << "360 is further away";
    EXPECT_EQ(even->exact->batch, 32);
    EXPECT_EQ(even->exact->steps, 2);
    EXPECT_EQ(even->exact->effective(), 256);
    const auto odd = advise_accumulation(512, 256, 3);
    ASSERT_TRUE(odd);
    EXPECT_EQ(odd->floor.effective(), 255);
    EXPECT_FALSE(odd->exact) << "three cards do not divide 256";
    EXPECT_EQ(advise_accumulation(8, 2, 4)->nearest.effective(), 4) << "a sample each";
    for (std::int64_t cards = 1; cards < 9; ++cards)
        for (std::int64_t target = cards; target < 300; ++target)
            for (const std::int64_t max : {1, 7, 45, 1000}) {
                const auto a = advise_accumulation(max, target, cards);
                ASSERT_LE(a->floor.effective(), target) << max << " on " << cards;
                ASSERT_LE(std::max(a->floor.batch, a->nearest.batch), max);
                ASSERT_EQ(a->exact.has_value(), target % cards == 0);
                if (!a->exact) continue;
                ASSERT_LE(a->exact->batch, max);
                ASSERT_EQ(a->exact->effective(), target);
            }
    EXPECT_EQ(advise_accumulation(8, 256, 0).error().where, "/cards");
}

TEST(Loader, HostMemoryOfTheQueue) {
    const auto a = advise_loader(16, false, 1000, 40'000);
    EXPECT_EQ(a.workers, 8);
    EXPECT_EQ(a.host_bytes, 8 * 4 * 1000);
    EXPECT_TRUE(a.host_memory_tight);
    EXPECT_EQ(advise_loader(1, false, 1000, 0).prefetch, 0);
    EXPECT_EQ(a.tokenizer_processes, 15);
    EXPECT_EQ(advise_loader(1, false, 1000, 0).tokenizer_processes, 1);
    EXPECT_EQ(advise_loader(16, false, 1000, 0, false).tokenizer_processes, 0) << "no text";
}

TEST(ParallelRuns, CountTheirContexts) {
    EXPECT_EQ(parallel_runs(24, 1.0, 0, 12), 2);
    EXPECT_EQ(parallel_runs(24, 1.0, 1, 12), 1);
}

ReportRequest bert_request() {
    ReportRequest r;
    r.shape = *preset("bert-base");
    r.gpus = {*GpuCatalogue().find("t4"), *GpuCatalogue().find("rtx_4090"),
              *GpuCatalogue().find("h200")};
    r.workload.dataset_size = 100'000;
    return r;
}

TEST(Report, IsConsistentForEveryCard) {
    const auto request = bert_request();
    const auto report = make_report(request);
    ASSERT_TRUE(report) << report.error().message;
    ASSERT_EQ(report->gpus.size(), 3U);
    std::int64_t last = 0;
    for (const auto& c : report->gpus) {
        EXPECT_GT(c.limits.max_batch, last) << c.gpu.id;
        last = c.limits.max_batch;
        EXPECT_LE(c.utilisation_percent, 85.01);
        std::int64_t sum = c.at_batch.fragmentation() + c.gpu.total_bytes() - c.gpu.usable_bytes();
        for (const auto bytes : c.at_batch.breakdown) sum += bytes;
        EXPECT_EQ(sum, c.device_used);
        EXPECT_GT(c.throughput.samples_per_second, 0);
        EXPECT_FALSE(c.what_ifs.empty());
        EXPECT_GT(c.curve.back().batch, c.limits.max_batch);
        EXPECT_GE(c.curve.size(), 3U);
        // Lines between other points would pass far below the knee.
        const auto knee = std::ranges::find(c.curve, c.knee.batch, &CurvePoint::batch);
        ASSERT_NE(knee, c.curve.end());
        EXPECT_NEAR(knee->samples_per_second / c.knee.samples_per_second, 1, 0.02) << c.gpu.id;
        EXPECT_GT(c.rate.warmup_steps, 0);
    }
}

// The training utilization guide's table against what memory would allow: it is far below.
TEST(Report, TweetBatchesOfTheGuideAreFarFromTheMemoryLimit) {
    ReportRequest r;
    r.shape = *preset("roberta-base");
    r.what_ifs = false;
    for (const auto& row : utilisation::tweet_batches()) {
        r.gpus = {*GpuCatalogue().find(row.profile_id)};
        const auto report = make_report(r);
        ASSERT_TRUE(report);
        EXPECT_GT(report->gpus[0].limits.max_batch, row.max_batch) << row.gpu;
    }
}

TEST(Report, CardsShareTheTargetAndTheHours) {
    ReportRequest r;
    r.shape = *preset("bert-base");
    r.gpus = {*GpuCatalogue().find("rtx_4090")};
    r.target_effective_batch = 1024;
    r.workload.dataset_size = 1'000'000;
    r.batch = 16;
    r.what_ifs = r.curves = false;
    const auto alone = make_report(r)->gpus.front();
    r.settings.cards = 4;
    r.settings.sharding = Sharding::ddp;
    const auto shared = make_report(r)->gpus.front();
    EXPECT_EQ(alone.accumulation->nearest.steps, 64);
    EXPECT_EQ(shared.accumulation->nearest.steps, 16);
    EXPECT_EQ(shared.accumulation->nearest.effective(), 1024);
    EXPECT_EQ(shared.throughput.optimizer_steps_per_epoch, 977);
    EXPECT_NEAR(shared.throughput.hours, alone.throughput.hours / 4, 1e-3);
    EXPECT_EQ(shared.throughput.samples_per_second, alone.throughput.samples_per_second);
    r.settings.cards = 0;
    EXPECT_EQ(make_report(r).error().where, "/cards");
}

TEST(Report, ReportsAShortage) {
    ReportRequest r;
    r.shape = *preset("llama-8b");
    r.gpus = {*GpuCatalogue().find("rtx_4090")};
    r.settings.precision = Precision::bf16_autocast;
    r.what_ifs = false;
    const auto report = make_report(r);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->gpus[0].fit, Fit::no);
    EXPECT_EQ(report->gpus[0].reason, BatchReason::nothing_fits);
    const auto& ways = report->gpus[0].what_ifs;
    ASSERT_EQ(ways.size(), 3U) << "of settings, by the host's memory, and on more cards";
    EXPECT_THAT(ways.front().change, HasSubstr("QLoRA"));
    EXPECT_THAT(ways[1].change, HasSubstr("the host's memory"));
    EXPECT_THAT(ways.back().change, HasSubstr("GPUs, sharded"));
    for (const auto& way : ways) {
        auto changed = r;
        changed.settings = way.settings;
        changed.curves = false;
        EXPECT_EQ(make_report(changed)->gpus[0].limits.max_batch, way.max_batch) << way.change;
    }
    r.settings.sequence = 4096;
    EXPECT_THAT(make_report(r)->gpus[0].what_ifs.front().change, HasSubstr(" + "))
        << "no change alone is enough";
    r.shape = *preset("llama-70b");
    r.settings = {.sequence = 1024, .precision = Precision::bf16};
    EXPECT_THAT(make_report(r)->gpus[0].what_ifs.back().change, HasSubstr("QLoRA"))
        << "nor are as many cards as are tried";
    r.gpus.clear();
    EXPECT_EQ(make_report(r).error().where, "/gpus");
}

TEST(Snippets, AllContainTheSameSettings) {
    RecommendedSettings s;
    s.batch = 40;
    s.accumulation = 6;
    s.learning_rate = 4e-5;
    s.training.precision = Precision::bf16_autocast;
    s.training.checkpointing = true;
    s.loader = advise_loader(16, false, 1, 0);
    EXPECT_THAT(transformers_arguments(s), HasSubstr("per_device_train_batch_size=40"));
    EXPECT_THAT(transformers_arguments(s), HasSubstr("bf16=True"));
    EXPECT_THAT(transformers_arguments(s), HasSubstr("learning_rate=4e-05"));
    EXPECT_THAT(lightning_yaml(s), HasSubstr("accumulate_grad_batches: 6"));
    EXPECT_THAT(lightning_yaml(s), HasSubstr("precision: bf16-mixed"));
    EXPECT_THAT(deepspeed_json(s), HasSubstr("\"train_micro_batch_size_per_gpu\": 40"));
    EXPECT_THAT(plain_pytorch(s), HasSubstr("loss = model(**batch).loss / 6"));
    EXPECT_THAT(plain_pytorch(s), HasSubstr("gradient_checkpointing_enable"));
}

TEST(Snippets, ShardARunOnSeveralCards) {
    RecommendedSettings s;
    s.training.cards = 4;
    s.training.precision = Precision::bf16_autocast;
    s.training.sharding = Sharding::fsdp;
    EXPECT_THAT(transformers_arguments(s), HasSubstr("fsdp=True"));
    EXPECT_THAT(lightning_yaml(s), HasSubstr("devices: 4\n  strategy: fsdp"));
    EXPECT_THAT(deepspeed_json(s), HasSubstr("\"stage\": 3"));
    EXPECT_THAT(plain_pytorch(s), HasSubstr("fully_shard(part, mp_policy="));
    EXPECT_THAT(plain_pytorch(s), HasSubstr("--nproc-per-node 4"));
    s.training.sharding = Sharding::zero2;
    s.training.offload = Offload::optimizer;
    EXPECT_THAT(lightning_yaml(s), HasSubstr("strategy: deepspeed_stage_2_offload"));
    EXPECT_THAT(plain_pytorch(s), HasSubstr("deepspeed --num_gpus 4"));
    s.training.sharding = Sharding::ddp;
    EXPECT_THAT(plain_pytorch(s), HasSubstr("DistributedDataParallel"));
    EXPECT_THAT(plain_pytorch(s), HasSubstr("sampler=DistributedSampler(dataset)"));
}

TEST(Snippets, PrepareTheModelAsItWasEstimated) {
    ReportRequest r;
    r.shape = *preset("phi-3-mini");
    r.gpus = {*GpuCatalogue().find("rtx_4090")};
    r.what_ifs = false;
    r.settings.sequence = 256;
    r.settings.attention = Attention::eager;
    r.settings.lora.rank = 4;
    r.settings.quantization = Quantization::nf4;
    r.settings.optimizer = Optimizer::paged_adamw;
    r.search.estimate.allocator.expandable_segments = true;
    const auto report = make_report(r);
    ASSERT_TRUE(report);
    const auto s = settings_for(report->gpus[0], r);
    for (const auto& text : {transformers_arguments(s), plain_pytorch(s)}) {
        EXPECT_THAT(text, HasSubstr("PYTORCH_ALLOC_CONF=expandable_segments:True"));
        EXPECT_THAT(text, HasSubstr("model.set_attn_implementation(\"eager\")"));
        EXPECT_THAT(text, HasSubstr("bnb_4bit_use_double_quant=False"));
        EXPECT_THAT(text, HasSubstr("target_modules=[\"qkv_proj\"]"));
    }
    EXPECT_THAT(transformers_arguments(s), HasSubstr("optim=\"paged_adamw_32bit\""));
    EXPECT_THAT(plain_pytorch(s), HasSubstr("bitsandbytes.optim.PagedAdamW32bit"));
}

TEST(Precision, FollowsTheCheckpoint) {
    const auto of = [](const char* model, const char* gpu, auto&& change) {
        TrainingSettings t;
        change(t);
        return automatic_precision(*preset(model), t, *GpuCatalogue().find(gpu));
    };
    const auto full = [](auto&) {};
    const auto adapters = [](auto& t) { t.lora.rank = 16; };
    EXPECT_EQ(of("llama-8b", "rtx_4090", full), Precision::bf16);
    EXPECT_EQ(of("llama-8b", "rtx_4090", adapters), Precision::bf16);
    EXPECT_EQ(of("llama-8b", "t4", adapters), Precision::fp16);
    EXPECT_EQ(of("llama-8b", "t4", full), Precision::fp16_autocast);
    EXPECT_EQ(of("llama-8b", "k80", adapters), Precision::fp32);
    EXPECT_EQ(of("bert-base", "rtx_4090", full), Precision::bf16_autocast);
    EXPECT_EQ(of("llama-8b", "rtx_4090",
                 [](auto& t) {
                     t.lora.rank = 16;
                     t.quantization = Quantization::nf4;
                 }),
              Precision::bf16_autocast);
    EXPECT_EQ(of("llama-8b", "rtx_4090",
                 [](auto& t) {
                     t.cards = 8;
                     t.sharding = Sharding::fsdp;
                 }),
              Precision::bf16_autocast);
}

// LoRA on 7 and 8 billion parameters fits cards of 24 GB, as LitGPT, torchtune and LLaMA-Factory
// publish.
TEST(Precision, AdaptersOnEightBillionParametersFit24Gigabytes) {
    ReportRequest r;
    r.shape = *preset("llama-8b");
    r.adapts_precision = true;
    r.gpus = {*GpuCatalogue().find("rtx_4090")};
    r.settings.sequence = 1024;
    r.settings.checkpointing = true;
    r.settings.lora.rank = 16;
    r.target_effective_batch = 16;
    const auto report = make_report(r);
    ASSERT_TRUE(report) << report.error().message;
    const auto& card = report->gpus[0];
    EXPECT_EQ(card.fit, Fit::yes);
    EXPECT_EQ(card.precision, Precision::bf16);
    EXPECT_LT(card.device_used, 20LL << 30);
    EXPECT_THAT(transformers_arguments(settings_for(card, r)), HasSubstr("dtype=torch.bfloat16"));
}

TEST(Diagnosis, OutOfMemoryBacksOffAsTheGuideDoes) {
    const auto causes = diagnose({.out_of_memory = true, .batch = 45, .accumulation = 5});
    ASSERT_TRUE(causes);
    EXPECT_EQ(causes->front().change, "batch 45 -> 34, accumulation 5 -> 7");
    EXPECT_EQ(causes->front().gain, "24 % less activation memory, effective batch 225 -> 238");
    EXPECT_EQ(diagnose({.gpu_percent = 130}).error().where, "/gpu_percent");
}

// The guide's step of a quarter would make 96 of 64.
TEST(Diagnosis, OutOfMemoryKeepsTheEffectiveBatch) {
    const auto back_off = [](int batch, int accumulation) {
        return diagnose({.out_of_memory = true, .batch = batch, .accumulation = accumulation})
            ->front();
    };
    EXPECT_EQ(back_off(64, 1).change, "batch 64 -> 32, accumulation 1 -> 2");
    EXPECT_EQ(back_off(64, 1).gain, "50 % less activation memory, the same effective batch of 64");
    EXPECT_EQ(back_off(4, 1).change, "batch 4 -> 2, accumulation 1 -> 2");
    for (int batch = 2; batch < 300; ++batch)
        for (int steps = 1; steps < 9; ++steps) {
            int to = 0, times = 0, from = 0, before = 0;
            ASSERT_EQ(
                std::sscanf(back_off(batch, steps).change.c_str(),
                            "batch %d -> %d, accumulation %d -> %d", &from, &to, &before, &times),
                4);
            EXPECT_LT(to, batch);
            EXPECT_GE(to * times, batch * steps);
            EXPECT_LE(10 * to * times, 11 * batch * steps) << batch << " x " << steps;
        }
}

TEST(OutOfMemoryMessage, IsReadAsEachPytorchWritesIt) {
    EXPECT_FALSE(read_out_of_memory("loss: 0.3\nKilled"));
    const auto old = read_out_of_memory(
        "RuntimeError: CUDA out of memory. Tried to allocate 1.10 GiB (GPU 0; 23.65 GiB total "
        "capacity; 20.10 GiB already allocated; 512.00 MiB free; 21.60 GiB reserved in total by "
        "PyTorch) If reserved memory is >> allocated memory try setting max_split_size_mb");
    ASSERT_TRUE(old);
    EXPECT_DOUBLE_EQ(old->tried, 1.1);
    EXPECT_DOUBLE_EQ(*old->total, 23.65);
    EXPECT_DOUBLE_EQ(*old->free, 0.5);
    EXPECT_NEAR(*old->unallocated, 1.5, 1e-9);
    EXPECT_THAT(causes_of(*old).at(0).change, testing::HasSubstr("expandable_segments"));
    const auto whole = read_out_of_memory(
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 32.00 GiB. GPU 0 has a "
        "total capacity of 23.65 GiB of which 20.00 GiB is free. Including non-PyTorch memory, "
        "this process has 3.65 GiB memory in use.");
    EXPECT_DOUBLE_EQ(*whole->process, 3.65);
    EXPECT_THAT(causes_of(*whole).at(0).cause, testing::HasSubstr("a single allocation of 32.00"));
    EXPECT_EQ(causes_of(*whole).size(), 1u);
}

TEST(Diagnosis, UnderuseNamesTheGainOfALargerBatch) {
    const auto causes = diagnose({.gpu_percent = 30,
                                  .memory_percent = 17,
                                  .batch = 4,
                                  .accumulation = 16,
                                  .loader_workers = 0,
                                  .cpu_cores = 16,
                                  .max_batch = 40});
    ASSERT_TRUE(causes);
    EXPECT_EQ(causes->at(0).change, "raise the batch from 4 to 40");
    EXPECT_EQ(causes->at(2).change, "use 8 workers");
    EXPECT_TRUE(causes->back().from_guide);
}

TEST(Diagnosis, MemoryAloneGivesAdvice) {
    EXPECT_THAT(diagnose({.memory_percent = 20})->front().change, HasSubstr("raise the batch"));
    EXPECT_EQ(
        diagnose({.memory_percent = 97, .batch = 16})->front().change,
        "lower the batch from 16 to 12 and accumulate more, or turn gradient checkpointing on");
    EXPECT_TRUE(diagnose({.memory_percent = 80})->empty());
    EXPECT_THAT(diagnose({.gpu_percent = 60})->front().cause, HasSubstr("target is 75"));
    EXPECT_TRUE(diagnose({.gpu_percent = 80})->empty());
    EXPECT_THAT(diagnose({.cpu_percent = 95})->front().cause, HasSubstr("target is 50 to 80"));
    EXPECT_TRUE(diagnose({.gpu_percent = 90, .cpu_percent = 95})->empty());
}

// The memory guide's entries for memory left over and for running out.
TEST(Diagnosis, NamesOtherProcessesAndAlternativesToCheckpointing) {
    EXPECT_THAT(diagnose({.memory_percent = 40, .batch = 8, .max_batch = 8})->front().change,
                HasSubstr("nvidia-smi"));
    const auto out = *diagnose({.out_of_memory = true, .batch = 4, .checkpointing = true});
    EXPECT_THAT(out.back().change, HasSubstr("adapters"));
    EXPECT_THAT(diagnose({.memory_percent = 97, .checkpointing = true})->front().change,
                testing::Not(HasSubstr("checkpointing")));
}

TEST(Diagnosis, GivesNoRedundantAdvice) {
    const auto changes = [](const Observation& seen) {
        std::string all;
        for (const auto list = *diagnose(seen); const auto& one : list) all += one.change + "\n";
        return all;
    };
    const auto done = changes(
        {.gpu_percent = 30, .batch = 40, .loader_workers = 8, .cpu_cores = 16, .max_batch = 40});
    EXPECT_THAT(done, testing::Not(HasSubstr("loader workers")));
    EXPECT_THAT(done, testing::Not(HasSubstr("accumulation")));
    EXPECT_THAT(done, testing::Not(HasSubstr("the batch")));
    const auto said = changes({.gpu_percent = 30, .loader_workers = 2, .cpu_cores = 8});
    EXPECT_THAT(said, HasSubstr("use 6 workers"));
    EXPECT_THAT(said, testing::Not(HasSubstr("8 loader workers")));
}

TEST(Diagnosis, TheStepTimeDistinguishesAWaitingGpuFromASlowOne) {
    Observation seen{.gpu_percent = 40, .step_seconds = 0.5, .modelled_step_seconds = 0.2};
    EXPECT_EQ(diagnose(seen)->front().cause,
              "the GPU is idle for 0.3 s of each step of 0.5 s; the modelled step takes 0.2 s");
    EXPECT_EQ(diagnose(seen)->front().gain, "up to 2.5x the samples per second");
    seen.gpu_percent = 95;
    EXPECT_THAT(diagnose(seen)->front().change, HasSubstr("mixed precision"));
    seen.gpu_percent.reset();
    EXPECT_THAT(diagnose(seen)->front().cause, HasSubstr("a step takes 0.5 s"));
    seen.step_seconds = 0.25;
    EXPECT_TRUE(diagnose(seen)->empty()) << "near what is modelled";
    seen.step_seconds = 0;
    EXPECT_EQ(diagnose(seen).error().where, "/step_seconds");
}

}  // namespace
}  // namespace plimsoll::training

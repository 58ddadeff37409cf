#pragma once

#include "engine/training/advice/batch_advice.hpp"
#include "engine/training/advice/knee.hpp"
#include "engine/training/estimate/batch_search.hpp"
#include "engine/training/estimate/colocated_vllm.hpp"
#include "engine/training/estimate/oom_batches.hpp"
#include "engine/training/guides/learning_rate.hpp"

#include <optional>
#include <string>
#include <vector>

namespace plimsoll::training {

// Which batch to recommend among those that fit.
enum class Goal {
    batch,  // the largest that reaches the target in whole micro-batches
    fill,   // the largest that fits, even if that is more than the target
    knee,   // the smallest that is hardly slower than the largest; speed is modelled
    guide,  // the value of the model's guide, whether it fits or not
};

struct ReportRequest {
    ModelShape shape;
    TrainingSettings settings;
    bool adapts_precision = false;   // none was requested: see automatic_precision
    bool compiled = false;           // neither is modelled: reports name how far estimates of such
    bool fp8 = false;                // runs were off
    std::optional<Lengths> lengths;  // of the texts; settings.sequence is their longest
    std::vector<GpuProfile> gpus;
    std::size_t compared = 0;  // cards in the whole comparison; 0: as many as here
    SearchOptions search;
    std::int64_t batch = 0;  // check this batch; 0: the recommended one
    // With several micro-batches, gradients persist between them and are counted.
    std::int64_t target_effective_batch = 256;  // of all copies together
    RateQuestion rate;                          // its batch is filled in per card
    Workload workload;
    Goal goal = Goal::batch;
    std::string interval = "1h";  // of the bars of a series: the GPU profile guide's "1d" or "1h"
    int cpu_cores = 8;
    std::int64_t host_ram_bytes = 0;
    bool heavy_preprocessing = false;
    bool what_ifs = true;  // with curves, and if nothing fits on the only card, in any case
    bool curves = true;
};

// Changed settings and their effect on the same card, or on each of more such cards.
struct WhatIf {
    std::string change;  // "gradient checkpointing"
    TrainingSettings settings;
    double safety = 0;  // the margin
    std::int64_t max_batch = 0;
    double batch_factor = 0;  // relative to the report's own max_batch
    double speed_factor = 0;  // samples per second at its own recommended batch
};

struct CurvePoint {
    std::int64_t batch = 0;
    std::int64_t reserved_bytes = 0;
    double samples_per_second = 0;
    double step_seconds = 0;
};

// The reason for a report's batch.
enum class BatchReason {
    knee,          // larger batches would hardly be faster
    memory,        // the largest round batch that fits, still faster than smaller ones
    fill,          // the largest that fits and reaches the target in whole micro-batches
    target,        // the target effective batch itself
    guide,         // the guide's
    asked,         // the request
    nothing_fits,  // 1, to report the shortfall
};

struct GpuReport {
    GpuProfile gpu;
    Precision precision = Precision::fp32;  // of this card's run
    BatchLimits limits;
    OomBatches oom_batches;  // batches below the largest; only with the curves
    Band band;
    Knee knee;               // of the batches that fit
    std::int64_t batch = 1;  // the batch described by the other fields
    BatchReason reason = BatchReason::nothing_fits;
    std::string guide;  // whose batch it is
    Fit fit = Fit::no;  // of this batch
    Estimate at_batch;
    std::int64_t reserved = 0;  // peak_reserved, corrected by measured runs
    std::optional<ColocatedVllm> vllm;
    std::int64_t elsewhere = 0;    // what others hold, vLLM included
    std::int64_t device_used = 0;  // all of this, and the context
    double utilisation_percent = 0;
    std::int64_t headroom_bytes = 0;
    double out_of_memory_probability = 0;  // from the band
    std::optional<AccumulationAdvice> accumulation;
    Throughput throughput;          // per card; hours: all cards, excluding their communication
    double micro_step_seconds = 0;  // one micro-batch with its part of the optimizer step
    RateAdvice rate;
    LoaderAdvice loader;
    std::int64_t parallel_runs = 0;
    std::vector<CurvePoint> curve;
    std::vector<WhatIf> what_ifs;  // largest gain first
};

struct Report {
    std::vector<GpuReport> gpus;
};

// The whole result of a training-config job; errors name the field.
Result<Report> make_report(const ReportRequest& request);

}  // namespace plimsoll::training

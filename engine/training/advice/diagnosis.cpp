#include "engine/training/advice/diagnosis.hpp"

#include "engine/training/guides/naics_memory.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace plimsoll::training {

namespace {

using utilisation::Subject;

bool percentage(const std::optional<double>& p) {
    return !p || (std::isfinite(*p) && *p >= 0 && *p <= 100);
}

// The guide's step, unless it changes the effective batch by more than a tenth: then the largest
// smaller batch that keeps it.
std::optional<naics::BackOff> backed_off(int batch, int accumulation) {
    const auto guide = naics::back_off(batch, accumulation);
    if (!guide || batch < 2) return std::nullopt;
    const auto product = 1LL * batch * accumulation;
    const bool is_close = 10LL * guide->batch * guide->accumulation <= 11 * product;
    if (guide->batch < batch && is_close) return *guide;
    int smaller = std::min(guide->batch, batch - 1);
    while (product % smaller != 0) --smaller;
    return naics::BackOff{smaller, static_cast<int>(product / smaller)};
}

void add_out_of_memory(const Observation& seen, std::vector<Cause>& out) {
    if (seen.max_batch > 0 && seen.batch > seen.max_batch)
        out.push_back({"the batch is larger than the estimate allows",
                       fmt::format("lower the batch from {} to {}", seen.batch, seen.max_batch),
                       "fits", false, Subject::batch});
    if (const auto next = backed_off(seen.batch, seen.accumulation)) {
        const auto before = 1LL * seen.batch * seen.accumulation;
        const auto after = 1LL * next->batch * next->accumulation;
        out.push_back(
            {"out of memory despite an estimate",
             fmt::format("batch {} -> {}, accumulation {} -> {}", seen.batch, next->batch,
                         seen.accumulation, next->accumulation),
             fmt::format("{:.0f} % less activation memory, {}",
                         100 - 100.0 * next->batch / seen.batch,
                         before == after ? fmt::format("the same effective batch of {}", before)
                                         : fmt::format("effective batch {} -> {}", before, after)),
             true});
    }
    if (!seen.checkpointing.value_or(false))
        out.push_back({"activations dominate, unless they are checkpointed already",
                       "turn gradient checkpointing on",
                       "keeps only layer inputs; about 20 % slower", false});
    else
        out.push_back({"weights and optimizer state dominate once activations are checkpointed",
                       "train adapters (LoRA) or use an 8-bit optimizer; on several GPUs, shard",
                       "frozen weights have no gradients and no optimizer state", false});
}

constexpr double kFewPercent = 60, kFullPercent = 95;  // of the memory

void add_memory(const Observation& seen, std::vector<Cause>& out) {
    if (!seen.memory_percent) return;
    const double percent = *seen.memory_percent;
    const bool known = seen.batch > 0 && seen.max_batch > 0;
    if (percent >= kFullPercent) {
        const std::string change =
            seen.batch > 1 ? fmt::format("lower the batch from {} to {} and accumulate more",
                                         seen.batch, seen.batch - (seen.batch + 3) / 4)
                           : std::string("lower the batch and accumulate more");
        const bool checkpointed = seen.checkpointing.value_or(false);
        out.push_back(
            {fmt::format("{:.0f} % of the memory is used", percent),
             change + (checkpointed ? "" : ", or turn gradient checkpointing on"),
             "a batch of longer texts or another process on the GPU no longer makes the run fail",
             false, Subject::batch});
    } else if (percent < kFewPercent && known && seen.max_batch > seen.batch) {
        out.push_back({fmt::format("only {:.0f} % of the memory is used", percent),
                       fmt::format("raise the batch from {} to {}", seen.batch, seen.max_batch),
                       fmt::format("up to {:.1f}x the samples per step",
                                   static_cast<double>(seen.max_batch) / seen.batch),
                       false, Subject::batch});
    } else if (percent < kFewPercent && !known) {
        out.push_back({fmt::format("only {:.0f} % of the memory is used", percent),
                       "raise the batch; an estimate for this model and GPU gives the largest",
                       "more samples per step, as long as the GPU has idle units", false,
                       Subject::batch});
    }
}

// The NAICS memory guide's third step if memory is left: others may hold it.
void add_other_processes(const Observation& seen, std::vector<Cause>& out) {
    if (!seen.memory_percent || *seen.memory_percent >= kFewPercent) return;
    const bool at_largest = seen.max_batch > 0 && seen.batch >= seen.max_batch;
    out.push_back({at_largest ? "the largest batch of the estimate leaves memory unused"
                              : "another process may be using GPU memory",
                   "look for other processes on the GPU with nvidia-smi, and estimate again "
                   "with a larger share of its memory (--safety-margin)",
                   "a larger batch fits", true, Subject::other});
}

void add_underused(const Observation& seen, std::vector<Cause>& out) {
    add_memory(seen, out);
    if (seen.accumulation > 1 && seen.max_batch >= 2LL * seen.batch && seen.batch > 0)
        out.push_back({"accumulation where a larger batch fits",
                       "raise the batch size and lower the accumulation in proportion",
                       "fewer launches for the same update", false, Subject::accumulation});
    constexpr double busy = 80, waiting = 50;
    if (seen.gpu_percent && *seen.gpu_percent < waiting && seen.cpu_percent &&
        *seen.cpu_percent > busy)
        out.push_back(
            {fmt::format("the CPU is at {:.0f} % while the GPU waits for data", *seen.cpu_percent),
             "tokenize and decode in advance, or use a machine with more cores: more workers would "
             "share the same cores",
             "the GPU waits less for data", false, Subject::workers});
    const int wanted = utilisation::loader_workers(seen.cpu_cores, false);
    if (seen.loader_workers >= 0 && seen.cpu_cores > 0 && seen.loader_workers < wanted)
        out.push_back(
            {fmt::format("{} loader workers on {} cores", seen.loader_workers, seen.cpu_cores),
             fmt::format("use {} workers", wanted), "the GPU waits less for data", false,
             Subject::workers});
}

// Below the guide's target the GPU waits; a busy one that takes longer than modelled does other
// work than the settings say. The model is not calibrated, hence the wide margin.
void add_slow_step(const Observation& seen, std::vector<Cause>& out) {
    if (!seen.step_seconds) return;
    constexpr double margin = 1.5;
    const double step = *seen.step_seconds;
    const double modelled = seen.modelled_step_seconds;
    const bool slow = modelled > 0 && step > margin * modelled;
    const auto against_model =
        modelled > 0 ? fmt::format("; the modelled step takes {:.3g} s", modelled) : std::string();
    const utilisation::Targets targets;
    if (seen.gpu_percent && *seen.gpu_percent < targets.gpu_low) {
        const double idle = step * (1 - *seen.gpu_percent / 100);
        out.push_back({fmt::format("the GPU is idle for {:.3g} s of each step of {:.3g} s{}", idle,
                                   step, against_model),
                       "time the data loader alone; then use more workers, tokenize in advance, "
                       "use faster storage, and make fewer .item() calls and log entries per step",
                       fmt::format("up to {:.1f}x the samples per second",
                                   step / std::max(step - idle, step * 0.01)),
                       false, Subject::workers});
    } else if (slow && seen.gpu_percent) {
        out.push_back(
            {fmt::format("the GPU is busy, but a step takes {:.3g} s{}", step, against_model),
             "check that mixed precision and fused attention are on, that clocks are not "
             "throttled, and that nothing else runs on the GPU",
             fmt::format("up to {:.1f}x the samples per second", step / modelled), false});
    } else if (slow) {
        out.push_back(
            {fmt::format("a step takes {:.3g} s{}", step, against_model),
             "check the GPU utilization during training: low means that the GPU waits for "
             "data, high that the precision or attention differs from the estimate's",
             fmt::format("up to {:.1f}x the samples per second", step / modelled), false});
    }
}

// Between the guide's low threshold and its target; the step time says more, if known.
void add_below_target(const Observation& seen, std::vector<Cause>& out) {
    constexpr double low = 50;
    const utilisation::Targets targets;
    const bool timed = seen.step_seconds && !seen.out_of_memory;
    if (timed || !seen.gpu_percent || *seen.gpu_percent < low ||
        *seen.gpu_percent >= targets.gpu_low)
        return;
    out.push_back({fmt::format("GPU utilization is {:.0f} %; the guide's target is {} to {}",
                               *seen.gpu_percent, targets.gpu_low, targets.gpu_high),
                   "give the step time to see whether the GPU waits for data; if it does, use more "
                   "workers and prefetching; if not, use a larger batch",
                   fmt::format("up to {:.1f}x the samples per second", 100 / *seen.gpu_percent),
                   true});
}

// A busy GPU is fed in time, however busy the CPU is.
void add_busy_cpu(const Observation& seen, std::vector<Cause>& out) {
    const utilisation::Targets targets;
    if (seen.gpu_percent || !seen.cpu_percent || *seen.cpu_percent <= targets.cpu_high) return;
    out.push_back({fmt::format("CPU utilization is {:.0f} %; the guide's target is {} to {}",
                               *seen.cpu_percent, targets.cpu_low, targets.cpu_high),
                   fmt::format("check the GPU utilization: below {} %, the GPU waits for the CPU, "
                               "so tokenize and decode in advance or use more cores",
                               targets.gpu_low),
                   "the GPU waits less for data", true, Subject::workers});
}

// Whether a rule of the guides would still change something, and says it first.
bool is_news(const Observation& seen, const std::vector<Cause>& own, Subject subject) {
    if (subject == Subject::other) return true;
    for (const auto& cause : own)
        if (!cause.from_guide && cause.subject == subject) return false;
    const bool few_workers =
        seen.loader_workers < 0 ||
        seen.loader_workers <
            (seen.cpu_cores > 0 ? utilisation::loader_workers(seen.cpu_cores, false) : 8);
    switch (subject) {
        case Subject::workers: return few_workers;
        case Subject::accumulation: return seen.accumulation > 1;
        default:
            return seen.max_batch == 0 || seen.batch == 0 || 2LL * seen.batch <= seen.max_batch;
    }
}

}  // namespace

Result<std::vector<Cause>> diagnose(const Observation& seen) {
    constexpr auto rule = "Utilization must be between 0 and 100 percent.";
    if (!percentage(seen.gpu_percent)) return fail(Errc::invalid_input, rule, "/gpu_percent");
    if (!percentage(seen.cpu_percent)) return fail(Errc::invalid_input, rule, "/cpu_percent");
    if (!percentage(seen.memory_percent)) return fail(Errc::invalid_input, rule, "/memory_percent");
    if (seen.batch < 0)
        return fail(Errc::invalid_input, "The batch must not be negative.", "/batch");
    if (seen.accumulation < 1)
        return fail(Errc::invalid_input, "The accumulation must be at least 1.", "/accumulation");
    if (seen.step_seconds && !(std::isfinite(*seen.step_seconds) && *seen.step_seconds > 0))
        return fail(Errc::invalid_input, "The step time must be above 0 seconds.", "/step_seconds");
    std::vector<Cause> out;
    if (seen.out_of_memory) {
        add_out_of_memory(seen, out);
    } else {
        add_slow_step(seen, out);
        add_underused(seen, out);
    }
    const auto own = out;
    add_below_target(seen, out);
    if (!seen.out_of_memory) add_busy_cpu(seen, out);
    if (!seen.out_of_memory) add_other_processes(seen, out);
    const auto findings = utilisation::diagnose({seen.gpu_percent, seen.cpu_percent});
    for (const auto& finding : findings)
        if (is_news(seen, own, finding.subject))
            out.push_back({std::string(finding.cause), std::string(finding.change),
                           std::string(finding.symptom), true});
    if (seen.out_of_memory || findings.empty()) return out;
    for (const auto& win : utilisation::quick_wins())
        if (is_news(seen, own, win.subject))
            out.push_back(
                {"not set yet?", std::string(win.change), std::string(win.claimed_gain), true});
    return out;
}

namespace {

// The given members, and the rules that use them.
class Given {
  public:
    Given(const Observation& seen, bool has_estimate) : seen_(seen), has_estimate_(has_estimate) {}

    bool utilisation() const { return seen_.gpu_percent || seen_.cpu_percent; }
    bool memory() const { return seen_.memory_percent && !seen_.out_of_memory; }
    bool batch() const { return seen_.batch > 0; }
    bool accumulation() const { return seen_.accumulation > 1; }
    bool largest() const { return has_estimate_ || seen_.max_batch > 0; }
    bool cores() const { return has_estimate_ || seen_.cpu_cores > 0; }
    bool modelled() const { return has_estimate_ && batch(); }

    // A rule compares the batch with the largest, or lowers it.
    bool uses_batch() const {
        if (seen_.out_of_memory || memory()) return true;
        if (has_estimate_ && seen_.step_seconds) return true;
        return largest() && (utilisation() || accumulation());
    }
    bool uses_largest() const { return batch() && uses_batch(); }
    bool uses_accumulation() const {
        if (seen_.out_of_memory) return batch();
        if (seen_.step_seconds && modelled()) return true;
        return utilisation() || (batch() && largest());
    }
    bool uses_workers() const {
        if (seen_.cpu_percent || (cores() && !seen_.out_of_memory)) return true;
        // The time of a step has the rule that the GPU waits for data, whatever the workers are.
        return seen_.gpu_percent && (!seen_.step_seconds || seen_.out_of_memory);
    }
    bool uses_step() const {
        return !seen_.out_of_memory && (seen_.gpu_percent.has_value() || modelled());
    }

  private:
    const Observation& seen_;
    bool has_estimate_;
};

}  // namespace

std::vector<UnusedObservation> unused_observations(const Observation& seen, bool has_estimate) {
    const Given given(seen, has_estimate);
    std::vector<UnusedObservation> out;
    const auto check = [&](bool is_given, bool used, std::string_view member,
                           std::string_view why) {
        if (is_given && !used) out.push_back({member, why});
    };
    check(seen.memory_percent.has_value(), !seen.out_of_memory, "memory_percent",
          "A run that ran out of memory used all of the GPU's memory.");
    check(seen.step_seconds.has_value(), given.uses_step(), "step_seconds",
          seen.out_of_memory ? "The step time does not explain why a run ran out of memory."
          : has_estimate     ? "Also give the batch, or the GPU utilization."
                             : "Also give the GPU utilization.");
    check(given.batch(), given.uses_batch(), "batch",
          has_estimate ? "Also give the step time, a utilization, the memory in use or the "
                         "accumulation, or say that the run ran out of memory."
                       : "Also give the memory in use, or say that the run ran out of memory, or "
                         "give the largest batch of an estimate and either a utilization or the "
                         "accumulation.");
    check(given.accumulation(), given.uses_accumulation(), "accumulation",
          has_estimate || seen.out_of_memory
              ? "Also give the batch."
              : "Also give a utilization, or the batch and the largest batch of an estimate.");
    check(seen.loader_workers >= 0, given.uses_workers(), "loader_workers",
          seen.out_of_memory ? "The data loader does not explain why a run ran out of memory."
                             : "Also give the number of CPU cores, or the CPU utilization.");
    if (has_estimate) return out;
    check(seen.max_batch > 0, given.uses_largest(), "max_batch",
          "Also give the batch and either a utilization, the memory in use or the accumulation.");
    check(seen.checkpointing.value_or(false), seen.out_of_memory || given.memory(), "checkpointing",
          "Also give the memory in use, or say that the run ran out of memory.");
    check(seen.cpu_cores > 0, seen.loader_workers >= 0 && given.uses_workers(), "cpu_cores",
          "Also give the number of data loader workers.");
    return out;
}

}  // namespace plimsoll::training

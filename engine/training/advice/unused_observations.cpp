#include "engine/training/advice/unused_observations.hpp"

namespace plimsoll::training {
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

#include "engine/training/estimate/estimate.hpp"

#include <algorithm>

namespace plimsoll::training {
namespace {

// A group that holds activations kept for backward, not weights, state or scratch.
bool is_activation(Group group) {
    switch (group) {
        case Group::embedding:
        case Group::attention:
        case Group::attention_scores:
        case Group::feed_forward:
        case Group::norms:
        case Group::masks:
        case Group::lora:
        case Group::experts:
        case Group::logits:
            return true;
        default:
            return false;
    }
}

// An estimate asks what would be needed, so nothing runs out.
AllocatorSettings unlimited(AllocatorSettings settings) {
    settings.limit = 0;
    return settings;
}

// Replays events, keeping sums by group and the state at the highest point.
class Replay {
  public:
    Replay(const Tape& tape, const EstimateOptions& options)
        : tape_(tape),
          allocator_(unlimited(options.allocator)),
          blocks_(tape.buffers.size(), -1),
          with_timeline_(options.timeline) {}

    void run(const std::vector<Event>& events, int step) {
        for (const auto& e : events) {
            ++count_;
            const auto at = static_cast<std::size_t>(e.buffer);
            const auto group = static_cast<std::size_t>(tape_.buffers[at].group);
            if (e.allocates) {
                blocks_[at] = allocator_.allocate(tape_.buffers[at].bytes);
                by_group_[group] += allocator_.block_bytes(blocks_[at]);
                if (allocator_.allocated() > highest_) note_peak(e, step);
            } else {
                by_group_[group] -= allocator_.block_bytes(blocks_[at]);
                allocator_.free(blocks_[at]);
            }
            if (with_timeline_ && step <= 2)
                timeline_.push_back(
                    {count_, step, e.phase, allocator_.allocated(), allocator_.reserved()});
        }
    }

    void finish(Estimate& out) {
        out.peak_allocated = allocator_.max_allocated();
        out.peak_reserved = allocator_.max_reserved();
        out.breakdown = at_peak_;
        out.moment = moment_;
        out.timeline = thinned();
    }

  private:
    void note_peak(const Event& e, int step) {
        highest_ = allocator_.allocated();
        at_peak_ = by_group_;
        moment_ = {step, e.phase, e.layer, count_};
    }

    // At most 2000 points: of each bucket the one with the most memory, so that peaks survive.
    std::vector<TimelinePoint> thinned() const {
        constexpr std::size_t most = 2000;
        if (timeline_.size() <= most) return timeline_;
        std::vector<TimelinePoint> out;
        for (std::size_t i = 0; i < most; ++i) {
            const auto first =
                timeline_.begin() + static_cast<std::ptrdiff_t>(i * timeline_.size() / most);
            const auto last =
                timeline_.begin() + static_cast<std::ptrdiff_t>((i + 1) * timeline_.size() / most);
            out.push_back(*std::max_element(first, last, [](const auto& a, const auto& b) {
                return a.allocated < b.allocated;
            }));
        }
        return out;
    }

    const Tape& tape_;
    CachingAllocator allocator_;
    std::vector<CachingAllocator::Block> blocks_;
    bool with_timeline_;
    std::array<std::int64_t, kGroups> by_group_{};
    std::array<std::int64_t, kGroups> at_peak_{};
    std::int64_t highest_ = 0;
    std::int64_t count_ = 0;
    Moment moment_;
    std::vector<TimelinePoint> timeline_;
};

// Activations alive when the last micro-batch's backward begins, in all and by layer.
void measure_saved(const Tape& tape, Estimate& out) {
    std::vector<std::int64_t> live(tape.buffers.size(), -2);  // layer, -2 = not alive
    std::size_t begin = 0;
    for (std::size_t i = 1; i < tape.later.size(); ++i)
        if (tape.later[i].phase == Phase::backward && tape.later[i - 1].phase == Phase::forward)
            begin = i;
    for (std::size_t i = 0; i < begin; ++i) {
        const auto& e = tape.later[i];
        live[static_cast<std::size_t>(e.buffer)] = e.allocates ? e.layer : -2;
    }
    for (std::size_t i = 0; i < live.size(); ++i) {
        if (live[i] == -2 || !is_activation(tape.buffers[i].group)) continue;
        out.saved_for_backward += tape.buffers[i].bytes;
        if (live[i] < 0) continue;
        for (auto& l : out.layers)
            if (l.layer == live[i]) l.saved_bytes += tape.buffers[i].bytes;
    }
}

void count_parameters(const ModelShape& shape, const TrainingSettings& settings, Estimate& out) {
    for (const auto& p : list_parameters(shape, settings)) {
        out.parameters += p.elements;
        if (p.trainable) out.trainable_parameters += p.elements;
        if (p.layer < 0) continue;
        if (out.layers.empty() || out.layers.back().layer != p.layer)
            out.layers.push_back({p.layer, 0, 0});
        out.layers.back().parameters += p.elements;
    }
}

}  // namespace

TapeDevice tape_device(const GpuProfile& gpu) {
    return {gpu.compute_capability, static_cast<int>(gpu.multiprocessors.value),
            gpu.threads_per_multiprocessor()};
}

Result<Estimate> estimate(const ModelShape& shape, const TrainingSettings& settings,
                          const TapeDevice& device, const EstimateOptions& options) {
    if (auto ok = check_settings(shape, settings); !ok) return fail(ok.error());
    const Tape tape = record_tape(shape, settings, device);
    Estimate out;
    count_parameters(shape, settings, out);
    Replay replay(tape, options);
    replay.run(tape.setup, 1);
    replay.run(tape.first, 1);
    for (int step = 2; step <= options.steps; ++step) replay.run(tape.later, step);
    replay.finish(out);
    measure_saved(tape, out);
    out.work = tape.work;
    return out;
}

Footprint footprint(const ModelShape& shape, const TrainingSettings& settings,
                    const TapeDevice& device, const EstimateOptions& options) {
    const Tape tape = record_tape(shape, settings, device);
    CachingAllocator allocator(unlimited(options.allocator));
    std::vector<CachingAllocator::Block> blocks(tape.buffers.size(), -1);
    const auto run = [&](const std::vector<Event>& events) {
        for (const auto& e : events) {
            auto& block = blocks[static_cast<std::size_t>(e.buffer)];
            if (e.allocates)
                block = allocator.allocate(tape.buffers[static_cast<std::size_t>(e.buffer)].bytes);
            else
                allocator.free(block);
        }
    };
    run(tape.setup);
    run(tape.first);
    for (int step = 2; step <= options.steps; ++step) run(tape.later);
    return {allocator.max_reserved(), tape.work};
}

}  // namespace plimsoll::training

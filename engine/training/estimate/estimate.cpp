#include "engine/training/estimate/estimate.hpp"

#include <algorithm>

namespace plimsoll::training {
namespace {

// Replays events, keeping sums by group and the state at the highest point.
class Replay {
  public:
    Replay(const Tape& tape, const EstimateOptions& options)
        : tape_(tape), allocator_(options.unlimited()), blocks_(tape.buffers.size(), -1) {
        for (std::size_t group = 0; group < purposes_.size(); ++group)
            purposes_[group] = static_cast<std::size_t>(purpose_of(static_cast<Group>(group)));
        if (!options.timeline) return;
        points_ = tape.setup.size() + tape.first.size() + tape.later.size();
        timeline_.reserve(std::min(points_, kMaxPoints));
    }

    void run(const std::vector<Event>& events, int step) {
        for (const auto& e : events) {
            ++count_;
            const auto at = static_cast<std::size_t>(e.buffer);
            const auto group = static_cast<std::size_t>(tape_.buffers[at].group);
            if (e.allocates)
                blocks_[at] = allocator_.allocate(tape_.buffers[at].bytes,
                                                  static_cast<int>(tape_.buffers[at].stream));
            const auto bytes = allocator_.block_bytes(blocks_[at]);
            const auto change = e.allocates ? bytes : -bytes;
            by_group_[group] += change;
            by_purpose_[purposes_[group]] += change;
            if (!e.allocates) allocator_.free(blocks_[at]);
            if (allocator_.allocated() > highest_) note_peak(e, step);
            if (count_ <= static_cast<std::int64_t>(points_)) note_point(e, step, change);
        }
    }

    std::int64_t reserved() const { return allocator_.reserved(); }

    void finish(Estimate& out) {
        out.peak_allocated = allocator_.max_allocated();
        out.peak_reserved = allocator_.max_reserved();
        out.breakdown = at_peak_;
        out.moment = moment_;
        out.timeline = std::move(timeline_);
    }

  private:
    void note_peak(const Event& e, int step) {
        highest_ = allocator_.allocated();
        at_peak_ = by_group_;
        moment_ = {step, e.phase, e.layer, count_};
    }

    // Of the two first steps' events, cut into as many even pieces as there are points, each
    // piece's first one with the most memory, so that peaks survive.
    void note_point(const Event& e, int step, std::int64_t change) {
        if (count_ > piece_end_) {
            timeline_.push_back(point_of(e, step, change));
            const auto pieces = std::min(points_, kMaxPoints);
            piece_end_ = static_cast<std::int64_t>(timeline_.size() * points_ / pieces);
        } else if (allocator_.allocated() > timeline_.back().allocated) {
            timeline_.back() = point_of(e, step, change);
        }
    }

    TimelinePoint point_of(const Event& e, int step, std::int64_t change) const {
        return {.event = count_,
                .step = step,
                .phase = e.phase,
                .allocated = allocator_.allocated(),
                .reserved = allocator_.reserved(),
                .by_purpose = by_purpose_,
                .group = tape_.buffers[static_cast<std::size_t>(e.buffer)].group,
                .layer = e.layer,
                .change = change};
    }

    const Tape& tape_;
    CachingAllocator allocator_;
    std::vector<CachingAllocator::Block> blocks_;
    std::array<std::int64_t, kGroups> by_group_{};
    std::array<std::int64_t, kGroups> at_peak_{};
    std::array<std::size_t, kGroups> purposes_{};
    decltype(TimelinePoint::by_purpose) by_purpose_{};
    std::int64_t highest_ = 0;
    std::int64_t count_ = 0;
    Moment moment_;
    static constexpr std::size_t kMaxPoints = 2000;
    std::size_t points_ = 0;  // events that the timeline shows
    std::int64_t piece_end_ = 0;
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
        if (live[i] == -2 || purpose_of(tape.buffers[i].group) != Purpose::activations) continue;
        out.saved_for_backward += tape.buffers[i].bytes;
        if (live[i] < 0) continue;
        for (auto& l : out.layers)
            if (l.layer == live[i]) l.saved_bytes += tape.buffers[i].bytes;
    }
}

// A block may be up to 1 MiB larger than the tensor in it, depending on what lies beside it: the
// sums of blocks in two runs with the same tensors differ by that. As much as they differed in any
// comparison with PyTorch (whole_steps in data/README.md of the tests), rounded up.
void allow_for_placement(Estimate& out) {
    constexpr std::int64_t max = 10LL << 20;
    constexpr double share = 0.006;
    const auto allowance =
        std::min({static_cast<std::int64_t>(share * static_cast<double>(out.peak_allocated)), max,
                  out.fragmentation()});
    out.peak_allocated += allowance;
    out.breakdown[static_cast<std::size_t>(Group::placement)] = allowance;
}

void count_parameters(const ModelShape& shape, const TrainingSettings& settings, Estimate& out) {
    for (const auto& p : list_parameters(shape, settings)) {
        out.parameters += p.elements;
        if (p.trainable) out.trainable_parameters += p.elements;
        if (p.layer < 0) continue;
        if (out.layers.empty() || out.layers.back().layer != p.layer)
            out.layers.push_back({.layer = p.layer});
        out.layers.back().parameters += p.elements;
    }
}

}  // namespace

Purpose purpose_of(Group group) {
    switch (group) {
        case Group::weights:
        case Group::half_weights:
        case Group::gradients:
        case Group::optimizer: return Purpose::state;
        case Group::embedding:
        case Group::attention:
        case Group::attention_scores:
        case Group::feed_forward:
        case Group::norms:
        case Group::masks:
        case Group::lora:
        case Group::experts:
        case Group::logits: return Purpose::activations;
        case Group::optimizer_temporaries:
        case Group::batch:
        case Group::workspace:
        case Group::backward_temporaries:
        case Group::communication:
        case Group::placement: return Purpose::temporary;
    }
    return Purpose::temporary;
}

TapeDevice tape_device(const GpuProfile& gpu) {
    return {gpu.compute_capability, static_cast<int>(gpu.multiprocessors.value),
            gpu.threads_per_multiprocessor()};
}

Result<Estimate> estimate(const ModelShape& shape, const TrainingSettings& settings,
                          const TapeDevice& device, const EstimateOptions& options) {
    TRY_DO(check_settings(shape, settings));
    const Tape tape = record_tape(shape, settings, device);
    Estimate out;
    count_parameters(shape, settings, out);
    Replay replay(tape, options);
    replay.run(tape.setup, 1);
    replay.run(tape.first, 1);
    // A step that adds no segment leaves the free blocks that it found: the next would repeat it.
    for (int step = 2; step <= options.steps; ++step) {
        const auto before = replay.reserved();
        replay.run(tape.later, step);
        if (replay.reserved() == before) break;
    }
    replay.finish(out);
    allow_for_placement(out);
    measure_saved(tape, out);
    const double samples = static_cast<double>(settings.batch * settings.accumulation *
                                               settings.parallel.microbatches);
    for (auto& l : out.layers)
        if (const auto at = static_cast<std::size_t>(l.layer); at < tape.layer_flops.size())
            l.flops_per_sample = tape.layer_flops[at] / samples;
    out.work = tape.work;
    out.rank = tape.rank;
    return out;
}

}  // namespace plimsoll::training

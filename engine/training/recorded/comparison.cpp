#include "engine/training/recorded/comparison.hpp"

#include <algorithm>
#include <numeric>

namespace plimsoll::training {
namespace {

constexpr std::int64_t kLarge = 1 << 20;
// What two passes may have in another order, or in pieces.
constexpr std::size_t kWindow = 32;
constexpr double kWeighs = 0.005;  // of the peak

MemoryPart part_of(Stage taken, std::optional<Stage> given_back) {
    switch (taken) {
        case Stage::forward:
            return given_back == Stage::forward ? MemoryPart::temporary : MemoryPart::activations;
        case Stage::backward:
            return given_back == Stage::backward ? MemoryPart::temporary : MemoryPart::gradients;
        case Stage::unknown:
        case Stage::setup:
        case Stage::optimizer: break;
    }
    return given_back ? MemoryPart::temporary : MemoryPart::state;
}

// The stage of each event: a backward pass has no Python.
std::vector<Stage> stages_of(const std::vector<RecordedEvent>& events) {
    std::vector<Stage> stages;
    stages.reserve(events.size());
    auto now = Stage::unknown;
    bool trains = false;
    for (const auto& event : events) {
        if (event.stage != Stage::unknown) now = event.stage;
        trains = trains || now == Stage::forward;
        if (event.action == Action::allocate && event.stage == Stage::unknown && trains)
            now = Stage::backward;
        stages.push_back(now);
    }
    return stages;
}

// Where forward passes begin.
template <class StageAt>
std::vector<std::size_t> passes(std::size_t count, StageAt&& stage_at) {
    std::vector<std::size_t> begins;
    bool forward = false;
    for (std::size_t i = 0; i < count; ++i) {
        const auto stage = stage_at(i);
        if (stage == Stage::forward && !forward) begins.push_back(i);
        if (stage == Stage::forward || stage == Stage::backward) forward = stage == Stage::forward;
    }
    return begins;
}

Stage stage_of(Phase phase) {
    switch (phase) {
        case Phase::setup:
        case Phase::data: return Stage::setup;
        case Phase::forward: return Stage::forward;
        case Phase::backward: return Stage::backward;
        case Phase::clip:
        case Phase::optimizer:
        case Phase::step_end: break;
    }
    return Stage::optimizer;
}

MemoryPart part_of(Group group) {
    if (group == Group::gradients) return MemoryPart::gradients;
    if (group == Group::weights || group == Group::optimizer) return MemoryPart::state;
    return purpose_of(group) == Purpose::temporary ? MemoryPart::temporary
                                                   : MemoryPart::activations;
}

std::int64_t sum(const PartBytes& parts) {
    return std::accumulate(parts.begin(), parts.end(), std::int64_t{0});
}

// A step as it happens: an allocation of the pass begins the next entry of `step`.
void take(RunMemory& out, Allocation one, const PartBytes& now) {
    if (out.step.empty()) out.step.push_back(now);
    out.pass.push_back(std::move(one));
    out.step.push_back(now);
}

void hold(RunMemory& out, const PartBytes& now) {
    if (out.step.empty())
        out.step.push_back(now);
    else if (sum(now) > sum(out.step.back()))
        out.step.back() = now;
}

bool is_of_pass(Stage stage) { return stage == Stage::forward || stage == Stage::backward; }

}  // namespace

std::string_view to_string(MemoryPart part) {
    constexpr std::string_view kNames[] = {"state", "gradients", "activations", "temporary"};
    return kNames[static_cast<std::size_t>(part)];
}

std::vector<HighMoment> thinned(const std::vector<PartBytes>& step, std::size_t length,
                                std::size_t columns) {
    std::vector<HighMoment> out;
    columns = std::min(columns, length);
    for (std::size_t i = 0; i < step.size(); ++i)
        if (out.empty() || i * columns / length != out.back().from * columns / length)
            out.push_back({i, step[i]});
        else if (sum(step[i]) > sum(out.back().held))
            out.back().held = step[i];
    return out;
}

RunMemory recorded_memory(const Recording& recording) {
    const auto& events = recording.events;
    const auto stages = stages_of(events);
    std::vector<MemoryPart> parts(events.size(), MemoryPart::state);
    auto allocated = recording.active_bytes, reserved = recording.reserved_bytes;
    for (std::size_t i = 0; i < events.size(); ++i) {
        const auto& event = events[i];
        const auto bytes = CachingAllocator::rounded(event.bytes);
        if (event.action == Action::allocate) {
            allocated -= bytes;
            parts[i] = part_of(stages[i], {});
        } else if (event.action == Action::release) {
            allocated += bytes;
            if (event.taken == RecordedEvent::kEarlier) continue;
            parts[i] = parts[event.taken] = part_of(stages[event.taken], stages[i]);
        } else if (event.action != Action::other) {
            reserved -= event.action == Action::reserve ? event.bytes : -event.bytes;
        }
    }
    // Now they are those of the recording's beginning.
    RunMemory out{.peak_allocated = allocated, .peak_reserved = reserved};
    PartBytes now{};
    now[static_cast<std::size_t>(MemoryPart::state)] = allocated;
    out.parts = now;
    auto begins = passes(events.size(), [&](std::size_t i) { return stages[i]; });
    begins.push_back(events.size());
    // Of the last whole pass: the last one may have been cut off.
    const auto last = begins.size() - 1;
    const auto from = begins[last - std::min<std::size_t>(2, last)];
    const auto to = begins[last - (last > 1 ? 1 : 0)];
    for (std::size_t i = 0; i < events.size(); ++i) {
        const auto& event = events[i];
        const auto bytes = CachingAllocator::rounded(event.bytes);
        if (event.action == Action::allocate || event.action == Action::release) {
            const auto change = event.action == Action::allocate ? bytes : -bytes;
            allocated += change;
            now[static_cast<std::size_t>(parts[i])] += change;
        } else if (event.action != Action::other) {
            reserved += event.action == Action::reserve ? event.bytes : -event.bytes;
        }
        if (i >= from && i < to) {
            if (event.action == Action::allocate && event.bytes >= kLarge && is_of_pass(stages[i]))
                take(out, {event.bytes, stages[i], recording.places[event.place]}, now);
            hold(out, now);
        }
        out.peak_reserved = std::max(out.peak_reserved, reserved);
        if (allocated <= out.peak_allocated) continue;
        out.peak_allocated = allocated;
        out.parts = now;
        out.stage = stages[i];
    }
    return out;
}

RunMemory predicted_memory(const ModelShape& shape, const TrainingSettings& settings,
                           const TapeDevice& device, const Estimate& estimate) {
    RunMemory out{.peak_allocated = estimate.peak_allocated,
                  .peak_reserved = estimate.peak_reserved,
                  .stage = stage_of(estimate.moment.phase)};
    for (int group = 0; group < kGroups; ++group)
        out.parts[static_cast<std::size_t>(part_of(static_cast<Group>(group)))] +=
            estimate.breakdown[static_cast<std::size_t>(group)];
    const auto tape = record_tape(shape, settings, device);
    const auto stage_at = [&](std::size_t i) { return stage_of(tape.later[i].phase); };
    auto begins = passes(tape.later.size(), stage_at);
    begins.push_back(tape.later.size());
    PartBytes now{};
    const auto happen = [&](const Event& event) -> const Buffer& {
        const auto& buffer = tape.buffers[static_cast<std::size_t>(event.buffer)];
        const auto bytes = CachingAllocator::rounded(buffer.bytes);
        now[static_cast<std::size_t>(part_of(buffer.group))] += event.allocates ? bytes : -bytes;
        return buffer;
    };
    for (const auto* before : {&tape.setup, &tape.first})
        for (const auto& event : *before) happen(event);
    const auto to = begins[std::min<std::size_t>(1, begins.size() - 1)];
    for (std::size_t i = 0; i < to; ++i) {
        const auto& event = tape.later[i];
        const auto& buffer = happen(event);
        if (i < begins[0]) continue;
        if (event.allocates && buffer.bytes >= kLarge && is_of_pass(stage_at(i))) {
            auto where = std::string(to_string(buffer.group));
            if (event.layer >= 0) where += " of layer " + std::to_string(event.layer);
            take(out, {buffer.bytes, stage_at(i), std::move(where)}, now);
        }
        hold(out, now);
    }
    return out;
}

std::optional<Parting> parting_of(const RunMemory& recorded, const RunMemory& predicted) {
    const auto &a = recorded.pass, &b = predicted.pass;
    if (a.empty() || b.empty()) return std::nullopt;
    const auto weighs = static_cast<std::int64_t>(
        kWeighs * static_cast<double>(std::max(recorded.peak_allocated, predicted.peak_allocated)));
    const auto same = [](const Allocation& x, const Allocation& y) {
        return CachingAllocator::rounded(x.bytes) == CachingAllocator::rounded(y.bytes) &&
               x.stage == y.stage;
    };
    std::size_t i = 0, j = 0, equal = 0;
    while (i < a.size() || j < b.size()) {
        if (i < a.size() && j < b.size() && same(a[i], b[j])) {
            ++i, ++j, ++equal;
            continue;
        }
        // The nearest place where they agree again; the ends agree, too.
        std::size_t skipped_a = a.size() - i, skipped_b = b.size() - j;
        for (std::size_t both = 1; both < std::min(kWindow, a.size() - i + b.size() - j); ++both) {
            const auto found = [&] {
                for (std::size_t k = 0; k <= both; ++k)
                    if (i + k < a.size() && j + both - k < b.size() &&
                        same(a[i + k], b[j + both - k]))
                        return std::optional(k);
                return std::optional<std::size_t>();
            }();
            if (!found) continue;
            skipped_a = *found;
            skipped_b = both - *found;
            break;
        }
        const auto heavy = [&](const std::vector<Allocation>& of, std::size_t from,
                               std::size_t count) -> std::optional<Allocation> {
            for (std::size_t k = from; k < from + count; ++k)
                if (of[k].bytes >= weighs) return of[k];
            return std::nullopt;
        };
        Parting found{equal, i, j, heavy(a, i, skipped_a), heavy(b, j, skipped_b)};
        if (found.recorded || found.predicted) return found;
        i += skipped_a;
        j += skipped_b;
    }
    return std::nullopt;
}

}  // namespace plimsoll::training

#include "engine/base/json.hpp"
#include "server/kinds/training_config/contract/advice.hpp"
#include "server/kinds/training_config/contract/limits.hpp"

#include <algorithm>
#include <cmath>

namespace plimsoll::jobs::training_config {

namespace tr = ::plimsoll::training;

namespace {

std::int64_t context_bytes(const tr::GpuReport& card) {
    return card.gpu.total_bytes() - card.gpu.usable_bytes();
}

std::int64_t beside(const tr::GpuReport& card) { return card.device_used - card.reserved; }

std::int64_t times(std::int64_t bytes, double factor) {
    return std::llround(static_cast<double>(bytes) * factor);
}

// Of each bucket of neighbours the one with the most memory, so that peaks survive.
std::vector<tr::TimelinePoint> thinned(const std::vector<tr::TimelinePoint>& all) {
    if (all.size() <= kTimelinePoints) return all;
    std::vector<tr::TimelinePoint> out;
    for (std::size_t i = 0; i < kTimelinePoints; ++i) {
        const auto at = [&](std::size_t bucket) {
            return all.begin() + static_cast<std::ptrdiff_t>(bucket * all.size() / kTimelinePoints);
        };
        out.push_back(*std::max_element(at(i), at(i + 1), [](const auto& a, const auto& b) {
            return a.allocated < b.allocated;
        }));
    }
    return out;
}

json phases_json(const std::vector<tr::TimelinePoint>& points) {
    json phases = json::array();
    for (const auto& p : points) {
        const auto name = tr::to_string(p.phase);
        if (phases.empty() || phases.back()["phase"] != name || phases.back()["step"] != p.step)
            phases.push_back({{"step", p.step}, {"phase", name}, {"from", p.event}});
    }
    return phases;
}

}  // namespace

json gpu_json(const tr::GpuProfile& gpu) {
    return {{"id", gpu.id},
            {"name", gpu.name},
            {"architecture", gpu.architecture},
            {"total_bytes", gpu.total_bytes()},
            {"context_bytes", gpu.total_bytes() - gpu.usable_bytes()},
            {"usable_bytes", gpu.usable_bytes()},
            {"bf16", gpu.has_bf16()}};
}

json memory_json(const tr::GpuReport& card) {
    const auto& e = card.at_batch;
    return {{"peak_allocated_bytes", e.peak_allocated},
            {"peak_reserved_bytes", e.peak_reserved},
            {"saved_for_backward_bytes", e.saved_for_backward},
            {"device_used_bytes", card.device_used},
            {"utilization_percent", card.utilisation_percent},
            {"headroom_bytes", card.headroom_bytes},
            {"out_of_memory_probability", card.out_of_memory_probability},
            {"band",
             {{"low", card.band.low},
              {"high", card.band.high},
              {"low_bytes", beside(card) + times(card.reserved, card.band.low)},
              {"high_bytes", beside(card) + times(card.reserved, card.band.high)}}},
            {"moment",
             {{"step", e.moment.step},
              {"phase", tr::to_string(e.moment.phase)},
              {"layer", e.moment.layer < 0 ? json(nullptr) : json(e.moment.layer)}}}};
}

// Sums to device_used_bytes exactly.
json breakdown_json(const tr::GpuReport& card) {
    json parts = json::array();
    const auto add = [&](std::string_view group, std::int64_t bytes) {
        if (bytes != 0) parts.push_back({{"group", group}, {"bytes", bytes}});
    };
    for (int i = 0; i < tr::kGroups; ++i) {
        add(tr::to_string(static_cast<tr::Group>(i)),
            card.at_batch.breakdown[static_cast<std::size_t>(i)]);
    }
    add("fragmentation", card.at_batch.fragmentation());
    add("correction", card.reserved - card.at_batch.peak_reserved);
    add("context", context_bytes(card));
    const auto vllm = card.vllm ? card.vllm->resident() : 0;
    add("vllm", vllm);
    add("other_processes", card.elsewhere - vllm);
    return parts;
}

json timeline_json(const tr::Estimate& estimate) {
    json events = json::array();
    json allocated = json::array();
    json reserved = json::array();
    json state = json::array();
    json activations = json::array();
    json groups = json::array();
    json layers = json::array();
    json changes = json::array();
    const auto part = [](const tr::TimelinePoint& p, tr::Purpose which) {
        return p.by_purpose[static_cast<std::size_t>(which)];
    };
    for (const auto& p : thinned(estimate.timeline)) {
        events.push_back(p.event);
        allocated.push_back(p.allocated);
        reserved.push_back(p.reserved);
        state.push_back(part(p, tr::Purpose::state));
        activations.push_back(part(p, tr::Purpose::activations));
        groups.push_back(tr::to_string(p.group));
        layers.push_back(p.layer < 0 ? json(nullptr) : json(p.layer));
        changes.push_back(p.change);
    }
    return {{"events", std::move(events)},
            {"allocated_bytes", std::move(allocated)},
            {"reserved_bytes", std::move(reserved)},
            {"state_bytes", std::move(state)},
            {"activation_bytes", std::move(activations)},
            {"groups", std::move(groups)},
            {"layers", std::move(layers)},
            {"changes_bytes", std::move(changes)},
            {"phases", phases_json(estimate.timeline)}};
}

}  // namespace plimsoll::jobs::training_config

#include "engine/training/advice/what_ifs.hpp"

#include "engine/training/advice/settings_changes.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

namespace plimsoll::training {
namespace {

// Of a run that does not fit.
constexpr std::size_t kMaxChanges = 4;
constexpr int kMaxCards = 64;

class Search {
    using Changes = std::vector<const SettingsChange*>;

  public:
    Search(const ReportRequest& request, const TrainingSettings& settings,
           RunFootprints& footprints, GpuReport& card)
        : r_(request), settings_(settings), footprints_(footprints), card_(card) {}

    void search(bool stuck) {
        const auto changes = changes_of(r_, card_.gpu);
        Changes saving;
        for (const auto& change : changes) {
            const auto min = try_changes({&change});
            if (min && *min < needed()) saving.push_back(&change);
        }
        std::vector<Changes> sets(1);
        for (std::size_t size = 1; stuck && card_.what_ifs.empty() && size <= kMaxChanges; ++size) {
            std::vector<Changes> larger;
            for (const auto& set : sets) {
                const auto from =
                    set.empty() ? saving.begin() : std::ranges::find(saving, set.back()) + 1;
                for (auto next = from; next != saving.end(); ++next) {
                    larger.push_back(set);
                    larger.back().push_back(*next);
                    if (size > 1) try_changes(larger.back());
                }
            }
            sets = std::move(larger);
        }
        if (stuck && card_.what_ifs.empty()) {
            auto all = changes;
            std::ranges::move(last_changes_of(r_), std::back_inserter(all));
            add_many_changes(all);
        }
        std::ranges::sort(card_.what_ifs, std::greater(),
                          [](const WhatIf& w) { return w.batch_factor * w.speed_factor; });
        if (!stuck) return;
        const bool bf16 = card_.gpu.has_bf16();
        const auto recompute = named(changes, "gradient checkpointing");
        const auto qlora = named(changes, "LoRA on 4-bit weights (QLoRA)");
        for (const auto& offload : offloads(bf16))
            if (helps({&offload}) || helps({&offload, recompute})) break;
        int most = settings_.cards;
        while (2 * most <= kMaxCards) most *= 2;
        const auto on_most = more_cards(most, bf16);
        if (one_fits({&on_most}))
            for (int cards = 2 * settings_.cards; cards <= kMaxCards; cards *= 2)
                if (const auto more = more_cards(cards, bf16); helps({&more})) return;
        if (!card_.what_ifs.empty()) return;
        for (int cards = 2 * settings_.cards; cards <= kMaxCards; cards *= 2)
            if (const auto more = more_cards(cards, bf16);
                helps({qlora, &more}) || helps({qlora, recompute, &more}))
                return;
    }

  private:
    static const SettingsChange* named(const std::vector<SettingsChange>& changes,
                                       std::string_view name) {
        return &*std::ranges::find(changes, name, &SettingsChange::name);
    }

    // What `changes`, made one after the other, make of the run; nothing if one of them does not
    // apply.
    std::optional<WhatIf> changed(const Changes& changes) const {
        WhatIf w;
        w.settings = settings_;
        w.safety = r_.search.safety;
        for (const auto* change : changes) {
            if (!change->applies(w.settings)) return std::nullopt;
            change->make(w.settings);
            if (change->safety > 0) w.safety = change->safety;
            w.change += (w.change.empty() ? "" : " + ") + change->name;
        }
        if (!check_settings(r_.shape, w.settings)) return std::nullopt;
        return w;
    }

    std::optional<ColocatedVllm> vllm(const WhatIf& w) {
        return colocated_vllm(r_.shape, w.settings, card_.gpu, within(w), footprints_on_gpu(w));
    }

    SearchOptions within(const WhatIf& w) const {
        auto options = r_.search;
        options.safety = w.safety;
        return options;
    }

    bool fits_on_gpu(const WhatIf& w, std::int64_t bytes) {
        const auto beside = vllm(w);
        return (!beside || beside->fits()) && bytes <= reserve_limit(card_.gpu, within(w));
    }

    FootprintByBatch& footprints_on_gpu(const WhatIf& w) {
        return footprints_.of(w.change, w.settings, settings_.precision, tape_device(card_.gpu));
    }

    // The memory of one sample, and of vLLM beside it, in bytes.
    std::int64_t least(const WhatIf& w) {
        const auto beside = vllm(w);
        return corrected(footprints_on_gpu(w).reserved(1), r_.search) +
               (beside ? beside->resident() : 0);
    }
    std::int64_t needed() const {
        return card_.reserved + (card_.vllm ? card_.vllm->resident() : 0);
    }

    bool one_fits(const Changes& changes) {
        const auto w = changed(changes);
        return w && fits_on_gpu(*w, least(*w));
    }

    // Adds what the changes do to the run, if it fits then. Returns the memory of one sample.
    std::optional<std::int64_t> try_changes(const Changes& changes) {
        auto w = changed(changes);
        if (!w) return std::nullopt;
        const auto min = least(*w);
        if (!fits_on_gpu(*w, min)) return min;
        auto options = within(*w);
        if (const auto beside = vllm(*w)) options.reserved_elsewhere += beside->resident();
        auto& footprints = footprints_on_gpu(*w);
        const auto limits = find_batch(card_.gpu, options, footprints);
        if (!limits || limits->max_batch == 0) return min;
        w->max_batch = limits->max_batch;
        w->batch_factor = static_cast<double>(limits->max_batch) /
                          static_cast<double>(std::max<std::int64_t>(1, card_.limits.max_batch));
        w->speed_factor =
            find_knee(footprints, w->settings, card_.gpu, *limits).samples_per_second /
            card_.throughput.samples_per_second;
        card_.what_ifs.push_back(*std::move(w));
        return min;
    }

    bool helps(const Changes& changes) {
        const auto before = card_.what_ifs.size();
        try_changes(changes);
        return card_.what_ifs.size() > before;
    }

    // Makes one change after the other that saves something, from the cheapest sacrifice on, until
    // the run fits; then takes back those that were not needed, the dearest first.
    void add_many_changes(const std::vector<SettingsChange>& all) {
        Changes made;
        auto min = needed();
        for (const auto& change : all) {
            if (!made.empty() && one_fits(made)) break;
            made.push_back(&change);
            const auto w = changed(made);
            const auto now = w ? least(*w) : min;
            if (now < min || change.safety > 0)
                min = now;
            else
                made.pop_back();
        }
        if (!one_fits(made)) return;
        for (auto i = made.size(); i-- > 0;) {
            auto fewer = made;
            fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
            if (one_fits(fewer)) made = std::move(fewer);
        }
        try_changes(made);
    }

    const ReportRequest& r_;
    const TrainingSettings& settings_;
    RunFootprints& footprints_;
    GpuReport& card_;
};

}  // namespace

FootprintByBatch& RunFootprints::of(const std::string& change, const TrainingSettings& settings,
                                    Precision precision, const TapeDevice& device) {
    const DeviceKey key = {device.compute_capability, device.multiprocessors,
                           device.threads_per_multiprocessor};
    auto& tapes =
        tapes_
            .try_emplace({change, settings.accumulation, precision, generation_of(device)},
                         r_.shape, settings, device)
            .first->second;
    return known_
        .try_emplace({change, settings.accumulation, precision, key}, tapes, device,
                     r_.search.estimate, peaks_)
        .first->second;
}

void add_what_ifs(const ReportRequest& request, const TrainingSettings& settings,
                  RunFootprints& footprints, bool stuck, GpuReport& card) {
    Search(request, settings, footprints, card).search(stuck);
}

}  // namespace plimsoll::training

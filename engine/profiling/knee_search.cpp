#include "engine/profiling/knee_search.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

namespace plimsoll::profiling {

namespace {

constexpr std::int64_t kCoarseStep = 8;  // step of the first pass
constexpr int kMaxLooksAtBest = 3;
constexpr double kWorthLookingOn = 1.02;  // gain of a neighbour that continues the search
constexpr double kConfirmed = 0.02;       // tolerance of a confirmed prediction
// Largest share of a sweep's measurements, repeated ones included.
constexpr std::size_t kMinBudget = 6;
constexpr std::size_t kShareOfSweep = 3;
// The device was shared: its runs differ more than on an idle device.
constexpr double kDisturbedSpread = 0.1;
constexpr double kDisturbedMedian = 1.2;  // of the fastest run
constexpr double kPromising = 0.5;

bool is_disturbed(const Timing& timing) {
    return timing.spread > kDisturbedSpread * timing.median ||
           timing.median > kDisturbedMedian * timing.min;
}

// A Place is an index into the sweep's batches.
class Search {
  public:
    Search(const MeasureBatch& measure, const BatchLimits& limits)
        : measure_(measure),
          limits_(limits),
          batches_(sweep_batches(limits.largest_batch)),
          budget_(std::max(kMinBudget, batches_.size() / kShareOfSweep)) {}

    Result<KneeSearch> run() {
        auto done = first_look();
        if (done && allowed(0)) done = look_at_best();
        if (done && allowed(0)) done = look_at_knee();
        if (done && allowed(0)) done = look_again();
        if (!done) return fail(std::move(done.error()));
        KneeSearch result{.points = {},
                          .recommendation = {},
                          .measurements = measurements_,
                          .full_sweep = batches_.size()};
        for (auto& [place, point] : measured_) result.points.push_back(std::move(point));
        result.recommendation = recommend(result.points, limits_);
        return result;
    }

  private:
    using Place = std::size_t;

    bool may_look() const { return measurements_ < budget_; }

    Result<void> look(Place place) {
        if (measured_.contains(place)) return {};
        TRY(auto point, measure_(batches_[place]));
        ++measurements_;
        fastest_ = std::max(fastest_, point.items_per_second());
        measured_.emplace(place, std::move(point));
        return is_promising(place) && may_look() ? look_again_at(place) : Result<void>{};
    }

    // Disturbed, and its fastest run, which may be disturbed as well, not far from the best.
    bool is_promising(Place place) const {
        const auto& point = measured_.at(place);
        return is_disturbed(point.timing) &&
               static_cast<double>(point.batch) / point.timing.min >= kPromising * fastest_;
    }

    // Sharing only slows a device down: the faster of two measurements is closer to the truth.
    Result<void> look_again_at(Place place) {
        TRY(auto point, measure_(batches_[place]));
        ++measurements_;
        looked_again_.push_back(place);
        fastest_ = std::max(fastest_, point.items_per_second());
        auto& known = measured_.at(place);
        if (point.timing.median < known.timing.median) known = std::move(point);
        return {};
    }

    bool allowed(Place place) const { return limits_.allow(measured_.at(place)); }
    double throughput(Place place) const { return measured_.at(place).items_per_second(); }

    // Between two places, near the middle, the batch with the largest power of two in it: tiles and
    // vectors have such sizes, and other sizes leave the last one partly empty.
    Place between(Place low, Place high) const {
        const auto twos = [&](Place place) {
            return std::countr_zero(static_cast<std::uint64_t>(batches_[place]));
        };
        const auto off = [&](Place place) {
            return place * 2 > low + high ? place * 2 - low - high : low + high - place * 2;
        };
        Place found = low + (high - low) / 2;
        for (Place place = low + 1; place < high; ++place)
            if (std::pair(twos(place), off(found)) > std::pair(twos(found), off(place)))
                found = place;
        return found;
    }

    // Far apart, until a limit is broken; then `top_` is the largest place inside the limits.
    Result<void> first_look() {
        const auto last = batches_.size() - 1;
        Place before = 0;
        for (std::int64_t batch = 1;; batch *= kCoarseStep) {
            const auto at = std::ranges::lower_bound(batches_, batch);
            const auto place = std::min(last, static_cast<Place>(at - batches_.begin()));
            TRY_DO(look(place));
            if (!allowed(place)) return place == 0 ? Result<void>{} : look_at_limit(before, place);
            before = place;
            if (place == last) break;
        }
        top_ = last;
        return {};
    }

    // Between one inside and one outside of the limits.
    Result<void> look_at_limit(Place inside, Place outside) {
        while (outside - inside > 1) {
            const Place place =
                std::clamp(near_latency_limit(inside, outside), inside + 1, outside - 1);
            TRY_DO(look(place));
            (allowed(place) ? inside : outside) = place;
        }
        top_ = inside;
        return {};
    }

    // Where the line through two points meets the limit; the middle without such a limit.
    Place near_latency_limit(Place inside, Place outside) const {
        const auto& low = measured_.at(inside);
        const auto& high = measured_.at(outside);
        const Place middle = inside + (outside - inside) / 2;
        if (!limits_.latency_seconds || high.timing.p95 <= low.timing.p95) return middle;
        const double share =
            (*limits_.latency_seconds - low.timing.p95) / (high.timing.p95 - low.timing.p95);
        if (share >= 1) return middle;  // another limit is the broken one
        const double batch =
            std::lerp(static_cast<double>(low.batch), static_cast<double>(high.batch), share);
        const auto above = std::ranges::upper_bound(batches_, static_cast<std::int64_t>(batch));
        return static_cast<Place>(above - batches_.begin()) - 1;
    }

    Place best() const {
        Place found = 0;
        for (const auto& [place, point] : measured_)
            if (place <= top_ && throughput(place) > throughput(found)) found = place;
        return found;
    }

    // A cache that overflows can hide the best between two points.
    Result<void> look_at_best() {
        for (int i = 0; i < kMaxLooksAtBest; ++i) {
            const Place now = best();
            const double was = throughput(now);
            const auto here = measured_.find(now);
            if (now > 0 && may_look()) {
                const auto left = std::prev(here)->first;
                if (now - left > 1) {
                    TRY_DO(look(between(left, now)));
                }
            }
            if (now < top_ && may_look()) {
                const auto right = std::min(std::next(here)->first, top_);
                if (auto done = look(right - now > 1 ? between(now, right) : right); !done)
                    return done;
            }
            if (throughput(best()) < was * kWorthLookingOn) break;
        }
        return {};
    }

    // The smallest place with kNearBest of the best: between the last point below it and the first
    // above it.
    Result<void> look_at_knee() {
        const double target = kNearBest * throughput(best());
        std::optional<Place> below;
        Place above = 0;
        for (const auto& [place, point] : measured_) {
            above = place;
            if (throughput(place) >= target) break;
            below = place;
        }
        for (bool bisect = false; below && above - *below > 1 && may_look(); bisect = !bisect) {
            const auto [guess, time] = predicted_knee(*below, above, target);
            const Place place = bisect ? between(*below, above) : guess;
            TRY_DO(look(place));
            const bool met = std::abs(measured_.at(place).timing.median / time - 1) < kConfirmed;
            (throughput(place) >= target ? above : *below) = place;
            if (!bisect && met && above == place) break;
        }
        return {};
    }

    // Where the line through the times of two points first reaches the target, and the time of a
    // batch there.
    std::pair<Place, double> predicted_knee(Place below, Place above, double target) const {
        const auto& low = measured_.at(below);
        const auto& high = measured_.at(above);
        const auto time_at = [&](Place place) {
            const double share = static_cast<double>(batches_[place] - low.batch) /
                                 static_cast<double>(high.batch - low.batch);
            return std::lerp(low.timing.median, high.timing.median, share);
        };
        Place place = below + 1;
        while (place < above - 1 && static_cast<double>(batches_[place]) / time_at(place) < target)
            ++place;
        return {place, time_at(place)};
    }

    // Points that were too slow to matter, but whose fastest run suggests that they may: measuring
    // them again can move the knee.
    Result<void> look_again() {
        while (may_look()) {
            const auto doubtful = to_look_at_again();
            if (!doubtful) break;
            TRY_DO(look_again_at(*doubtful));
            TRY_DO(look_at_knee());
        }
        return {};
    }

    std::optional<Place> to_look_at_again() const {
        const auto fastest = best();
        const double target = kNearBest * throughput(fastest);
        const auto chosen = std::ranges::find_if(
            measured_, [&](const auto& entry) { return throughput(entry.first) >= target; });
        std::vector<Place> deciding{fastest, chosen->first};
        if (chosen != measured_.begin()) deciding.push_back(std::prev(chosen)->first);
        for (const auto& [place, point] : measured_)
            if (place > chosen->first && place <= top_ && throughput(place) < target)
                deciding.push_back(place);
        const auto doubtful = std::ranges::find_if(deciding, [&](Place place) {
            return is_promising(place) &&
                   std::ranges::find(looked_again_, place) == looked_again_.end();
        });
        return doubtful == deciding.end() ? std::nullopt : std::optional(*doubtful);
    }

    const MeasureBatch& measure_;
    const BatchLimits& limits_;
    std::vector<std::int64_t> batches_;
    std::size_t budget_;
    std::size_t measurements_ = 0;
    double fastest_ = 0;  // items a second
    std::map<Place, BatchPoint> measured_;
    std::vector<Place> looked_again_;
    Place top_ = 0;  // the largest place inside the limits
};

}  // namespace

Result<KneeSearch> search_knee(const MeasureBatch& measure, const BatchLimits& limits) {
    return Search(measure, limits).run();
}

}  // namespace plimsoll::profiling

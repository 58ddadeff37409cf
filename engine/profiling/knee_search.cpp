#include "engine/profiling/knee_search.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

namespace plimsoll::profiling {

namespace {

// Places of the sweep between two points of the first look: three doublings of the batch.
constexpr std::size_t kStride = 12;
constexpr int kMostLooksAtBest = 3;
constexpr double kWorthLookingOn = 1.02;  // a better neighbour by this much: look on
constexpr double kConfirmed = 0.02;       // a prediction that was met so nearly is believed

// Places are indices into the sweep's batches.
class Search {
  public:
    Search(const MeasureBatch& measure, const BatchLimits& limits)
        : measure_(measure), limits_(limits), batches_(sweep_batches(limits.largest_batch)) {}

    Result<KneeSearch> run() {
        auto done = first_look();
        if (done && allowed(0)) done = look_at_best();
        if (done && allowed(0)) done = look_at_knee();
        if (!done) return fail(std::move(done.error()));
        KneeSearch result{.points = {}, .recommendation = {}, .full_sweep = batches_.size()};
        for (auto& [place, point] : measured_) result.points.push_back(std::move(point));
        result.recommendation = recommend(result.points, limits_);
        return result;
    }

  private:
    using Place = std::size_t;

    Result<void> look(Place place) {
        if (measured_.contains(place)) return {};
        auto point = measure_(batches_[place]);
        if (!point) return fail(std::move(point.error()));
        measured_.emplace(place, std::move(*point));
        return {};
    }

    bool allowed(Place place) const { return limits_.allow(measured_.at(place)); }
    double throughput(Place place) const { return measured_.at(place).items_per_second(); }

    // Far apart, until a limit is broken; then `top_` is the largest place inside the limits.
    Result<void> first_look() {
        const auto last = batches_.size() - 1;
        const auto steps = std::max<std::size_t>(1, (last + kStride - 1) / kStride);
        Place before = 0;
        for (std::size_t step = 0; step <= steps; ++step) {
            const Place place = last * step / steps;
            if (auto done = look(place); !done) return done;
            if (!allowed(place)) return step == 0 ? Result<void>{} : look_at_limit(before, place);
            before = place;
        }
        top_ = last;
        return {};
    }

    // Between one inside and one outside of the limits.
    Result<void> look_at_limit(Place inside, Place outside) {
        while (outside - inside > 1) {
            const Place place =
                std::clamp(near_latency_limit(inside, outside), inside + 1, outside - 1);
            if (auto done = look(place); !done) return done;
            (allowed(place) ? inside : outside) = place;
        }
        top_ = inside;
        return {};
    }

    // Where the straight line through two points meets the limit; the middle without such a limit.
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
        for (const auto& [place, point] : measured_) {
            if (place <= top_ && throughput(place) > throughput(found)) found = place;
        }
        return found;
    }

    // A cache that overflows can hide the best between two points.
    Result<void> look_at_best() {
        for (int i = 0; i < kMostLooksAtBest; ++i) {
            const Place now = best();
            const double was = throughput(now);
            const auto here = measured_.find(now);
            if (now > 0) {
                const auto left = std::prev(here)->first;
                if (auto done = look(left + (now - left) / 2); !done) return done;
            }
            if (now < top_) {
                const auto right = std::next(here)->first;
                if (auto done = look(now + (std::min(right, top_) - now) / 2); !done) return done;
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
        for (bool bisect = false; below && above - *below > 1; bisect = !bisect) {
            const auto [guess, time] = predicted_knee(*below, above, target);
            const Place place = bisect ? *below + (above - *below) / 2 : guess;
            if (auto done = look(place); !done) return done;
            const bool met = std::abs(measured_.at(place).timing.median / time - 1) < kConfirmed;
            (throughput(place) >= target ? above : *below) = place;
            if (!bisect && met && above == place) break;
        }
        return {};
    }

    // Where the straight line of times through two points first gives the target, and the time of a
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
        while (place < above - 1 &&
               static_cast<double>(batches_[place]) / time_at(place) < target) {
            ++place;
        }
        return {place, time_at(place)};
    }

    const MeasureBatch& measure_;
    const BatchLimits& limits_;
    std::vector<std::int64_t> batches_;
    std::map<Place, BatchPoint> measured_;
    Place top_ = 0;  // the largest place inside the limits
};

}  // namespace

Result<KneeSearch> search_knee(const MeasureBatch& measure, const BatchLimits& limits) {
    return Search(measure, limits).run();
}

}  // namespace plimsoll::profiling

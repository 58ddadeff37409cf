#include "engine/waves/significance/surrogates.hpp"

#include <algorithm>
#include <cmath>

namespace plimsoll::waves {
namespace {

// 10 to the number of decimals that write all prices; 0 when six do not.
double decimal_scale(const Series& series) {
    double scale = 1;
    for (int decimals = 0; decimals <= 6; ++decimals, scale *= 10) {
        const auto whole = [&](double price) {
            const double scaled = price * scale;
            return std::abs(scaled - std::round(scaled)) <= 1e-6 + 1e-12 * scaled;
        };
        if (std::ranges::all_of(series.high, whole) && std::ranges::all_of(series.low, whole) &&
            std::ranges::all_of(series.close, whole))
            return scale;
    }
    return 0;
}

// The numbers below `count` in random order (Fisher and Yates, from the inside out).
std::vector<std::uint32_t> shuffled(std::size_t count, Random& random) {
    std::vector<std::uint32_t> order(count);
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t k = random.below(i + 1);
        order[i] = order[k];
        order[k] = static_cast<std::uint32_t>(i);
    }
    return order;
}

}  // namespace

SurrogateMaker::SurrogateMaker(const Series& series, SurrogateMethod method, int block_bars)
    : method_(method),
      close_only_(series.close_only),
      first_open_(series.open.front()),
      first_high_(series.high.front()),
      first_low_(series.low.front()),
      first_close_(series.close.front()),
      scale_(decimal_scale(series)) {
    const std::size_t n = series.size();
    steps_.reserve(n - 1);
    for (std::size_t i = 1; i < n; ++i) {
        const double before = series.close[i - 1];
        steps_.push_back({series.open[i] / before, series.high[i] / before, series.low[i] / before,
                          series.close[i] / before});
    }
    const auto block = static_cast<std::size_t>(
        block_bars > 0 ? block_bars : std::round(std::cbrt(static_cast<double>(n))));
    block_ = std::clamp<std::size_t>(block, 1, std::max<std::size_t>(1, steps_.size() / 2));
    if (method != SurrogateMethod::random_walk) return;

    const auto count = static_cast<double>(steps_.size());
    for (const Step& step : steps_) mean_ += std::log(step.close) / count;
    for (const Step& step : steps_) {
        const double off = std::log(step.close) - mean_;
        deviation_ += off * off / count;
        shapes_.push_back({step.open, std::max(1.0, step.high / std::max(step.open, step.close)),
                           std::min(1.0, step.low / std::min(step.open, step.close))});
    }
    deviation_ = std::sqrt(deviation_);
}

double SurrogateMaker::rounded(double price) const {
    // Never down to nothing: the coarsest price is one unit of the last decimal.
    return scale_ > 0 ? std::max(1.0, std::round(price * scale_)) / scale_ : price;
}

void SurrogateMaker::append(Series& into, const Step& step) const {
    const double before = into.close.back();
    into.open.push_back(rounded(before * step.open));
    into.high.push_back(rounded(before * step.high));
    into.low.push_back(rounded(before * step.low));
    into.close.push_back(rounded(before * step.close));
}

void SurrogateMaker::make(Random random, Series& into) const {
    for (auto* column : {&into.open, &into.high, &into.low, &into.close}) column->clear();
    into.open.push_back(first_open_);
    into.high.push_back(first_high_);
    into.low.push_back(first_low_);
    into.close.push_back(first_close_);
    const std::size_t count = steps_.size();
    switch (method_) {
        case SurrogateMethod::shuffle: {
            for (const std::uint32_t i : shuffled(count, random)) append(into, steps_[i]);
            break;
        }
        case SurrogateMethod::block_bootstrap: {
            const std::size_t rest = count % block_;
            for (std::size_t i = 0; i < rest; ++i) append(into, steps_[i]);
            for (const std::uint32_t number : shuffled(count / block_, random)) {
                const std::size_t first = rest + number * block_;
                for (std::size_t i = 0; i < block_; ++i) append(into, steps_[first + i]);
            }
            break;
        }
        case SurrogateMethod::random_walk:
            for (std::size_t i = 0; i < count; ++i) {
                const double close = std::exp(mean_ + deviation_ * random.normal());
                if (close_only_) {
                    append(into, {close, close, close, close});
                    continue;
                }
                const Shape& shape = shapes_[random.below(count)];
                append(into, {shape.gap, std::max(shape.gap, close) * shape.upper,
                              std::min(shape.gap, close) * shape.lower, close});
            }
            break;
    }
}

}  // namespace plimsoll::waves

#pragma once

#include "engine/base/result.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace plimsoll::training {

enum class RateRule { none, base, sqrt, linear, surge };

struct RateQuestion {
    std::optional<double> base_rate = 2e-5;  // none: no rate is advised
    // Effective batch at which base_rate was found. None: it is kept as it is.
    std::optional<double> base_batch = 8;
    double batch = 8;      // effective batch now
    bool adaptive = true;  // Adam family; false for SGD
    // The gradient noise scale in samples, tr(Sigma)/|G|^2 (McCandlish et al. 2018), if measured.
    std::optional<double> noise_scale = {};
    std::int64_t optimizer_steps = 0;  // of the whole run, for the warm-up; 0: unknown
};

// Learning rates by every rule, none applied silently: `recommended` names the rule and `why` the
// reason. sqrt: base * sqrt(k), linear: base * k with k = batch / base_batch. surge: the rise and
// fall of the best Adam rate around the noise scale N (Li et al., arXiv 2405.14578), proportional
// to 1 / (sqrt(N/B) + sqrt(B/N)); without a measured N, 32 base batches are assumed. For SGD no
// rule but the linear one holds.
struct RateAdvice {
    std::optional<double> base_rate, base_batch;
    std::optional<double> sqrt_rate, linear_rate, surge_rate;
    std::optional<double> noise_scale;
    bool noise_scale_assumed = true;
    RateRule recommended = RateRule::none;
    std::optional<double> recommended_rate;  // none without a base
    std::string why;
    std::int64_t warmup_steps = 0;
};

Result<RateAdvice> advise_rate(const RateQuestion& question);

}  // namespace plimsoll::training

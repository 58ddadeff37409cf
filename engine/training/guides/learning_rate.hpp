#pragma once

#include "engine/base/result.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace plimsoll::training {

enum class RateRule { base, sqrt, linear, surge };

struct RateQuestion {
    double base_rate = 2e-5;
    double base_batch = 8;  // effective batch at which base_rate was found
    double batch = 8;       // effective batch now
    bool adaptive = true;   // Adam family; false for SGD
    // The gradient noise scale in samples, tr(Sigma)/|G|^2 (McCandlish et al. 2018), if measured.
    std::optional<double> noise_scale = {};
    std::int64_t optimizer_steps = 0;  // of the whole run, for the warm-up; 0: unknown
};

// Learning rates by every rule, none applied silently: `recommended` names the rule and `why` the
// reason. sqrt: base * sqrt(k), linear: base * k with k = batch / base_batch. surge: the rise and
// fall of the best Adam rate around the noise scale N (Li et al., arXiv 2405.14578), proportional
// to 1 / (sqrt(N/B) + sqrt(B/N)); without a measured N, 32 base batches are assumed.
struct RateAdvice {
    double sqrt_rate = 0;
    double linear_rate = 0;
    double surge_rate = 0;
    double noise_scale = 0;
    bool noise_scale_assumed = true;
    RateRule recommended = RateRule::sqrt;
    double recommended_rate = 0;
    std::string why;
    std::int64_t warmup_steps = 0;
};

Result<RateAdvice> advise_rate(const RateQuestion& question);

}  // namespace plimsoll::training

#include "engine/training/guides/learning_rate.hpp"

#include <algorithm>
#include <cmath>

namespace plimsoll::training {
namespace {

bool positive(double x, double max) { return std::isfinite(x) && x > 0 && x <= max; }

double surge_shape(double batch, double noise) {
    return 1 / (std::sqrt(noise / batch) + std::sqrt(batch / noise));
}

Result<void> check_rate(const RateQuestion& q) {
    if (q.base_rate && !positive(*q.base_rate, 100))
        return fail(Errc::invalid_input, "The learning rate must be above 0 and at most 100.",
                    "/learning_rate/base");
    if (q.base_batch && !positive(*q.base_batch, 1e9))
        return fail(Errc::invalid_input, "The base batch must be above 0 and at most 1e9.",
                    "/learning_rate/base_batch");
    if (!positive(q.batch, 1e9))
        return fail(Errc::invalid_input, "The batch must be above 0 and at most 1e9.", "/batch");
    if (q.noise_scale && !positive(*q.noise_scale, 1e12))
        return fail(Errc::invalid_input, "The noise scale must be above 0 and at most 1e12.",
                    "/learning_rate/noise_scale");
    return {};
}

void scale_for_adam(const RateQuestion& q, RateAdvice& a) {
    const double base = *a.base_rate;
    a.sqrt_rate = base * std::sqrt(q.batch / *a.base_batch);
    a.noise_scale_assumed = !q.noise_scale.has_value();
    a.noise_scale = q.noise_scale.value_or(32 * *a.base_batch);
    a.surge_rate =
        base * surge_shape(q.batch, *a.noise_scale) / surge_shape(*a.base_batch, *a.noise_scale);
}

void choose_rule(const RateQuestion& q, RateAdvice& a) {
    if (std::abs(q.batch / *a.base_batch - 1) < 1e-9) {
        a.recommended = RateRule::base;
        a.recommended_rate = a.base_rate;
        a.why = "The effective batch equals the base rate's batch.";
    } else if (!q.adaptive) {
        a.recommended = RateRule::linear;
        a.recommended_rate = a.linear_rate;
        a.why =
            "SGD: the noise of a step shrinks with the batch, so the rate grows with it "
            "(Goyal et al. 2017), with a warm-up.";
    } else if (*a.surge_rate < *a.sqrt_rate * 0.8) {
        a.recommended = RateRule::surge;
        a.recommended_rate = a.surge_rate;
        a.why =
            "The batch approaches the gradient noise scale, where the best Adam rate stops growing "
            "and then falls; the square-root rule is capped there.";
    } else {
        a.recommended = RateRule::sqrt;
        a.recommended_rate = a.sqrt_rate;
        a.why =
            "Adam divides by the gradient's spread, which shrinks with the square root of the "
            "batch; a linear rule would overshoot.";
    }
}

}  // namespace

Result<RateAdvice> advise_rate(const RateQuestion& q) {
    TRY_DO(check_rate(q));
    RateAdvice a;
    if (q.base_rate) {
        a.base_rate = q.base_rate;
        a.base_batch = q.base_batch.value_or(q.batch);
        a.linear_rate = *q.base_rate * q.batch / *a.base_batch;
        if (q.adaptive) scale_for_adam(q, a);
        choose_rule(q, a);
        if (!q.base_batch)
            a.why =
                "The rate is unchanged: without its batch, it cannot be scaled to another batch.";
    } else {
        a.why =
            "SGD's rate depends on the task, so none is assumed: give a rate that works, with its "
            "effective batch, to have it scaled.";
    }
    // 6 % of the run is RoBERTa's schedule; a rate that more than doubles gets 10 %.
    const bool doubles = a.recommended_rate && *a.recommended_rate > 2 * *q.base_rate;
    if (q.optimizer_steps > 0) {
        a.warmup_steps = std::max<std::int64_t>(
            1, std::llround(static_cast<double>(q.optimizer_steps) * (doubles ? 0.10 : 0.06)));
    }
    return a;
}

}  // namespace plimsoll::training

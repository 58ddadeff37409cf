#include "server/kinds/sentiment/run/idle/tuning.hpp"

#include "engine/base/format_number.hpp"
#include "engine/base/steady_beat.hpp"
#include "engine/models/store.hpp"
#include "engine/transformer/guard.hpp"
#include "engine/tuning/tune.hpp"
#include "server/base/log.hpp"
#include "server/kinds/sentiment/contract/settings.hpp"
#include "server/kinds/sentiment/run/loaded_models.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <vector>

namespace plimsoll::jobs::sentiment {
namespace {

using routines::Form;
using tuning::Bucket;

constexpr std::chrono::seconds kBudget{20};
constexpr std::size_t kPlans = 8;  // of a product: each holds its matrix, packed

// Products for which no plan was correct. One set per worker: one thread runs its tasks.
thread_local std::set<Bucket> failed;

// For the forms that jobs may use here.
std::vector<Bucket> untuned(const Manifest& manifest, const opencl::Capability& device,
                            const tuning::Plans& plans) {
    std::vector<Bucket> buckets;
    for (const auto form : {Form::fp32, Form::bf16, Form::int8}) {
        const auto method = transformer::proven_method(manifest.proofs, form, device);
        if (!method) continue;
        for (const auto& bucket :
             tuning::products_of_layers(*method, manifest.hidden, manifest.intermediate)) {
            if (!plans.has(bucket) && !failed.contains(bucket)) buckets.push_back(bucket);
        }
    }
    return buckets;
}

std::uint64_t bytes_for(const std::vector<Bucket>& buckets) {
    std::uint64_t most = 0;
    for (const auto& bucket : buckets) most = std::max(most, search_bytes(bucket, kPlans));
    return most;
}

void tune(const Manifest& manifest, const std::vector<Bucket>& buckets, RunContext& context,
          const DeviceTools& tools) {
    // Kernels are compiled for every plan.
    std::optional<SteadyBeat> beat(std::in_place, &context.progress);
    std::size_t products = 0;
    std::size_t better = 0;
    const auto told = [&](const Bucket&, const tuning::SearchResult& found) {
        ++products;
        if (found.best != found.tried.front().plan) ++better;
        beat.emplace(&context.progress);
    };
    const auto start = std::chrono::steady_clock::now();
    auto done =
        tuning::tune(tools.programs, buckets,
                     {.budget = kBudget, .plans = kPlans, .stop = context.stop}, tools.plans, told);
    const auto& address = context.capability->info.address;
    const auto written = tools.plans.write(tuning::plans_file(context.settings.cache, address));
    if (done && !written) done = written;
    if (!done) {
        if (done.error().code == Errc::cancelled) return;
        failed.insert(buckets.begin(), buckets.end());
        log::warn("cannot tune the products of a model",
                  {{"model", manifest.name}, {"reason", done.error().message}});
        return;
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    log::info("tuned the products of a model", {{"model", manifest.name},
                                                {"products", std::to_string(products)},
                                                {"faster_plans", std::to_string(better)},
                                                {"seconds", format_figure(took.count())}});
}

}  // namespace

bool tune_next(RunContext& context) {
    if (context.device == nullptr || context.ledger == nullptr || context.capability == nullptr) {
        return false;
    }
    const auto tools = tools_of(context);
    for (const auto& manifest : models::Store(models_folder(context.settings)).list()) {
        if (!::plimsoll::sentiment::Meaning::of(manifest.labels)) continue;
        const auto buckets = untuned(manifest, *context.capability, tools.plans);
        if (buckets.empty()) continue;
        const auto entry = context.ledger->enter(bytes_for(buckets), "tuning a model's products");
        if (!entry) continue;  // there may be memory later
        tune(manifest, buckets, context, tools);
        return true;
    }
    return false;
}

}  // namespace plimsoll::jobs::sentiment

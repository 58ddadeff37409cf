#include "server/kinds/sentiment/run/idle.hpp"

#include "engine/base/format_number.hpp"
#include "engine/base/steady_beat.hpp"
#include "engine/models/store.hpp"
#include "engine/transformer/guard.hpp"
#include "engine/tuning/tune.hpp"
#include "server/base/log.hpp"
#include "server/kinds/sentiment/contract/policy.hpp"
#include "server/kinds/sentiment/contract/settings.hpp"
#include "server/kinds/sentiment/run/loaded_models.hpp"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <list>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace plimsoll::jobs::sentiment {
namespace {

using routines::Form;
using tuning::Bucket;

namespace fs = std::filesystem;
using models::Proof;
using routines::Form;
using routines::Method;

// A trial that did not end, perhaps because it broke the worker, is not repeated before this time.
constexpr std::chrono::hours kNextTrial{1};

// Marks a model as being proven: a file next to the model's, since the trial may kill this process.
// Another copy of the model, on another machine, has its own trials.
class TrialMark {
  public:
    TrialMark(const fs::path& folder, const opencl::DeviceAddress& device)
        : file_(folder / ("proving-" + to_string(device))) {}

    bool is_recent() const {
        std::error_code error;
        const auto set = fs::last_write_time(file_, error);
        return !error && fs::file_time_type::clock::now() - set < kNextTrial;
    }
    bool set() const {
        std::ofstream out(file_);
        out << "being proven\n";
        return static_cast<bool>(out.flush());
    }
    void remove() const {
        std::error_code ignored;
        fs::remove(file_, ignored);
    }

  private:
    fs::path file_;
};

// None: all forms that the device supports are proven.
std::optional<Method> next_method(const Manifest& manifest, const opencl::Capability& device) {
    for (const auto form : {Form::bf16, Form::int8}) {
        if (!transformer::can_use(device, form)) continue;
        for (const auto method : methods_for(device, form)) {
            const auto found =
                std::ranges::find(manifest.proofs, to_string(method), &Proof::method);
            if (found == manifest.proofs.end()) return method;
        }
    }
    return std::nullopt;
}

// The fp32 output for the texts of the model that is being proven: each method is a separate step,
// so that steps are short. One per worker: one thread runs its tasks.
struct Exact {
    std::string hash;  // of the model
    transformer::Trial said;
};
thread_local Exact exact;

// The next step: the fp32 output first, then one method at a time. Returns the proof, if the step
// made one.
Result<std::optional<Proof>> prove(const fs::path& folder, const Manifest& manifest, Method method,
                                   RunContext& context) {
    const auto texts = transformer::calibration_texts();
    const auto tools = tools_of(context);
    const transformer::Guarded guarded{
        folder, tools.programs, *context.ledger, *context.capability, tools.plans, texts};
    const Watch watch{context.stop, &context.progress};
    if (exact.hash != manifest.hash) {
        TRY(auto said, try_exact(guarded, watch));
        exact = {manifest.hash, std::move(said)};
        return std::nullopt;
    }
    TRY(auto proven, prove_method(guarded, exact.said, method, watch));
    TRY_DO(models::keep_proofs(folder, manifest.hash, {proven.proof}));
    return std::move(proven.proof);
}

void report(const Manifest& manifest, const Result<std::optional<Proof>>& step) {
    if (!step) {
        log::warn("cannot prove the forms of a model",
                  {{"model", manifest.name}, {"reason", step.error().message}});
        return;
    }
    if (const auto& proof = *step) {
        log::info("proved a form of a model", {{"model", manifest.name},
                                               {"form", proof->form},
                                               {"method", proof->method},
                                               {"passed", proof->passed ? "yes" : proof->why},
                                               {"times_as_fast", format_figure(proof->speedup)}});
    }
}

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
    std::uint64_t max = 0;
    for (const auto& bucket : buckets) max = std::max(max, search_bytes(bucket, kPlans));
    return max;
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

constexpr std::size_t kMaxRemembered = 16;

// Most recently used first. One list per worker: one thread runs its tasks.
thread_local std::list<ResolvedPolicy> remembered;
// Models that could not be made ready, by hash and form: each is logged once.
thread_local std::set<std::pair<std::string, std::string>> told_of;

std::vector<ResolvedPolicy> policies(const KindSettings& settings, std::int64_t now) {
    std::vector<ResolvedPolicy> all(remembered.begin(), remembered.end());
    if (!follows_server_policy(settings)) return all;
    const auto models = models::Store(models_folder(settings)).list();
    const auto policy = parse_policy(server_policy(settings));
    auto resolved = policy ? resolve(std::string(kServerPolicy), *policy, models, now)
                           : tl::unexpected(policy.error());
    if (resolved) all.push_back(std::move(*resolved));
    return all;
}

// Tried again as long as it fails: memory may become free.
bool is_made_ready(const UsableModel& model, RunContext& context) {
    const auto ready = make_ready(model, context);
    const std::pair key(model.hash, model.form);
    if (ready) {
        if (*ready) {
            log::info("loaded a model before its policy switches to it",
                      {{"model", model.name}, {"form", model.form}});
        }
        told_of.erase(key);
        return true;
    }
    if (ready.error().code != Errc::cancelled && told_of.insert(key).second) {
        log::warn("cannot load a model before its policy switches to it",
                  {{"model", model.name}, {"form", model.form}, {"reason", ready.error().message}});
    }
    return false;
}

}  // namespace

bool prove_next(RunContext& context) {
    if (context.device == nullptr || context.ledger == nullptr || context.capability == nullptr)
        return false;
    const models::Store store(models_folder(context.settings));
    for (const auto& manifest : store.list()) {
        if (!::plimsoll::sentiment::Meaning::of(manifest.labels)) continue;
        const auto method = next_method(manifest, *context.capability);
        const auto folder = store.folder_of(manifest.name);
        const TrialMark mark(folder, context.capability->info.address);
        if (!method || mark.is_recent() || !mark.set()) continue;
        const auto step = prove(folder, manifest, *method, context);
        const bool was_stopped = !step && step.error().code == Errc::cancelled;
        if (!was_stopped) report(manifest, step);
        if (step || was_stopped) mark.remove();
        return true;
    }
    exact = {};
    return false;
}

bool tune_next(RunContext& context) {
    if (context.device == nullptr || context.ledger == nullptr || context.capability == nullptr)
        return false;
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

void remember(ResolvedPolicy policy) {
    policy.at = 0;  // of the job
    std::erase(remembered, policy);
    remembered.push_front(std::move(policy));
    if (remembered.size() > kMaxRemembered) remembered.pop_back();
}

bool warm_up(RunContext& context, Timestamp now) {
    const auto ahead = warm_up_time(context.settings);
    if (context.device == nullptr || ahead.count() == 0) return false;
    const auto seconds = std::chrono::floor<std::chrono::seconds>(now.time_since_epoch()).count();
    bool keeps = false;
    for (auto& policy : policies(context.settings, seconds)) {
        auto chooser = Chooser::of(std::move(policy));
        if (!chooser) continue;
        const auto models = chooser->models_to_come(seconds, seconds + ahead.count());
        if (!models) continue;
        for (const auto& model : *models) keeps |= is_made_ready(model, context);
    }
    return keeps;
}

}  // namespace plimsoll::jobs::sentiment

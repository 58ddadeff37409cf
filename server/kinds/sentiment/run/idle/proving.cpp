#include "server/kinds/sentiment/run/idle/proving.hpp"

#include "engine/base/format_number.hpp"
#include "engine/models/store.hpp"
#include "engine/transformer/guard.hpp"
#include "server/base/log.hpp"
#include "server/kinds/sentiment/contract/settings.hpp"
#include "server/kinds/sentiment/run/loaded_models.hpp"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

namespace plimsoll::jobs::sentiment {
namespace {

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
        auto said = try_exact(guarded, watch);
        if (!said) return fail(said.error());
        exact = {manifest.hash, std::move(*said)};
        return std::nullopt;
    }
    auto proven = prove_method(guarded, exact.said, method, watch);
    if (!proven) return fail(proven.error());
    if (auto kept = models::keep_proofs(folder, manifest.hash, {proven->proof}); !kept) {
        return fail(kept.error());
    }
    return std::move(proven->proof);
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

}  // namespace

bool prove_next(RunContext& context) {
    if (context.device == nullptr || context.ledger == nullptr || context.capability == nullptr) {
        return false;
    }
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

}  // namespace plimsoll::jobs::sentiment

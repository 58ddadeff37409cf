#include "server/jobs/sentiment/run/idle/proving.hpp"

#include "engine/base/format_number.hpp"
#include "engine/models/store.hpp"
#include "engine/transformer/guard.hpp"
#include "server/base/log.hpp"
#include "server/jobs/sentiment/contract/settings.hpp"
#include "server/jobs/sentiment/run/loaded_models.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <system_error>
#include <vector>

namespace plimsoll::jobs::sentiment {
namespace {

namespace fs = std::filesystem;
using models::Proof;
using routines::Form;

// A trial that did not end, since it broke the worker perhaps, is not repeated sooner.
constexpr std::chrono::hours kNextTrial{1};

// Says that a model is being proven, until it is: a file beside the model's, since this process may
// die of it. Another copy of the model, on a server of its own, has its own trials.
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

std::vector<Form> unproven_forms(const Manifest& manifest, const opencl::Capability& device) {
    std::vector<Form> forms;
    for (const auto form : {Form::bf16, Form::int8}) {
        if (!transformer::can_use(device, form)) continue;
        const auto is_proven = [&](routines::Method method) {
            return std::ranges::find(manifest.proofs, to_string(method), &Proof::method) !=
                   manifest.proofs.end();
        };
        // Their speeds are compared: they are measured together.
        if (!std::ranges::all_of(methods_for(device, form), is_proven)) forms.push_back(form);
    }
    return forms;
}

Result<std::vector<Proof>> prove(const fs::path& folder, const Manifest& manifest,
                                 const std::vector<Form>& forms, RunContext& context) {
    const auto texts = transformer::usual_texts();
    const auto tools = tools_of(context);
    auto proven = transformer::prove(
        {folder, tools.programs, *context.ledger, *context.capability, tools.plans, texts}, forms,
        Watch{context.stop, &context.progress});
    if (!proven) return fail(proven.error());
    if (auto written = keep_proofs(folder, manifest.hash, proven->proofs); !written) {
        return fail(written.error());
    }
    return std::move(proven->proofs);
}

void report(const Manifest& manifest, const Result<std::vector<Proof>>& proofs) {
    if (!proofs) {
        log::warn("cannot prove the forms of a model",
                  {{"model", manifest.name}, {"reason", proofs.error().message}});
        return;
    }
    for (const auto& proof : *proofs) {
        log::info("proved a form of a model", {{"model", manifest.name},
                                               {"form", proof.form},
                                               {"method", proof.method},
                                               {"passed", proof.passed ? "yes" : proof.why},
                                               {"times_as_fast", format_figure(proof.speedup)}});
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
        const auto forms = unproven_forms(manifest, *context.capability);
        const auto folder = store.folder_of(manifest.name);
        const TrialMark mark(folder, context.capability->info.address);
        if (forms.empty() || mark.is_recent() || !mark.set()) continue;
        const auto proofs = prove(folder, manifest, forms, context);
        const bool was_stopped = !proofs && proofs.error().code == Errc::cancelled;
        if (!was_stopped) report(manifest, proofs);
        if (proofs || was_stopped) mark.remove();
        return true;
    }
    return false;
}

}  // namespace plimsoll::jobs::sentiment

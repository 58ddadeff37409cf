#include "engine/cli/commands.hpp"
#include "engine/cli/labelled_texts.hpp"
#include "engine/cli/ready_device.hpp"
#include "engine/models/digest.hpp"
#include "engine/models/store.hpp"
#include "engine/transformer/guard.hpp"

#include <cstdio>
#include <cstdlib>

namespace plimsoll::cli {
namespace {

using models::Proof;
using routines::Form;

// With fewer texts, a single difference is already too large a share, and no difference means
// little: the result is printed but not recorded.
constexpr std::size_t kMinForProof = 200;

Result<LabelledTexts> texts_of(const ProveOptions& options) {
    if (!options.labels.empty()) {
        const auto names = label_names(options.label_names);
        return names ? read_labelled_texts(options.labels, *names) : fail(names.error());
    }
    if (!options.texts.empty()) return read_texts(options.texts);
    return LabelledTexts{transformer::calibration_texts(), {}};
}

// The accuracy in fp32 alone is worth measuring, too.
Result<std::vector<Form>> forms_of(const ProveOptions& options,
                                   const opencl::Capability& capability) {
    std::vector<Form> forms;
    for (const auto form : {Form::bf16, Form::int8}) {
        const bool meant = options.form.empty() || options.form == to_string(form);
        if (meant && transformer::can_use(capability, form)) forms.push_back(form);
    }
    if (!forms.empty() || (options.form.empty() && !options.labels.empty())) return forms;
    return fail(Errc::unavailable,
                "This device does not support " +
                    (options.form.empty() ? std::string("bf16 or int8") : options.form) + ".",
                capability.info.name);
}

void print(const Proof& proof) {
    const auto percent =
        100 * static_cast<double>(proof.same_label) / static_cast<double>(proof.texts);
    std::printf(
        "%-5s %s with %s: %.2f %% of %llu labels match fp32, probabilities differ by at most %.4f "
        "(99 %% of them by at most %.4f), %.2f times as fast\n",
        proof.form.c_str(), proof.passed ? "passed" : "FAILED", proof.method.c_str(), percent,
        static_cast<unsigned long long>(proof.texts), proof.max_difference, proof.difference_p99,
        proof.speedup);
    if (!proof.passed) std::printf("      %s\n", proof.why.c_str());
}

void print(const models::Accuracy& accuracy) {
    const auto percent = [](double share) { return 100 * share; };
    const auto share = static_cast<double>(accuracy.right) / static_cast<double>(accuracy.texts);
    std::printf(
        "%-5s accuracy %.1f %% on %llu texts (95 %% interval: %.1f to %.1f %%), macro F1 %.3f\n",
        accuracy.form.c_str(), percent(share), static_cast<unsigned long long>(accuracy.texts),
        percent(accuracy.low), percent(accuracy.high), accuracy.macro_f1.value_or(0));
}

struct Findings {
    std::vector<Proof> proofs;
    std::vector<models::Accuracy> accuracies;
    bool proves = true;  // of enough texts
};

Result<Findings> find(const ProveOptions& options, const models::Store& store,
                      const models::Manifest& manifest) {
    TRY(const auto given, texts_of(options));
    TRY(const auto ready, open_ready(options.device, options.cache));
    auto& [capability, device, programs, plans, file] = *ready;
    TRY(const auto forms, forms_of(options, capability));
    const auto& info = device.info();
    opencl::Ledger ledger(info.memory.bytes.value_or(info.driver_memory_bytes));
    TRY(auto proven, transformer::prove({store.folder_of(manifest.name), programs, ledger,
                                         capability, plans, given.texts},
                                        forms, {}));
    Findings found{std::move(proven.proofs), {}};
    found.proves = given.texts.size() >= kMinForProof;
    if (given.classes.empty()) return found;
    TRY(found.accuracies, judge(given, manifest.labels, proven.outputs));
    for (auto& accuracy : found.accuracies) {
        accuracy.texts_of = options.labels.filename().string();
        accuracy.device = info.name;
        accuracy.measured_at = models::now_text();
    }
    return found;
}

Result<void> keep(const Findings& found, const std::filesystem::path& folder,
                  const std::string& hash) {
    if (found.proves && !found.proofs.empty()) {
        TRY_DO(keep_proofs(folder, hash, found.proofs));
    }
    return found.accuracies.empty() ? Result<void>()
                                    : keep_accuracies(folder, hash, found.accuracies);
}

}  // namespace

Result<int> prove(const ProveOptions& options) {
    const auto store = model_store(options.models);
    TRY(const auto manifest, store.find(options.model));
    TRY(const auto found, find(options, store, manifest));
    for (const auto& proof : found.proofs) print(proof);
    for (const auto& accuracy : found.accuracies) print(accuracy);
    TRY_DO(keep(found, store.folder_of(manifest.name), manifest.hash));
    if (found.proofs.empty()) return EXIT_SUCCESS;
    if (!found.proves) {
        std::printf("The forms' proofs are unchanged: a proof needs at least %zu texts.\n",
                    kMinForProof);
        return EXIT_SUCCESS;
    }
    std::printf(
        "Within 10 s, workers on this machine will offer the forms that passed: --set form=auto\n");
    return EXIT_SUCCESS;
}

}  // namespace plimsoll::cli

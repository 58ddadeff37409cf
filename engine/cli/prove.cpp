#include "engine/cli/commands.hpp"
#include "engine/cli/ready_device.hpp"
#include "engine/cli/saved_plans.hpp"
#include "engine/models/now_text.hpp"
#include "engine/models/store.hpp"
#include "engine/text/record_reader.hpp"
#include "engine/transformer/guard.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace plimsoll::cli {
namespace {

using models::Proof;
using routines::Form;

Result<std::vector<std::string>> texts_of(const std::filesystem::path& file) {
    if (file.empty()) return transformer::usual_texts();
    std::ifstream in(file, std::ios::binary);
    if (!in) return fail(Errc::not_found, "The texts cannot be read.", file.string());
    text::RecordReader reader(file.extension() == ".csv" ? text::RecordFormat::csv
                                                         : text::RecordFormat::json_lines);
    std::vector<std::string> texts;
    const auto take = [&](text::ReadRecord read) {
        if (!read.record.error) texts.push_back(std::move(read.record.text));
    };
    std::string piece(std::size_t{1} << 16, '\0');
    Result<void> done;
    while (done && in) {
        in.read(piece.data(), static_cast<std::streamsize>(piece.size()));
        done = reader.feed({piece.data(), static_cast<std::size_t>(in.gcount())}, take);
    }
    if (done) done = reader.finish(take);
    if (!done) return fail(done.error());
    return texts;
}

Result<std::vector<Form>> forms_of(const ProveOptions& options,
                                   const opencl::Capability& capability) {
    std::vector<Form> forms;
    for (const auto form : {Form::bf16, Form::int8}) {
        const bool meant = options.form.empty() || options.form == to_string(form);
        if (meant && transformer::can_use(capability, form)) forms.push_back(form);
    }
    if (!forms.empty()) return forms;
    return fail(Errc::unavailable,
                "This device does not support " +
                    (options.form.empty() ? std::string("bf16 or int8") : options.form) + ".",
                capability.info.name);
}

void print(const Proof& proof) {
    const auto percent =
        100 * static_cast<double>(proof.same_label) / static_cast<double>(proof.texts);
    std::printf(
        "%-5s %s by %s: %.2f %% of %llu labels match fp32, probabilities within %.4f (99 %%: "
        "%.4f), %.2f times as fast\n",
        proof.form.c_str(), proof.passed ? "passed" : "FAILED", proof.method.c_str(), percent,
        static_cast<unsigned long long>(proof.texts), proof.difference_most, proof.difference_p99,
        proof.speedup);
    if (!proof.passed) std::printf("      %s\n", proof.why.c_str());
}

Result<std::vector<Proof>> proofs_of(const ProveOptions& options, const models::Store& store,
                                     const models::Manifest& manifest) {
    const auto texts = texts_of(options.texts);
    if (!texts) return fail(texts.error());
    const auto ready = open_ready(options.device);
    if (!ready) return fail(ready.error());
    const auto forms = forms_of(options, ready->capability);
    if (!forms) return fail(forms.error());
    const auto& info = ready->device.info();
    tuning::Plans plans(info);
    read_plans(plans, tuning::plans_file(options.cache, info.address));
    opencl::Programs programs(ready->device, opencl::ProgramCache(options.cache / "programs"));
    opencl::Ledger ledger(info.memory.bytes.value_or(info.driver_memory_bytes));
    auto proofs = transformer::prove(
        {store.folder_of(manifest.name), programs, ledger, ready->capability, plans, *texts},
        *forms, {});
    if (!proofs) return proofs;
    for (auto& proof : *proofs) proof.proven_at = models::now_text();
    return proofs;
}

}  // namespace

int prove(const ProveOptions& options) {
    const auto refuse = [](const Error& error) {
        std::fprintf(stderr, "plimsoll-engine: %s%s\n", error.message.c_str(),
                     error.where.empty() ? "" : (" (" + error.where + ")").c_str());
        return EXIT_FAILURE;
    };
    const char* named = std::getenv("PLIMSOLL_MODELS");
    const models::Store store(!options.models.empty()              ? options.models
                              : named != nullptr && *named != '\0' ? std::filesystem::path(named)
                                                                   : models::default_folder());
    const auto manifest = store.find(options.model);
    if (!manifest) return refuse(manifest.error());
    const auto proofs = proofs_of(options, store, *manifest);
    if (!proofs) return refuse(proofs.error());
    for (const auto& proof : *proofs) print(proof);
    const auto kept = keep_proofs(store.folder_of(manifest->name), manifest->hash, *proofs);
    if (!kept) return refuse(kept.error());
    std::printf("Workers of this machine offer passed forms within 10 s: --set form=auto\n");
    return EXIT_SUCCESS;
}

}  // namespace plimsoll::cli

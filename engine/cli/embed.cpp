#include "engine/cli/commands.hpp"
#include "engine/cli/labelled_texts.hpp"
#include "engine/cli/model_store.hpp"
#include "engine/cli/ready_device.hpp"
#include "engine/cli/saved_plans.hpp"
#include "engine/transformer/embedder.hpp"

#include <cstdio>
#include <cstdlib>

#include <nlohmann/json.hpp>

namespace plimsoll::cli {
namespace {

Result<void> print_embeddings(const EmbedOptions& options) {
    const auto store = model_store(options.models);
    const auto manifest = store.find(options.model);
    if (!manifest) return fail(manifest.error());
    const auto given = read_texts(options.texts);
    if (!given) return fail(given.error());
    const auto ready = open_ready(options.device);
    if (!ready) return fail(ready.error());
    const auto& info = ready->device.info();
    tuning::Plans plans(info);
    read_plans(plans, tuning::plans_file(options.cache, info.address));
    opencl::Programs programs(ready->device, opencl::ProgramCache(options.cache / "programs"));
    opencl::Ledger ledger(info.memory.bytes.value_or(info.driver_memory_bytes));
    auto model = transformer::TextModel::load(
        store.folder_of(manifest->name), programs, ledger, ready->capability, plans,
        method_for(ready->capability, routines::Form::fp32), {});
    if (!model) return fail(model.error());
    return embed(*model, given->texts, {}, [](std::span<const float> numbers, bool truncated) {
        const nlohmann::json line{{"embedding", std::vector(numbers.begin(), numbers.end())},
                                  {"truncated", truncated}};
        std::printf("%s\n", line.dump().c_str());
    });
}

}  // namespace

int embed(const EmbedOptions& options) {
    const auto printed = print_embeddings(options);
    if (printed) return EXIT_SUCCESS;
    const auto& [code, message, where] = printed.error();
    std::fprintf(stderr, "plimsoll-engine: %s%s\n", message.c_str(),
                 where.empty() ? "" : (" (" + where + ")").c_str());
    return EXIT_FAILURE;
}

}  // namespace plimsoll::cli

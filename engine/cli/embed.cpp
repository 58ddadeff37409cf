#include "engine/cli/commands.hpp"
#include "engine/cli/labelled_texts.hpp"
#include "engine/cli/ready_device.hpp"
#include "engine/transformer/text_model.hpp"

#include <cstdio>
#include <cstdlib>

#include <nlohmann/json.hpp>

namespace plimsoll::cli {

Result<int> embed(const EmbedOptions& options) {
    const auto store = model_store(options.models);
    TRY(const auto manifest, store.find(options.model));
    TRY(const auto given, read_texts(options.texts));
    TRY(const auto ready, open_ready(options.device, options.cache));
    auto& [capability, device, programs, plans, file] = *ready;
    opencl::Ledger ledger(device.info().memory.bytes.value_or(device.info().driver_memory_bytes));
    TRY(auto model,
        transformer::TextModel::load(store.folder_of(manifest.name), programs, ledger, capability,
                                     plans, method_for(capability, routines::Form::fp32), {}));
    const auto done =
        embed(model, given.texts, {}, [](std::span<const float> numbers, bool truncated) {
            const nlohmann::json line{{"embedding", std::vector(numbers.begin(), numbers.end())},
                                      {"truncated", truncated}};
            std::printf("%s\n", line.dump().c_str());
        });
    if (!done) return fail(done.error());
    return EXIT_SUCCESS;
}

}  // namespace plimsoll::cli

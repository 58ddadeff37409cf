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
    const auto manifest = store.find(options.model);
    if (!manifest) return fail(manifest.error());
    const auto given = read_texts(options.texts);
    if (!given) return fail(given.error());
    const auto ready = open_ready(options.device, options.cache);
    if (!ready) return fail(ready.error());
    auto& [capability, device, programs, plans, file] = **ready;
    opencl::Ledger ledger(device.info().memory.bytes.value_or(device.info().driver_memory_bytes));
    auto model =
        transformer::TextModel::load(store.folder_of(manifest->name), programs, ledger, capability,
                                     plans, method_for(capability, routines::Form::fp32), {});
    if (!model) return fail(model.error());
    const auto done =
        embed(*model, given->texts, {}, [](std::span<const float> numbers, bool truncated) {
            const nlohmann::json line{{"embedding", std::vector(numbers.begin(), numbers.end())},
                                      {"truncated", truncated}};
            std::printf("%s\n", line.dump().c_str());
        });
    if (!done) return fail(done.error());
    return EXIT_SUCCESS;
}

}  // namespace plimsoll::cli

#include "engine/transformer/text_model.hpp"

#include <algorithm>
#include <utility>

namespace plimsoll::transformer {
namespace {

// The largest batch: what it needs is allocated when the model is loaded. A batch is full with its
// budget, or with the text that exceeds it.
std::size_t most_tokens(const opencl::DeviceInfo& device, std::size_t longest) {
    return longest + std::max<std::size_t>(longest, opencl::has_own_memory(device) ? 16384 : 2048);
}

}  // namespace

Result<TextModel> TextModel::load(const std::filesystem::path& folder, opencl::Programs& programs,
                                  opencl::Ledger& ledger, const opencl::Capability& capability,
                                  const tuning::Plans& plans, routines::Method method,
                                  const Watch& watch) {
    auto tokenizer = tokenizers::Tokenizer::read(folder);
    if (!tokenizer) return fail(tokenizer.error());
    const auto model = model_files::open_model(folder);
    if (!model) return fail(model.error());
    if (tokenizer->vocabulary() > model->config.vocabulary) {
        return fail(Errc::invalid_input, "The tokenizer has more tokens than the model.",
                    folder.string());
    }
    auto classifier =
        Classifier::load(programs, ledger, capability, plans, *model, method,
                         most_tokens(capability.info, model->config.longest()), watch);
    if (!classifier) return fail(classifier.error());
    return TextModel{std::move(*tokenizer), std::move(*classifier)};
}

}  // namespace plimsoll::transformer

#include "engine/transformer/text_model.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace plimsoll::transformer {
namespace {

// Of embeddings: enough that a device is busy, and little enough that it is stopped soon.
constexpr std::size_t kTokensOfBatch = 1024;

// The largest batch: what it needs is allocated when the model is loaded. A batch is full with its
// budget, or with the text that exceeds it.
std::size_t max_tokens(const opencl::DeviceInfo& device, std::size_t longest) {
    return longest + std::max<std::size_t>(longest, opencl::has_own_memory(device) ? 16384 : 2048);
}

}  // namespace

Result<TextModel> TextModel::load(const std::filesystem::path& folder, opencl::Programs& programs,
                                  opencl::Ledger& ledger, const opencl::Capability& capability,
                                  const tuning::Plans& plans, routines::Method method,
                                  const Watch& watch) {
    TRY(auto tokenizer, tokenizers::Tokenizer::read(folder));
    TRY(const auto model, model_files::open_model(folder));
    if (tokenizer.vocabulary() > model.config.vocabulary) {
        return fail(Errc::invalid_input, "The tokenizer has more tokens than the model.",
                    folder.string());
    }
    TRY(auto classifier,
        Classifier::load(programs, ledger, capability, plans, model, method,
                         max_tokens(capability.info, model.config.longest()), watch));
    return TextModel{std::move(tokenizer), std::move(classifier)};
}

Result<void> embed(TextModel& model, std::span<const std::string> texts, const Watch& watch,
                   const TakeEmbedding& take) {
    auto& encoder = *model.classifier;
    if (!encoder.config().labels.empty()) {
        return fail(
            Errc::invalid_input,
            "The model has a classification head: it scores texts and makes no embeddings.");
    }
    const std::size_t room = std::min(kTokensOfBatch, encoder.capacity() - encoder.longest());
    const std::size_t columns = encoder.config().hidden;
    tokenizers::Encoded encoded;
    Batch batch;
    std::vector<bool> truncated;
    Scores scores;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        model.tokenizer.encode(texts[i], encoder.longest(), encoded);
        batch.add(encoded.ids);
        truncated.push_back(encoded.truncated());
        if (batch.ids.size() < room && i + 1 < texts.size()) continue;
        TRY_DO(encoder.run(batch, watch, scores));
        for (std::size_t s = 0; s < truncated.size(); ++s)
            take(std::span(scores.embeddings).subspan(s * columns, columns), truncated[s]);
        batch.clear();
        truncated.clear();
    }
    return {};
}

}  // namespace plimsoll::transformer

#include "engine/transformer/embedder.hpp"

#include <algorithm>
#include <vector>

namespace plimsoll::transformer {
namespace {

// Enough that a device is busy, and little enough that it is stopped soon.
constexpr std::size_t kTokensOfBatch = 1024;

}  // namespace

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
        if (auto done = encoder.run(batch, watch, scores); !done) return done;
        for (std::size_t s = 0; s < truncated.size(); ++s) {
            take(std::span(scores.embeddings).subspan(s * columns, columns), truncated[s]);
        }
        batch.clear();
        truncated.clear();
    }
    return {};
}

}  // namespace plimsoll::transformer

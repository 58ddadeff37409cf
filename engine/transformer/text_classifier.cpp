#include "engine/transformer/text_classifier.hpp"

#include <algorithm>
#include <chrono>

namespace plimsoll::transformer {
namespace {

using Clock = std::chrono::steady_clock;

// A batch takes about this long: short enough to be stopped soon, long enough that nothing is lost
// between batches.
constexpr double kBatchSeconds = 0.25;
constexpr std::size_t kLeastTokens = 64;

// The largest batch: what it needs is allocated when the model is loaded. A batch is full with its
// budget, or with the text that exceeds it.
std::size_t most_tokens(const opencl::DeviceInfo& device, std::size_t longest) {
    return longest + std::max<std::size_t>(longest, opencl::has_own_memory(device) ? 16384 : 2048);
}

std::string key_of(std::span<const std::uint32_t> ids) {
    const auto bytes = std::as_bytes(ids);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

Result<std::unique_ptr<TextClassifier>> TextClassifier::load(
    const std::filesystem::path& folder, opencl::Programs& programs, opencl::Ledger& ledger,
    const opencl::Capability& capability, const tuning::Plans& plans, routines::Form form,
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
        Classifier::load(programs, ledger, capability, plans, *model, form,
                         most_tokens(capability.info, model->config.longest()), watch);
    if (!classifier) return fail(classifier.error());
    return std::unique_ptr<TextClassifier>(
        new TextClassifier(std::move(*tokenizer), std::move(*classifier)));
}

void TextClassifier::take(std::string_view text, Work& work) {
    tokenizer_.encode(text, classifier_->longest(), encoded_);
    const auto& ids = encoded_.ids;
    const auto [found, added] = work.places.try_emplace(key_of(ids), work.lengths.size());
    if (added) {
        work.ids.insert(work.ids.end(), ids.begin(), ids.end());
        work.lengths.push_back(static_cast<std::uint32_t>(ids.size()));
        work.users.push_back(0);
    }
    ++work.users[found->second];
    work.sequence.push_back(found->second);
    work.texts.push_back({.logits = {},
                          .probabilities = {},
                          .tokens = static_cast<std::uint32_t>(encoded_.tokens),
                          .truncated = encoded_.truncated(),
                          .duplicate = !added});
}

// Even shares of what there is: a small rest would cost nearly as much as a full batch, since all
// weights are read for it.
std::size_t TextClassifier::tokens_per_batch(std::size_t tokens) const {
    const auto batches = std::max<std::size_t>((tokens + budget_ / 2) / budget_, 1);
    return std::min((tokens + batches - 1) / batches,
                    classifier_->capacity() - classifier_->longest());
}

Result<void> TextClassifier::compute(const Batch& batch, const Watch& watch,
                                     const Classifier::Seen& seen, Work& work) {
    const auto began = Clock::now();
    if (auto done = classifier_->run(batch, watch, scores_, seen); !done) return done;
    const double seconds = std::chrono::duration<double>(Clock::now() - began).count();
    const double tokens = kBatchSeconds * static_cast<double>(batch.ids.size()) / seconds;
    budget_ = std::clamp(static_cast<std::size_t>(tokens), kLeastTokens,
                         classifier_->capacity() - classifier_->longest());
    const auto append = [](std::vector<float>& to, const std::vector<float>& from) {
        to.insert(to.end(), from.begin(), from.end());
    };
    append(work.scores.logits, scores_.logits);
    append(work.scores.probabilities, scores_.probabilities);
    return {};
}

Result<std::vector<Classified>> TextClassifier::classify(
    const Next& next, std::size_t texts, const Watch& watch,
    const std::function<void(std::size_t)>& done, const Classifier::Seen& seen) {
    Work work;
    for (;;) {
        const auto text = next();
        if (!text) return fail(text.error());
        if (*text == nullptr) break;
        take(**text, work);
        if (watch.stopped()) return fail(Errc::cancelled, "The task was stopped.");
    }
    Batch batch;
    std::span<const std::uint32_t> rest(work.ids);
    std::size_t share = tokens_per_batch(rest.size());
    std::size_t finished = 0;
    for (std::size_t s = 0; s < work.lengths.size(); ++s) {
        batch.add(rest.first(work.lengths[s]));
        rest = rest.subspan(work.lengths[s]);
        finished += work.users[s];
        if (batch.ids.size() < share && batch.lengths.size() < texts && !rest.empty()) continue;
        if (auto computed = compute(batch, watch, seen, work); !computed)
            return fail(computed.error());
        batch.clear();
        share = tokens_per_batch(rest.size());  // the device's speed is better known now
        done(std::exchange(finished, 0));
    }
    const auto labels = classifier_->config().labels.size();
    for (std::size_t i = 0; i < work.texts.size(); ++i) {
        const auto row = static_cast<std::ptrdiff_t>(work.sequence[i] * labels);
        const auto of = [&](const std::vector<float>& all) {
            return std::vector(all.begin() + row,
                               all.begin() + row + static_cast<std::ptrdiff_t>(labels));
        };
        work.texts[i].logits = of(work.scores.logits);
        work.texts[i].probabilities = of(work.scores.probabilities);
    }
    return std::move(work.texts);
}

}  // namespace plimsoll::transformer

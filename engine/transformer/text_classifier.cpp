#include "engine/transformer/text_classifier.hpp"

#include "engine/transformer/text_model.hpp"
#include "engine/transformer/windows.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace plimsoll::transformer {
namespace {

using Clock = std::chrono::steady_clock;

// A batch takes about this long: short enough to be stopped soon, long enough that nothing is lost
// between batches.
constexpr double kBatchSeconds = 0.25;
constexpr std::size_t kMinTokens = 64;

tl::unexpected<Error> stopped() { return fail(Errc::cancelled, "The task was stopped."); }

std::string key_of(std::span<const std::uint32_t> ids) {
    const auto bytes = std::as_bytes(ids);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

Result<std::unique_ptr<TextClassifier>> TextClassifier::load(
    const std::filesystem::path& folder, opencl::Programs& programs, opencl::Ledger& ledger,
    const opencl::Capability& capability, const tuning::Plans& plans, routines::Method method,
    const Watch& watch) {
    TRY(auto model, TextModel::load(folder, programs, ledger, capability, plans, method, watch));
    if (model.classifier->config().labels.empty()) {
        return fail(
            Errc::invalid_input,
            "The model has no classification head and cannot score texts; it makes embeddings: "
            "`plimsoll-engine embed`.");
    }
    return std::unique_ptr<TextClassifier>(
        new TextClassifier(std::move(model.tokenizer), std::move(model.classifier)));
}

// The place of the sequence that was encoded last.
std::size_t TextClassifier::take_sequence(Work& work) const {
    const auto& ids = encoded_.ids;
    const auto [found, added] = work.places.try_emplace(key_of(ids), work.lengths.size());
    if (added) {
        work.ids.insert(work.ids.end(), ids.begin(), ids.end());
        work.lengths.push_back(static_cast<std::uint32_t>(ids.size()));
        work.users.push_back(0);
    }
    return found->second;
}

void TextClassifier::take(std::string_view text, bool windows, Work& work) {
    tokenizer_.encode(text, classifier_->longest(), encoded_);
    Classified taken{
        .logits = {}, .probabilities = {}, .tokens = static_cast<std::uint32_t>(encoded_.tokens)};
    const auto known = work.lengths.size();
    std::vector<std::size_t> sequences;
    if (windows && encoded_.truncated()) {
        for (const auto window : windows_of(text, classifier_->longest(), tokenizer_)) {
            tokenizer_.encode(window, classifier_->longest(), encoded_);
            sequences.push_back(take_sequence(work));
        }
        taken.windows = static_cast<std::uint32_t>(sequences.size());
        taken.duplicate = !work.divided.insert(sequences).second;
    } else {
        sequences.push_back(take_sequence(work));
        taken.truncated = encoded_.truncated();
        taken.duplicate = work.lengths.size() == known;
    }
    ++work.users[std::ranges::max(sequences)];  // the last one that is computed
    work.sequences.insert(work.sequences.end(), sequences.begin(), sequences.end());
    work.texts.push_back(std::move(taken));
}

// Equal shares: a small remainder would cost nearly as much as a full batch, since all weights are
// read for it.
std::size_t TextClassifier::tokens_per_batch(std::size_t tokens) const {
    const auto batches = std::max<std::size_t>((tokens + budget_ / 2) / budget_, 1);
    return std::min((tokens + batches - 1) / batches,
                    classifier_->capacity() - classifier_->longest());
}

Result<void> TextClassifier::read(Part& part, Work& work, const Watch& watch) {
    for (;;) {
        const auto text = part.next();
        if (!text) {
            part.classified = fail(text.error());
            return {};
        }
        if (*text == nullptr) break;
        take(**text, part.windows, work);
        if (watch.stopped()) return stopped();
        if (part.stop.stop_requested()) {
            part.classified = stopped();
            return {};
        }
    }
    part.tokens = work.ids.size();
    return {};
}

Result<void> TextClassifier::compute(SharedBatch& shared, const Watch& watch,
                                     const Classifier::Seen& seen, std::span<Part> parts,
                                     std::span<Work> works) {
    const auto began = Clock::now();
    const Batch& batch = shared.batch;
    TRY_DO(classifier_->run(batch, watch, scores_, seen));
    const double seconds = std::chrono::duration<double>(Clock::now() - began).count();
    const double tokens = kBatchSeconds * static_cast<double>(batch.ids.size()) / seconds;
    budget_ = std::clamp(static_cast<std::size_t>(tokens), kMinTokens,
                         classifier_->capacity() - classifier_->longest());
    const auto labels = classifier_->config().labels.size();
    for (std::size_t s = 0; s < batch.lengths.size(); ++s) {
        auto& scores = works[shared.parts[s]].scores;
        const auto append = [&](std::vector<float>& to, const std::vector<float>& from) {
            const auto row = from.begin() + static_cast<std::ptrdiff_t>(s * labels);
            to.insert(to.end(), row, row + static_cast<std::ptrdiff_t>(labels));
        };
        append(scores.logits, scores_.logits);
        append(scores.probabilities, scores_.probabilities);
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (shared.tokens[i] == 0) continue;
        parts[i].done(std::exchange(shared.finished[i], 0), std::exchange(shared.tokens[i], 0));
    }
    shared.batch.clear();
    shared.parts.clear();
    return {};
}

Result<void> TextClassifier::compute_all(std::span<Part> parts, std::span<Work> works,
                                         std::size_t texts, const Watch& watch,
                                         const Classifier::Seen& seen) {
    std::size_t left = 0;  // tokens
    for (const Part& part : parts)
        if (part.classified) left += part.tokens;
    SharedBatch shared{.batch = {},
                       .parts = {},
                       .finished = std::vector<std::size_t>(parts.size()),
                       .tokens = std::vector<std::size_t>(parts.size())};
    std::size_t share = tokens_per_batch(left);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (!parts[i].classified) continue;
        std::span<const std::uint32_t> rest(works[i].ids);
        for (std::size_t s = 0; s < works[i].lengths.size(); ++s) {
            if (parts[i].stop.stop_requested()) {
                parts[i].classified = stopped();
                left -= rest.size();
                break;
            }
            const std::size_t length = works[i].lengths[s];
            shared.batch.add(rest.first(length));
            shared.parts.push_back(i);
            shared.finished[i] += works[i].users[s];
            shared.tokens[i] += length;
            rest = rest.subspan(length);
            left -= length;
            const auto& batch = shared.batch;
            if (batch.ids.size() < share && batch.lengths.size() < texts && left != 0) continue;
            TRY_DO(compute(shared, watch, seen, parts, works));
            share = tokens_per_batch(left);  // the device's speed is better known now
        }
    }
    // The last ones, if those after them were stopped.
    if (shared.batch.lengths.empty()) return {};
    return compute(shared, watch, seen, parts, works);
}

// Every text gets the scores of its sequence, or the weighted means of those of its windows.
void TextClassifier::hand_out(Part& part, Work& work) const {
    const auto labels = classifier_->config().labels.size();
    std::span<const std::size_t> sequences(work.sequences);
    for (Classified& text : work.texts) {
        const auto own = sequences.first(text.windows);
        sequences = sequences.subspan(text.windows);
        const auto mean_of = [&](const std::vector<float>& all) {
            std::vector<float> means;
            for (std::size_t label = 0; label < labels; ++label) {
                double sum = 0;
                double weights = 0;
                for (const auto sequence : own) {
                    const double weight = own.size() == 1 ? 1 : work.lengths[sequence] - 2;
                    sum += weight * all[sequence * labels + label];
                    weights += weight;
                }
                means.push_back(static_cast<float>(sum / weights));
            }
            return means;
        };
        text.logits = mean_of(work.scores.logits);
        text.probabilities = mean_of(work.scores.probabilities);
    }
    part.classified = std::move(work.texts);
}

Result<void> TextClassifier::classify(std::span<Part> parts, std::size_t texts, const Watch& watch,
                                      const Classifier::Seen& seen) {
    std::vector<Work> works(parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i) TRY_DO(read(parts[i], works[i], watch));
    TRY_DO(compute_all(parts, works, texts, watch, seen));
    for (std::size_t i = 0; i < parts.size(); ++i)
        if (parts[i].classified) hand_out(parts[i], works[i]);
    return {};
}

Result<std::vector<Classified>> TextClassifier::classify(const Next& next, std::size_t texts,
                                                         const Watch& watch, const Done& done,
                                                         const Classifier::Seen& seen) {
    Part all{.next = next, .done = done};
    TRY_DO(classify(std::span(&all, 1), texts, watch, seen));
    return std::move(all.classified);
}

}  // namespace plimsoll::transformer

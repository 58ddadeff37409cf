#pragma once

#include "engine/tokenizers/tokenizer.hpp"
#include "engine/transformer/classifier.hpp"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace plimsoll::transformer {

struct Classified {
    // For every label, in the order of the config.
    std::vector<float> logits;
    std::vector<float> probabilities;
    std::uint32_t tokens = 0;   // of the whole text
    bool truncated = false;     // truncated
    bool duplicate = false;     // equal to an earlier text: not computed again
    std::uint32_t windows = 1;  // that the text was divided into
};

// A published model that classifies texts on a device, in batches without padding.
class TextClassifier {
  public:
    static Result<std::unique_ptr<TextClassifier>> load(
        const std::filesystem::path& folder, opencl::Programs& programs, opencl::Ledger& ledger,
        const opencl::Capability& capability, const tuning::Plans& plans, routines::Method method,
        const Watch& watch);

    // Classifies texts, in order. `next` returns them one by one until it returns none: all are
    // read before the first is computed, so that batches are even. A batch has at most `texts`
    // texts, and about as many tokens as the device computes in a quarter of a second. `done` is
    // called after each batch with the number of texts that it finished and of tokens that it read;
    // `seen` as in Classifier::run. Errc::cancelled.
    using Next = std::function<Result<const std::string_view*>()>;
    using Done = std::function<void(std::size_t texts, std::size_t tokens)>;
    Result<std::vector<Classified>> classify(const Next& next, std::size_t texts,
                                             const Watch& watch, const Done& done,
                                             const Classifier::Seen& seen = nullptr);

    // Texts that share batches with others, and their results.
    struct Part {
        Next next;
        Done done;
        std::stop_token stop = {};  // of this part alone
        // Whether a text that is too long for the model is divided into windows, see windows_of().
        // Its logits and probabilities are the means of those of its windows, weighted by their
        // tokens without the special ones. Else it is truncated.
        bool windows = false;
        Result<std::vector<Classified>> classified = {};
        std::size_t tokens = 0;  // that the device reads for it
    };
    // Classifies the texts of several parts in shared batches. A part gets the same results as it
    // would alone: an identical text of another part is computed again and does not count as a
    // duplicate. A failed `next` or a stop affects only its own part. Returns an error of the
    // device or of `watch`; then only parts with an error of their own have a result.
    Result<void> classify(std::span<Part> parts, std::size_t texts, const Watch& watch,
                          const Classifier::Seen& seen = nullptr);

    const Classifier& model() const { return *classifier_; }

  private:
    // The tokenized texts of a part: each distinct sequence once.
    struct Work {
        std::vector<Classified> texts;
        std::vector<std::size_t> sequences;                   // of all texts, of each its windows'
        std::set<std::vector<std::size_t>> divided;           // those of texts with several
        std::unordered_map<std::string, std::size_t> places;  // of sequences, by their tokens
        std::vector<std::uint32_t> ids;                       // of all sequences, concatenated
        std::vector<std::uint32_t> lengths;                   // of every sequence
        std::vector<std::size_t> users;                       // texts that end with a sequence
        Scores scores;                                        // of every sequence
    };

    // A batch, and the parts that its sequences belong to.
    struct SharedBatch {
        Batch batch;
        std::vector<std::size_t> parts;     // of every sequence
        std::vector<std::size_t> finished;  // texts, by part
        std::vector<std::size_t> tokens;    // by part
    };

    TextClassifier(tokenizers::Tokenizer tokenizer, std::unique_ptr<Classifier> classifier)
        : tokenizer_(std::move(tokenizer)), classifier_(std::move(classifier)) {}

    std::size_t take_sequence(Work& work) const;
    void take(std::string_view text, bool windows, Work& work);
    Result<void> read(Part& part, Work& work, const Watch& watch);
    std::size_t tokens_per_batch(std::size_t tokens) const;
    Result<void> compute(SharedBatch& shared, const Watch& watch, const Classifier::Seen& seen,
                         std::span<Part> parts, std::span<Work> works);
    Result<void> compute_all(std::span<Part> parts, std::span<Work> works, std::size_t texts,
                             const Watch& watch, const Classifier::Seen& seen);
    void hand_out(Part& part, Work& work) const;

    tokenizers::Tokenizer tokenizer_;
    std::unique_ptr<Classifier> classifier_;
    tokenizers::Encoded encoded_;
    Scores scores_;
    std::size_t budget_ = 256;  // tokens of a batch; at first the device's speed is unknown
};

}  // namespace plimsoll::transformer

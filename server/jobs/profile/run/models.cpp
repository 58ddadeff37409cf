#include "server/jobs/profile/run/models.hpp"

#include "engine/sentiment/vader/vader.hpp"
#include "server/jobs/profile/contract/request.hpp"

#include <array>
#include <memory>
#include <optional>
#include <random>
#include <string_view>
#include <vector>

namespace plimsoll::jobs::profile {
namespace {

namespace vader = ::plimsoll::sentiment::vader;

struct Length {
    const char* name;
    std::int64_t words;
};

// A headline, a paragraph, an article's beginning.
constexpr std::array kLengths = {Length{"short", 10}, Length{"medium", 60}, Length{"long", 250}};

// Of news about companies: about one in four says something good or bad, as in headlines.
constexpr std::array<std::string_view, 32> kWords = {
    "shares", "of",       "the",     "company",   "soar",   "after",   "record",    "profit",
    "while",  "analysts", "warn",    "about",     "weak",   "demand",  "in",        "Europe",
    "and",    "a",        "lawsuit", "threatens", "growth", "despite", "strong",    "orders",
    "for",    "new",      "ships",   "not",       "very",   "good",    "quarterly", "results"};

constexpr std::size_t kTexts = 512;  // batches larger than this begin again with the first

std::vector<std::string> texts_of(std::int64_t words) {
    std::minstd_rand bits(static_cast<unsigned>(words));
    std::vector<std::string> texts(kTexts);
    for (auto& text : texts) {
        for (std::int64_t i = 0; i < words; ++i) {
            if (i > 0) text += ' ';
            text += kWords[bits() % kWords.size()];
        }
        text += bits() % 4 == 0 ? '!' : '.';
    }
    return texts;
}

profiling::Model vader_model() {
    profiling::Model model{
        .name = std::string(kVader), .type = "sentiment", .load = {}, .lengths = {}};
    const auto scorer = std::make_shared<std::optional<vader::Scorer>>();
    model.load = [scorer]() -> Result<void> {
        scorer->emplace().score("The first text finds the lexicon.");
        return {};
    };
    for (const auto& [name, words] : kLengths) {
        profiling::LengthBucket bucket{.name = name, .words = words, .run = {}, .memory_bytes = {}};
        const auto texts = std::make_shared<const std::vector<std::string>>(texts_of(words));
        // Each batch goes on where the last one ended: the same text over and over would flatter.
        bucket.run = [scorer, texts,
                      next = std::size_t{0}](std::int64_t batch) mutable -> Result<void> {
            for (std::int64_t i = 0; i < batch; ++i) {
                (*scorer)->score((*texts)[next++ % texts->size()]);
            }
            return {};
        };
        // One text after the other: a batch takes no more than a text.
        bucket.memory_bytes = [](std::int64_t) { return std::uint64_t{0}; };
        model.lengths.push_back(std::move(bucket));
    }
    return model;
}

}  // namespace

Result<profiling::Model> sentiment_model(const std::string& name) {
    if (name == kVader) return vader_model();
    return fail(Errc::not_found, "There is no sentiment model with this name.", name);
}

}  // namespace plimsoll::jobs::profile

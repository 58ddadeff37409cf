#pragma once

#include "engine/base/result.hpp"
#include "engine/sentiment/agreement.hpp"
#include "engine/text/record_block.hpp"
#include "server/kinds/sentiment/contract/comparison.hpp"
#include "server/kinds/sentiment/run/scores.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::sentiment {

// The models' scores of one text, by model; empty: the model was not available.
using AllScores = std::span<const std::optional<TextScores>>;

// Whether their labels differ.
bool disagree(AllScores scores);

// The reference label of a text, if any.
struct Given {
    std::string_view text;
    std::optional<Label> label;  // empty: unknown
};

// The cost of one model.
struct ModelUse {
    std::int64_t texts = 0;
    double seconds = 0;       // of scoring, including tokenization
    double load_seconds = 0;  // the longest
    std::int64_t bytes = 0;   // device memory held; 0: none
    std::string error;        // why it did not score, if that happened in a task

    static void members(auto& visit, auto& self) {
        visit("texts", self.texts);
        visit("seconds", self.seconds);
        visit("load_seconds", self.load_seconds);
        visit("bytes", self.bytes);
        visit("error", self.error);
    }
    void add(const ModelUse& other);
};

// A text with the scores of all models.
struct ComparedText {
    std::uint64_t index = 0;
    std::optional<std::string> custom_id;
    std::string text;  // the beginning
    std::string given;
    std::vector<std::optional<std::pair<Label, std::int64_t>>> scores;  // with the compound

    static void members(auto& visit, auto& self) {
        visit("index", self.index);
        visit("custom_id", self.custom_id);
        visit("text", self.text);
        visit("given", self.given);
        visit("scores", self.scores);
    }
};

// Several models on the same texts. Adding one task's comparison to another's, in task order, gives
// that of both. All counts are exact.
class Comparison {
  public:
    static constexpr std::size_t kBins = 10;    // of calibration
    static constexpr std::size_t kShown = 10;   // disagreements
    static constexpr std::size_t kSamples = 3;  // of the guide's keys
    static constexpr std::size_t kNames = 5;    // unknown labels

    explicit Comparison(std::size_t models = 0);

    void add(const text::RecordView& item, AllScores scores, const std::optional<Given>& given);
    void add_use(std::size_t model, const ModelUse& use) { of_model_[model].use.add(use); }
    void add(const Comparison& later);

    static void members(auto& visit, auto& self) {
        visit("models", self.of_model_);
        visit("pairs", self.of_pair_);
        visit("given", self.given_);
        visit("unlabelled", self.unlabelled_);
        visit("unknown", self.unknown_);
        visit("unknown_texts", self.unknown_texts_);
        visit("disagreeing", self.disagreeing_);
        visit("samples", self.samples_);
        visit("disagreements", self.disagreements_);
    }

    // "compared" of the report's summary.
    nlohmann::json summary(const std::vector<ComparedModel>& models) const;

  private:
    using Table = ::plimsoll::sentiment::Table;
    using Bins = std::array<::plimsoll::sentiment::CalibrationBin, kBins>;

    struct OfModel {
        std::array<std::int64_t, 3> labels{};  // by Label
        Table given{};                         // reference labels by own labels
        Bins bins{};
        ModelUse use;

        static void members(auto& visit, auto& self) {
            visit("labels", self.labels);
            visit("given", self.given);
            visit("bins", self.bins);
            visit("use", self.use);
        }
    };
    // For two models, the first before the second.
    struct OfPair {
        Table labels{};
        ::plimsoll::sentiment::Sums compounds;
        std::int64_t gained = 0;  // labelled correctly by the first only
        std::int64_t lost = 0;    // by the second only

        static void members(auto& visit, auto& self) {
            visit("labels", self.labels);
            visit("compounds", self.compounds);
            visit("gained", self.gained);
            visit("lost", self.lost);
        }
    };

    std::size_t pair_of(std::size_t first, std::size_t second) const;
    void add_given(AllScores scores, const Given& given);
    void keep(ComparedText text);
    nlohmann::json model_json(const ComparedModel& model, std::size_t place) const;
    nlohmann::json accuracy_json(const ComparedModel& model, std::size_t place) const;
    nlohmann::json against_first_json(std::size_t place) const;
    nlohmann::json samples_json(std::size_t place) const;
    nlohmann::json pair_json(const std::vector<ComparedModel>& models, std::size_t first,
                             std::size_t second) const;
    nlohmann::json text_json(const std::vector<ComparedModel>& models,
                             const ComparedText& text) const;
    nlohmann::json given_json() const;
    // Whether its accuracy is meaningful: a model without a neutral label cannot be right about
    // neutral texts.
    bool is_judged(const ComparedModel& model, std::size_t place) const;
    nlohmann::json recommendation(const std::vector<ComparedModel>& models) const;
    // The number of texts that only it labels correctly, and that only the other does.
    std::pair<std::int64_t, std::int64_t> gained_and_lost(std::size_t one, std::size_t other) const;

    std::vector<OfModel> of_model_;
    std::vector<OfPair> of_pair_;
    std::array<std::int64_t, 3> given_{};
    std::int64_t unlabelled_ = 0;
    std::map<std::string, std::int64_t> unknown_;  // the first unknown labels
    std::int64_t unknown_texts_ = 0;
    std::int64_t disagreeing_ = 0;
    std::vector<ComparedText> samples_;        // the first
    std::vector<ComparedText> disagreements_;  // the largest differences first
};

}  // namespace plimsoll::jobs::sentiment

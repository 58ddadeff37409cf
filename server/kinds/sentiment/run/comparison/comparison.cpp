#include "server/kinds/sentiment/run/comparison/comparison.hpp"

#include "server/kinds/sentiment/run/task_output_builder.hpp"

#include <algorithm>

namespace plimsoll::jobs::sentiment {
namespace {

std::size_t place_of(Label label) { return static_cast<std::size_t>(label); }

std::int64_t certainty_of(const TextScores& scores) {
    return std::max({scores.positive, scores.neutral, scores.negative});
}

std::int64_t share_of(const TextScores& scores) {
    return std::array{scores.positive, scores.neutral, scores.negative}[place_of(scores.label)];
}

// How far apart the models' compounds are.
std::int64_t spread_of(const ComparedText& text) {
    std::int64_t low = kCompoundScale;
    std::int64_t high = -kCompoundScale;
    for (const auto& score : text.scores) {
        if (!score) continue;
        low = std::min(low, score->second);
        high = std::max(high, score->second);
    }
    return high - low;
}

bool wider(const ComparedText& a, const ComparedText& b) {
    const auto x = spread_of(a);
    const auto y = spread_of(b);
    return x != y ? x > y : a.index < b.index;
}

ComparedText compared_text(const text::RecordView& item, AllScores scores,
                           const std::optional<Given>& given) {
    ComparedText text{.index = item.index,
                      .custom_id = {},
                      .text = std::string(excerpt(item.text)),
                      .given = given ? std::string(given->text) : std::string(),
                      .scores = {}};
    if (item.custom_id) text.custom_id = *item.custom_id;
    for (const auto& one : scores) {
        text.scores.push_back(one ? std::optional(std::pair(one->label, one->compound))
                                  : std::nullopt);
    }
    return text;
}

}  // namespace

bool disagree(AllScores scores) {
    std::optional<Label> first;
    for (const auto& one : scores) {
        if (one && first && one->label != *first) return true;
        if (one) first = one->label;
    }
    return false;
}

void ModelUse::add(const ModelUse& other) {
    texts += other.texts;
    seconds += other.seconds;
    load_seconds = std::max(load_seconds, other.load_seconds);
    bytes = std::max(bytes, other.bytes);
    if (error.empty()) error = other.error;
}

Comparison::Comparison(std::size_t models)
    : of_model_(models), of_pair_(models * (models - (models == 0 ? 0 : 1)) / 2) {}

// Pairs by their second model: (0,1) (0,2) (1,2) (0,3) ….
std::size_t Comparison::pair_of(std::size_t first, std::size_t second) const {
    return second * (second - 1) / 2 + first;
}

void Comparison::add(const text::RecordView& item, AllScores scores,
                     const std::optional<Given>& given) {
    for (std::size_t second = 0; second < scores.size(); ++second) {
        if (!scores[second]) continue;
        const TextScores& y = *scores[second];
        ++of_model_[second].labels[place_of(y.label)];
        for (std::size_t first = 0; first < second; ++first) {
            if (!scores[first]) continue;
            const TextScores& x = *scores[first];
            OfPair& pair = of_pair_[pair_of(first, second)];
            ++pair.labels[place_of(x.label)][place_of(y.label)];
            auto& sums = pair.compounds;
            ++sums.count;
            sums.x += x.compound;
            sums.y += y.compound;
            sums.xx += x.compound * x.compound;
            sums.yy += y.compound * y.compound;
            sums.xy += x.compound * y.compound;
        }
    }
    if (given)
        add_given(scores, *given);
    else
        ++unlabelled_;
    if (samples_.size() < kSamples) samples_.push_back(compared_text(item, scores, given));
    if (!disagree(scores)) return;
    ++disagreeing_;
    keep(compared_text(item, scores, given));
}

void Comparison::add_given(AllScores scores, const Given& given) {
    if (!given.label) {
        ++unknown_texts_;
        const auto known = unknown_.find(std::string(given.text));
        if (known != unknown_.end())
            ++known->second;
        else if (unknown_.size() < kNames)
            unknown_.emplace(given.text, 1);
        return;
    }
    const Label label = *given.label;
    ++given_[place_of(label)];
    for (std::size_t i = 0; i < scores.size(); ++i) {
        if (!scores[i]) continue;
        OfModel& of = of_model_[i];
        const TextScores& scored = *scores[i];
        ++of.given[place_of(label)][place_of(scored.label)];
        const auto confidence = certainty_of(scored);
        // VADER's shares are not probabilities; nor are there any for labels that the job counts as
        // neutral.
        if (scored.tokens && share_of(scored) == confidence) {
            const auto bin = std::min<std::size_t>(
                static_cast<std::size_t>(confidence) * kBins / kCompoundScale, kBins - 1);
            ++of.bins[bin].texts;
            of.bins[bin].right += scored.label == label ? 1 : 0;
            of.bins[bin].confidence += confidence;
        }
        for (std::size_t first = 0; first < i; ++first) {
            if (!scores[first]) continue;
            const bool x = scores[first]->label == label;
            const bool y = scored.label == label;
            OfPair& pair = of_pair_[pair_of(first, i)];
            pair.gained += x && !y ? 1 : 0;
            pair.lost += y && !x ? 1 : 0;
        }
    }
}

void Comparison::keep(ComparedText text) {
    disagreements_.insert(std::ranges::upper_bound(disagreements_, text, wider), std::move(text));
    if (disagreements_.size() > kShown) disagreements_.pop_back();
}

void Comparison::add(const Comparison& later) {
    const auto add_tables = [](Table& to, const Table& from) {
        for (std::size_t row = 0; row < to.size(); ++row)
            for (std::size_t column = 0; column < to.size(); ++column)
                to[row][column] += from[row][column];
    };
    for (std::size_t i = 0; i < of_model_.size(); ++i) {
        OfModel& to = of_model_[i];
        const OfModel& from = later.of_model_[i];
        for (std::size_t label = 0; label < 3; ++label) to.labels[label] += from.labels[label];
        add_tables(to.given, from.given);
        for (std::size_t bin = 0; bin < kBins; ++bin) {
            to.bins[bin].texts += from.bins[bin].texts;
            to.bins[bin].right += from.bins[bin].right;
            to.bins[bin].confidence += from.bins[bin].confidence;
        }
        to.use.add(from.use);
    }
    for (std::size_t i = 0; i < of_pair_.size(); ++i) {
        OfPair& to = of_pair_[i];
        const OfPair& from = later.of_pair_[i];
        add_tables(to.labels, from.labels);
        to.compounds.count += from.compounds.count;
        to.compounds.x += from.compounds.x;
        to.compounds.y += from.compounds.y;
        to.compounds.xx += from.compounds.xx;
        to.compounds.yy += from.compounds.yy;
        to.compounds.xy += from.compounds.xy;
        to.gained += from.gained;
        to.lost += from.lost;
    }
    for (std::size_t label = 0; label < 3; ++label) given_[label] += later.given_[label];
    unlabelled_ += later.unlabelled_;
    unknown_texts_ += later.unknown_texts_;
    for (const auto& [label, texts] : later.unknown_)
        if (unknown_.contains(label) || unknown_.size() < kNames) unknown_[label] += texts;
    disagreeing_ += later.disagreeing_;
    for (const auto& text : later.samples_)
        if (samples_.size() < kSamples) samples_.push_back(text);
    for (const auto& text : later.disagreements_) keep(text);
}

}  // namespace plimsoll::jobs::sentiment

#pragma once

#include "engine/base/members.hpp"
#include "server/base/time.hpp"
#include "server/kinds/sentiment/run/scores.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::sentiment {

// Statistics of a group of texts.
struct LabelCounts {
    std::array<std::int64_t, 3> labels{};  // by Label
    std::int64_t sum = 0;                  // of compounds

    void add(const TextScores& scores);
    void add(const LabelCounts& other);
    std::int64_t texts() const { return labels[0] + labels[1] + labels[2]; }
    // "texts", "positive", "neutral", "negative" and "mean" of the report.
    nlohmann::json summary() const;

    static void members(auto& visit, auto& self) {
        visit("labels", self.labels);
        visit("sum", self.sum);
    }
};

// Of an RFC 3339 time with a zone, since 1970; none for other text.
std::optional<std::int64_t> seconds_of(std::optional<std::string_view> time);

// The last day of texts with times, against all days before it.
struct LastDay {
    std::int64_t from = 0;  // its first second since 1970
    std::int64_t texts = 0;
    std::int64_t sum = 0;  // of compounds
    std::int64_t texts_before = 0;
    std::int64_t sum_before = 0;

    void add(const LastDay& other);
    // null if there is no day before.
    nlohmann::json summary() const;

    static void members(auto& visit, auto& self) {
        visit("from", self.from);
        visit("texts", self.texts);
        visit("sum", self.sum);
        visit("texts_before", self.texts_before);
        visit("sum_before", self.sum_before);
    }
};

struct Group {
    LabelCounts counts;
    std::optional<LastDay> last;

    void add(const Group& other);

    static void members(auto& visit, auto& self) {
        LabelCounts::members(visit, self.counts);
        visit("last", self.last);
    }
};

// Texts by a name from the input. Exact, or too many names: the result does not depend on how a job
// is cut into tasks.
class Breakdown {
  public:
    static constexpr std::size_t kNames = 100;

    // `seconds` since 1970, if the text has a time.
    void add(std::optional<std::string_view> name, std::optional<std::int64_t> seconds,
             const TextScores& scores);
    void add(const Breakdown& other);

    static void members(auto& visit, auto& self) {
        visit("names", self.names_);
        visit("unnamed", self.unnamed_);
        visit("too_many", self.too_many_);
    }

    // For the report; null if no text has a name.
    nlohmann::json summary() const;

  private:
    void bound();

    std::map<std::string, Group, std::less<>> names_;
    Group unnamed_;
    bool too_many_ = false;
};

// Texts by time, in the finest unit that gives at most kPoints. A part of the texts never needs a
// coarser unit than all of them, so the result does not depend on how a job is cut.
class Series {
  public:
    static constexpr std::size_t kPoints = 200;
    enum class Unit { hour, day, month, year };

    // `seconds` since 1970; none: undated.
    void add(std::optional<std::int64_t> seconds, const TextScores& scores);
    void add(const Series& other);

    static void members(auto& visit, auto& self) {
        visit("unit", self.unit_);
        visit("points", self.points_);
        visit("undated", self.undated_);
    }

    // For the report; null if no text is dated.
    nlohmann::json summary() const;

  private:
    void coarsen(Unit unit);
    void bound();

    Unit unit_ = Unit::hour;
    std::map<std::int64_t, LabelCounts> points_;  // by their first second since 1970
    std::int64_t undated_ = 0;
};

}  // namespace plimsoll::jobs::sentiment

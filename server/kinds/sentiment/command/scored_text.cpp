#include "server/kinds/sentiment/command/scored_text.hpp"

#include "engine/base/format_number.hpp"
#include "engine/base/json.hpp"
#include "server/base/text_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include <fmt/format.h>

namespace plimsoll::jobs::sentiment {
namespace {

using Lines = std::vector<std::vector<std::string>>;

constexpr std::size_t kWidestBar = 40;
constexpr std::size_t kMaxExamples = 5;  // of a list of examples
constexpr std::size_t kMaxPeriods = 20;
constexpr std::size_t kHashStart = 12;
constexpr std::array<const char*, 3> kLabels = {"positive", "neutral", "negative"};

std::string signed_score(const json& score) {
    return score.is_null() ? "–" : fmt::format("{:+.3f}", score.get<double>());
}

std::string texts(std::int64_t count) {
    return format_count(count) + (count == 1 ? " text" : " texts");
}

std::int64_t scored(const json& labels) {
    std::int64_t total = 0;
    for (const char* label : kLabels) total += labels.at(label).get<std::int64_t>();
    return total;
}

// "finbert in bf16, files 3f2a…" or "the policy desk".
std::string scorer(const json& summary) {
    if (summary.at("model").is_null()) {
        const json& policy = summary.at("policy");
        return policy.is_null() ? "several models"
                                : "the policy " + policy.at("id").get<std::string>();
    }
    auto name = summary.at("model").get<std::string>();
    if (!summary.at("form").is_null()) name += " in " + summary.at("form").get<std::string>();
    if (!summary.at("model_hash").is_null())
        name += ", files " + summary.at("model_hash").get<std::string>().substr(0, kHashStart);
    return name;
}

std::string labels_text(const json& labels, std::int64_t total) {
    std::string text;
    for (const char* label : kLabels) {
        const auto count = labels.at(label).get<std::int64_t>();
        const auto share = static_cast<double>(count) / static_cast<double>(total);
        const auto length = static_cast<std::size_t>(std::lround(share * kWidestBar));
        std::string bar;
        for (std::size_t i = 0; i < std::max<std::size_t>(length, count > 0 ? 1 : 0); ++i)
            bar += "█";
        text += fmt::format("{:<9}{:>9}  {:>5.1f} %  {}\n", label, format_count(count), 100 * share,
                            bar);
    }
    return text;
}

std::string reading_text(const json& reading) {
    if (reading.is_null()) return {};
    std::string text = format_count(reading.at("tokens")) + " tokens";
    if (const std::int64_t cut = reading.at("truncated"); cut > 0)
        text += "; " + texts(cut) + " truncated to the model's maximum";
    if (const std::int64_t long_ones = reading.at("windowed"); long_ones > 0) {
        text += "; " + texts(long_ones) + " read in " +
                format_count(reading.at("windows").get<std::int64_t>()) + " windows";
    }
    if (const std::int64_t same = reading.at("duplicates"); same > 0)
        text += "; " + format_count(same) + (same == 1 ? " duplicate" : " duplicates");
    return text + "\n";
}

std::vector<std::string> label_cells(const json& counts) {
    std::vector<std::string> cells;
    for (const char* label : kLabels) cells.push_back(format_count(counts.at(label)));
    cells.push_back(signed_score(counts.at("mean")));
    return cells;
}

std::string breakdown_text(const char* heading, const json& breakdown, std::size_t width) {
    if (breakdown.is_null()) return {};
    if (breakdown.at("too_many").get<bool>())
        return "\n" + std::string(heading) +
               ": more than 100 different values, too many for a table.\n";
    const json& groups = breakdown.at("groups");
    const bool moved = std::ranges::any_of(
        groups, [](const json& group) { return !group.at("change").is_null(); });
    Lines rows = {{heading, "TEXTS", "POSITIVE", "NEUTRAL", "NEGATIVE", "MEAN"}};
    if (moved) rows.front().emplace_back("LAST DAY");
    for (const json& group : breakdown.at("groups")) {
        auto& row = rows.emplace_back();
        row.push_back(group.at("name").is_null() ? "(none)" : group.at("name").get<std::string>());
        row.push_back(format_count(group.at("texts")));
        for (auto& cell : label_cells(group)) row.push_back(std::move(cell));
        if (const json& change = group.at("change"); !change.is_null())
            row.push_back(
                fmt::format("{} ({:+.3f})", signed_score(change.at("mean")),
                            change.at("mean").get<double>() - change.at("before").get<double>()));
        else if (moved)
            row.emplace_back();
    }
    return "\n" + table_text(rows, width);
}

std::string series_text(const json& series, std::size_t width) {
    if (series.is_null()) return {};
    Lines rows = {{"FROM (UTC)", "TEXTS", "MEAN"}};
    const json& points = series.at("points");
    const auto first = points.size() - std::min(points.size(), kMaxPeriods);
    const auto unit = series.at("unit").get<std::string>();
    for (auto i = first; i < points.size(); ++i) {
        rows.push_back({points[i].at("from").get<std::string>().substr(0, 16),
                        format_count(points[i].at("texts")), signed_score(points[i].at("mean"))});
    }
    const auto omitted = first == 0 ? ""
                                    : format_count(static_cast<std::int64_t>(first)) + " earlier " +
                                          unit + (first == 1 ? "" : "s") +
                                          " omitted; the results include all texts\n";
    return "\nby " + unit + "\n" + table_text(rows, width) + omitted;
}

std::string devices_text(const json& summary) {
    std::string text;
    for (const json& used : summary.at("devices")) {
        text += (text.empty() ? "computed by " : "; ") + used.at("device").get<std::string>();
        if (const json& name = used.at("name"); !name.is_null()) {
            text += ", " + name.get<std::string>();
            if (const json& known = used.at("processor_class"); !known.is_null())
                text += ", " + known.get<std::string>();
        }
    }
    return text.empty() ? text : text + "\n";
}

std::string accuracies_text(const json& accuracies) {
    std::string text;
    for (const json& known : accuracies) {
        const json& one = known.at("accuracy");
        const auto count = one.at("texts").get<double>();
        text += fmt::format("measured accuracy of {} in {}: {:.1f} % on {} of {}\n",
                            known.at("model").get<std::string>(), one.at("form").get<std::string>(),
                            100 * one.at("right").get<double>() / count, texts(one.at("texts")),
                            one.at("texts_of").get<std::string>());
    }
    return text;
}

std::string choices_text(const json& choices, std::size_t width) {
    if (choices.empty()) return {};
    Lines rows = {{"MODEL", "FORM", "RULE", "TEXTS", "FALLBACK BECAUSE"}};
    for (const json& choice : choices) {
        rows.push_back(
            {choice.at("model"),
             choice.at("form").is_null() ? "–" : choice.at("form").get<std::string>(),
             choice.at("rule").is_null() ? "none" : format_count(choice.at("rule")),
             format_count(choice.at("items")),
             choice.at("fallback").is_null() ? "" : choice.at("fallback").get<std::string>()});
    }
    return "\n" + table_text(rows, width);
}

std::string examples_text(const char* heading, const json& examples, std::size_t width) {
    if (examples.empty()) return {};
    const bool uncertain = examples[0].contains("certainty");
    Lines rows = {{"SCORE", heading}};
    if (uncertain) rows.front().insert(rows.front().begin() + 1, "CERTAINTY");
    for (std::size_t i = 0; i < std::min(examples.size(), kMaxExamples); ++i) {
        auto text = examples[i].at("text").get<std::string>();
        std::ranges::replace(text, '\n', ' ');
        auto& row = rows.emplace_back();
        row.push_back(signed_score(examples[i].at("compound")));
        if (uncertain)
            row.push_back(fmt::format("{:.0f} %", 100 * examples[i].at("certainty").get<double>()));
        row.push_back(std::move(text));
    }
    return "\n" + table_text(rows, width);
}

std::string errors_text(const json& errors, std::size_t width) {
    if (errors.empty()) return {};
    Lines rows = {{"TEXT", "FAILED BECAUSE"}};
    for (const json& error : errors) {
        rows.push_back({error.at("custom_id").is_null()
                            ? format_count(error.at("index").get<std::int64_t>() + 1)
                            : error.at("custom_id").get<std::string>(),
                        error.at("error")});
    }
    return "\n" + table_text(rows, width);
}

}  // namespace

std::string scored_text(const json& summary, std::size_t width) {
    const json& goal = summary.at("goal");
    const auto total = scored(summary.at("labels"));
    auto text = texts(total) + " scored by " + scorer(summary) + "\n";
    if (total > 0) {
        const json& compound = summary.at("compound");
        text += "\n" + labels_text(summary.at("labels"), total) + "mean score " +
                signed_score(compound.at("mean")) +
                " on a scale from -1 to +1, standard deviation " +
                fmt::format("{:.3f}", compound.at("standard_deviation").get<double>()) + "\n";
    }
    if (!goal.is_null()) text += goal.at("reason").get<std::string>() + "\n";
    return text + reading_text(summary.at("reading")) + devices_text(summary) +
           accuracies_text(summary.at("accuracies")) + choices_text(summary.at("choices"), width) +
           breakdown_text("GROUP", summary.at("by_group"), width) +
           breakdown_text("SOURCE", summary.at("by_source"), width) +
           series_text(summary.at("over_time"), width) +
           examples_text("MOST POSITIVE", summary.at("most_positive"), width) +
           examples_text("MOST NEGATIVE", summary.at("most_negative"), width) +
           examples_text("LEAST CERTAIN", summary.at("least_certain"), width) +
           errors_text(summary.at("errors"), width);
}

}  // namespace plimsoll::jobs::sentiment

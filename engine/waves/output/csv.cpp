#include "engine/waves/output/csv.hpp"

#include "engine/waves/output/words.hpp"

#include <array>
#include <charconv>

namespace plimsoll::waves::output {
namespace {

constexpr std::size_t kTargets = 3;

// The shortest text that reads back as the same number.
std::string number(double value) {
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    return {text.data(), end};
}

std::string quoted(std::string_view text) {
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
    std::string out = "\"";
    for (char c : text) {
        if (c == '"') out += '"';
        out += c;
    }
    return out + '"';
}

class Row {
  public:
    Row& add(std::string_view field) {
        if (!first_) line_ += ',';
        first_ = false;
        line_ += quoted(field);
        return *this;
    }
    Row& add(double value) { return add(std::string_view(number(value))); }
    Row& add(std::size_t value) { return add(std::string_view(std::to_string(value))); }
    Row& skip(std::size_t fields) {
        while (fields-- > 0) add(std::string_view());
        return *this;
    }
    std::string end() { return line_ + '\n'; }

  private:
    std::string line_;
    bool first_ = true;
};

std::string count_row(const SymbolReport& report, const CountReport& it, std::size_t rank) {
    const Found& found = it.count;
    Row row;
    row.add(report.symbol);
    if (rank > 0)
        row.add(rank);
    else
        row.skip(1);
    row.add(to_string(found.shape)).add(found.rising ? "up" : "down");
    row.add(std::size_t{found.waves}).add(found.score);
    if (report.by_rarity)
        row.add(found.standing).add(expected_counts(found.standing));
    else
        row.skip(2);
    for (std::size_t i = 0; i < kParts; ++i) {
        const auto part = static_cast<Part>(i);
        if (it.parts.has(part))
            row.add(it.parts[part]);
        else
            row.skip(1);
    }
    row.add(bar_words(report, found.begin())).add(bar_words(report, found.end()));
    std::string pivots;
    std::string prices;
    for (int i = 0; i <= found.waves; ++i) {
        const char* gap = i > 0 ? " " : "";
        pivots += gap + std::to_string(report.offset + static_cast<std::size_t>(found.at[i]));
        prices += gap + number(it.prices[i]);
    }
    row.add(pivots).add(prices).add(it.outlook.invalidation);
    row.add(it.outlook.invalidated ? "true" : "false");
    for (std::size_t t = 0; t < kTargets; ++t) {
        if (t < it.outlook.targets.size())
            row.add(it.outlook.targets[t].price);
        else
            row.skip(1);
    }
    if (it.chance) {
        row.add(std::size_t{it.chance->k}).add(std::size_t{report.surrogates});
        row.add(Chance::p_value(it.chance->k, report.surrogates));
        row.add(Chance::p_value(it.chance->k_kind, report.surrogates));
    } else {
        row.skip(4);
    }
    return row.skip(1).end();
}

}  // namespace

std::string csv_header() {
    std::string header =
        "symbol,rank,rule_name,direction,waves_done,ensemble_score,rarity,expected_by_chance";
    for (std::size_t i = 0; i < kParts; ++i)
        header += "," + std::string(to_string(static_cast<Part>(i)));
    return header +
           ",start,end,pivots,prices,invalidation,invalidated,target_1,target_2,target_3,k,"
           "surrogates,p_value,p_value_pattern,error\n";
}

std::string csv_rows(const SymbolReport& report) {
    constexpr std::size_t kBetween = 6 + kParts + 6 + kTargets + 4 + 1;
    std::string out;
    if (!report.ok()) {
        const RowError& error = report.errors.front();
        Row row;
        row.add(report.symbol).skip(kBetween);
        row.add((error.line > 0 ? "line " + std::to_string(error.line) + ": " : "") +
                error.message);
        return row.end();
    }
    for (std::size_t i = 0; i < report.counts.size(); ++i)
        out += count_row(report, report.counts[i], i + 1);
    for (const CountReport& it : report.open) out += count_row(report, it, 0);
    return out;
}

}  // namespace plimsoll::waves::output

#include "engine/waves/series/columns.hpp"

#include "engine/base/closest.hpp"

#include <algorithm>
#include <charconv>

namespace plimsoll::waves {
namespace {

std::string lowered(std::string_view text) {
    std::string out(text);
    for (char& c : out)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return out;
}

std::string_view trimmed(std::string_view text) {
    const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
    while (!text.empty() && blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && blank(text.back())) text.remove_suffix(1);
    return text;
}

// With the columns that there are, as long as that is readable.
Error no_column(const std::string& name, std::span<const std::string> names) {
    constexpr std::size_t kMost = 20;
    const std::vector<std::string> known(names.begin(), names.end());
    std::string list;
    for (const auto& one : known) {
        if (list.size() > kMost * 20) {
            list += ", …";
            break;
        }
        list += (list.empty() ? "" : ", ") + in_quotes(one);
    }
    return {Errc::invalid_input,
            "There is no column \"" + name + "\"." + did_you_mean(name, known) +
                " The columns are: " + list + ".",
            {}};
}

}  // namespace

Result<ColumnMap> map_columns(std::span<const std::string> names, const PriceReading& reading) {
    struct Wanted {
        const std::string& chosen;
        std::vector<std::string_view> defaults;
    };
    const std::array<Wanted, kColumns> wanted = {{
        {reading.symbol_column, {"symbol", "ticker"}},
        {reading.date_column, {"date", "datetime", "timestamp", "time"}},
        {reading.open_column, {"open"}},
        {reading.high_column, {"high"}},
        {reading.low_column, {"low"}},
        {reading.close_column, {"close"}},
    }};
    ColumnMap map;
    for (std::size_t c = 0; c < kColumns; ++c) {
        const auto find = [&](auto&& same) {
            const auto it = std::ranges::find_if(names, same);
            if (it != names.end()) map.at[c] = static_cast<std::size_t>(it - names.begin());
            return map.at[c].has_value();
        };
        if (!wanted[c].chosen.empty()) {
            if (!find([&](const std::string& name) { return name == wanted[c].chosen; }))
                return fail(no_column(wanted[c].chosen, names));
            continue;
        }
        for (std::string_view name : wanted[c].defaults)
            if (find([&](const std::string& n) { return lowered(trimmed(n)) == name; })) break;
    }
    if (!map[Column::close]) return fail(no_column("close", names));
    return map;
}

std::optional<double> parse_price(std::string_view text) {
    text = trimmed(text);
    if (text.empty() || text == "null") return std::nan("");
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return {};
    // "nan" and "inf" are numbers to from_chars, but no prices.
    if (!std::isfinite(value)) return {};
    return value;
}

std::string in_quotes(std::string_view field) {
    constexpr std::size_t kLongest = 60;
    std::size_t end = field.size();
    if (end > kLongest) {
        end = kLongest;
        while (end > 0 && (static_cast<unsigned char>(field[end]) & 0xC0) == 0x80) --end;
    }
    return "\"" + std::string(field.substr(0, end)) + (end < field.size() ? "…\"" : "\"");
}

}  // namespace plimsoll::waves

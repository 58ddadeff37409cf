#include "engine/waves/series/csv_form.hpp"

#include "engine/waves/series/timestamps.hpp"

#include <algorithm>
#include <map>

namespace plimsoll::waves {
namespace {

constexpr std::size_t kMaxPreamble = 12;  // lines above the header: a source's address, a title

// No short number, which rather counts rows than seconds since 1970.
bool is_date(std::string_view text) {
    constexpr std::size_t kSeconds = 9;
    const auto iso = in_iso(text, {}, DayOrder::day_first);
    const bool counts =
        iso.size() < kSeconds && iso.find_first_not_of("0123456789") == std::string::npos;
    return !counts && read_timestamp(iso).has_value();
}
bool is_price(const std::string& text) {
    return decimals_of(text) != Decimals::unknown || parse_price(text).value_or(0) > 0;
}

bool has_close(const Fields& row) { return std::ranges::any_of(row, names_close); }

// yfinance writes a row of names and one of tickers, in either order, then the index's name.
bool is_pair_of_headers(const Fields& names, const Fields& tickers) {
    return names.size() == tickers.size() && names.size() > 1 && has_close(names) &&
           !has_close(tickers) && !is_bar(tickers) &&
           (tickers.front() == "Ticker" || tickers.front() == "Symbols" ||
            names.front() == "Price" || tickers.front().empty());
}

// The first column is the date of all.
std::vector<CsvForm::Part> parts_by_ticker(const Fields& names, const Fields& tickers) {
    std::map<std::string, std::vector<std::size_t>> columns_of;
    std::vector<std::string> symbols;  // in their order
    for (std::size_t i = 1; i < tickers.size(); ++i) {
        if (tickers[i].empty()) continue;
        auto& columns = columns_of[tickers[i]];
        if (columns.empty()) symbols.push_back(tickers[i]);
        columns.push_back(i);
    }
    std::vector<CsvForm::Part> parts;
    for (const auto& symbol : symbols) {
        const auto& columns = columns_of[symbol];
        Fields own = {"date"};
        for (const auto at : columns) own.push_back(names[at]);
        auto map = map_columns(own, {});
        if (!map) return {};
        for (auto& at : map->at)
            if (at && *at > 0) at = columns[*at - 1];
        parts.push_back({symbol, *map});
    }
    return parts;
}

// "AAPL.Close" as R has it, "Close_AAPL" as others do: a price's name and a ticker in one.
std::vector<CsvForm::Part> parts_in_names(const Fields& together) {
    Fields names(together.size()), tickers(together.size());
    for (std::size_t i = 1; i < together.size(); ++i) {
        const std::string_view name = together[i];
        for (const char between : {'.', '_', ' '}) {
            const auto first = name.find(between), last = name.rfind(between);
            if (first == std::string_view::npos) continue;
            if (names_price(name.substr(last + 1))) {
                names[i] = name.substr(last + 1);
                tickers[i] = name.substr(0, last);
            } else if (names_price(name.substr(0, first))) {
                names[i] = name.substr(0, first);
                tickers[i] = name.substr(first + 1);
            }
        }
    }
    return parts_by_ticker(names, tickers);
}

bool is_time_of_day(std::string_view text) {
    return text.size() > 3 && text.find(':') < 3 &&
           text.find_first_not_of("0123456789:.") == std::string_view::npos;
}

// Time, open, high, low, close, as exchanges write them; or time and close. The time may stand
// beside its date, and both behind a symbol.
std::optional<ColumnMap> unnamed_columns(std::span<const Fields> rows, std::size_t date) {
    const auto& first = rows.front();
    ColumnMap map;
    const auto set = [&](Column c, std::size_t at) { map.at[static_cast<std::size_t>(c)] = at; };
    if (date > 0) set(Column::symbol, 0);
    set(Column::date, date);
    if (first.size() == date + 2) {
        set(Column::close, date + 1);
        return map;
    }
    const std::size_t before = date + (is_time_of_day(first[date + 1]) ? 1 : 0);  // the prices
    if (before > date) set(Column::time, date + 1);
    if (first.size() < before + 5) return {};
    for (const auto& row : rows) {
        if (row.size() < before + 5) continue;
        const auto at = [&](std::size_t i) {
            const auto& text = row[before + i];
            return parse_price(text, decimals_of(text) == Decimals::comma).value_or(-1);
        };
        const double open = at(1), high = at(2), low = at(3), close = at(4);
        const bool missing = std::isnan(close);
        if (!missing && !(low > 0 && low <= std::min(open, close) && high >= std::max(open, close)))
            return {};
    }
    set(Column::open, before + 1);
    set(Column::high, before + 2);
    set(Column::low, before + 3);
    set(Column::close, before + 4);
    return map;
}

Error unnamed() {
    return {Errc::invalid_input,
            "There is no column \"close\": the file has no line of names. Give the columns' "
            "numbers: date=#1 and close=#5, for example.",
            {}};
}

bool is_bar_of_symbol(const Fields& row) {
    return row.size() > 2 && !is_date(row.front()) && is_bar(Fields(row.begin() + 1, row.end()));
}

// Rows of numbers alone, without a date: names are none of them. One may count the rows below.
bool are_numbers(std::span<const Fields> rows) {
    return rows.size() > 1 && rows[0].size() == rows[1].size() &&
           std::ranges::all_of(
               rows.first(2), [](const Fields& row) { return std::ranges::all_of(row, is_price); });
}

Result<void> find_columns(std::span<const Fields> rows, const PriceReading& reading, CsvForm& f) {
    Result<ColumnMap> map;
    for (std::size_t i = 0; i + 1 < std::min(rows.size(), kMaxPreamble); ++i) {
        const bool names_first = is_pair_of_headers(rows[i], rows[i + 1]);
        if (!names_first && !is_pair_of_headers(rows[i + 1], rows[i])) continue;
        const auto& names = names_first ? rows[i] : rows[i + 1];
        const auto& tickers = names_first ? rows[i + 1] : rows[i];
        f.parts = parts_by_ticker(names, tickers);
        if (f.parts.empty()) continue;
        f.headers = i + 2;
        f.fields = names.size();
        if (f.headers < rows.size() && !is_bar(rows[f.headers])) ++f.headers;  // "Date,,,"
        f.told = "two lines of names";
        return {};
    }
    for (std::size_t i = 0; i < std::min(rows.size(), kMaxPreamble); ++i) {
        if (is_bar(rows[i]) || is_bar_of_symbol(rows[i]) || are_numbers(rows.subspan(i))) break;
        map = map_columns(rows[i], reading);
        f.parts = map ? std::vector<CsvForm::Part>{{{}, *map}} : parts_in_names(rows[i]);
        if (f.parts.empty()) continue;
        f.fields = rows[i].size();
        f.headers = i + 1;
        f.below_others = i > 0;
        return {};
    }
    const auto& first = rows.front();
    f.fields = first.size();
    const std::size_t date = is_bar(first) ? 0 : 1;
    const bool numbers = date > 0 && are_numbers(rows);
    if (date > 0 && !numbers && !is_bar_of_symbol(first)) {
        map = map_columns(first, reading);
        return fail(map.error());
    }
    Fields numbered(f.fields);
    for (std::size_t i = 0; i < f.fields; ++i) numbered[i] = "#" + std::to_string(i + 1);
    map = map_columns(numbered, reading);
    if (!map && numbers && f.fields == 1) {
        map = ColumnMap{};
        map->at[static_cast<std::size_t>(Column::close)] = 0;
    }
    if (!map) {
        const auto found = numbers ? std::nullopt : unnamed_columns(rows, date);
        if (!found || !reading.close_column.empty()) return fail(unnamed());
        map = *found;
    }
    f.parts = {{{}, *map}};
    f.told = "no names: ";
    for (std::size_t at = 0; at < f.fields; ++at)
        for (std::size_t c = 0; c < kColumns; ++c)
            if (f.parts.front().columns.at[c] == at)
                f.told += (f.told.ends_with(": ") ? "" : ", ") +
                          std::string(name_of(static_cast<Column>(c)));
    return {};
}

// Of a table whose names tell no date: the first column of days.
void find_dates(std::span<const Fields> bars, CsvForm& f) {
    auto& first = f.parts.front().columns;
    if (first[Column::date] || first[Column::year] || f.parts.size() > 1 || bars.empty()) return;
    for (std::size_t at = 0; at < f.fields; ++at) {
        if (std::ranges::find(first.at, std::optional(at)) != first.at.end()) continue;
        constexpr std::size_t kLooked = 3;
        const bool days = std::ranges::all_of(
            bars.first(std::min(kLooked, bars.size())),
            [&](const Fields& row) { return at < row.size() && is_day(row[at]); });
        if (!days) continue;
        first.at[static_cast<std::size_t>(Column::date)] = at;
        return;
    }
}

const std::string* field(const Fields& row, std::optional<std::size_t> at) {
    return at && *at < row.size() && !row[*at].empty() ? &row[*at] : nullptr;
}

Result<void> find_decimals(std::span<const Fields> bars, CsvForm& f) {
    bool comma = false, point = false;
    const std::string* either = nullptr;
    for (const auto& row : bars) {
        for (const auto& part : f.parts) {
            for (const auto column : {Column::open, Column::high, Column::low, Column::close}) {
                const auto* text = field(row, part.columns[column]);
                if (text == nullptr) continue;
                const auto written = decimals_of(*text);
                comma = comma || written == Decimals::comma;
                point = point || written == Decimals::point;
                if (written == Decimals::either) either = text;
            }
        }
    }
    if (either != nullptr && !comma && !point)
        return fail(Errc::invalid_input,
                    "Is " + in_quotes(*either) +
                        " above a thousand, or has it a decimal comma? No price in the file tells: "
                        "write prices with a point.");
    f.decimal_comma = comma && !point;
    if (f.decimal_comma) f.told += (f.told.empty() ? "" : ", ") + std::string("decimal comma");
    return {};
}

// Daily data with a time of day have the same one everywhere: it says nothing.
void drop_idle_time(std::span<const Fields> bars, CsvForm& f) {
    for (auto& part : f.parts) {
        auto& at = part.columns.at[static_cast<std::size_t>(Column::time)];
        const bool idle =
            at && std::ranges::all_of(bars, [&](const Fields& row) {
                return *at >= row.size() || row[*at].find_first_not_of("0: ") == std::string::npos;
            });
        if (idle) at.reset();
    }
}

Result<void> find_order(std::span<const Fields> bars, CsvForm& f) {
    if (f.parts.front().columns[Column::year]) return {};
    std::vector<std::string_view> dates;
    for (const auto& row : bars)
        if (const auto* text = field(row, f.parts.front().columns[Column::date]))
            dates.emplace_back(*text);
    const auto order = day_order_of(dates);
    if (!order)
        return fail(Errc::invalid_input,
                    "Does " + in_quotes(dates.front()) +
                        " name the day or the month first? No date in the file tells: write dates "
                        "as 2024-03-22.");
    f.order = *order;
    if (!dates.empty() && in_iso(dates.front(), {}, *order) != dates.front())
        f.told += (f.told.empty() ? "" : ", ") + in_quotes(dates.front()) + " is " +
                  in_iso(dates.front(), {}, *order);
    return {};
}

}  // namespace

bool is_day(std::string_view text) {
    return in_iso(text, {}, DayOrder::day_first) != text ||
           (text.size() > 9 && text[4] == '-' && read_timestamp(text));
}

bool is_bar(const Fields& row) {
    return row.size() > 1 && is_date(row.front()) &&
           std::ranges::any_of(row.begin() + 1, row.end(), is_price);
}

Result<CsvForm> form_of(std::span<const Fields> rows, const PriceReading& reading) {
    CsvForm f;
    TRY_DO(find_columns(rows, reading, f));
    const auto bars = rows.subspan(std::min(f.headers, rows.size()));
    find_dates(bars, f);
    const auto& columns = f.parts.front().columns;
    if (!columns[Column::date] && !columns[Column::year] && !bars.empty())
        f.told += (f.told.empty() ? "" : ", ") + std::string("no dates");
    TRY_DO(find_decimals(bars, f));
    TRY_DO(find_order(bars, f));
    drop_idle_time(bars, f);
    return f;
}

}  // namespace plimsoll::waves

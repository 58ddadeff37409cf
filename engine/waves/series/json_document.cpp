#include "engine/waves/series/json_document.hpp"

#include "engine/waves/series/columns.hpp"
#include "engine/waves/series/csv_form.hpp"

#include <algorithm>
#include <array>
#include <ranges>
#include <vector>

#include <nlohmann/json.hpp>

namespace plimsoll::waves {
namespace {

using nlohmann::json;

constexpr std::size_t kDeepest = 8;
constexpr std::size_t kLooked = 400;  // rows that tell the order of columns
// Of all tables together: every row is written with all of them.
constexpr std::size_t kMostNames = 32;

struct Table {
    std::string symbol;
    Fields names;
    std::vector<Fields> rows;
};

bool is_scalar(const json& value) { return !value.is_structured(); }

std::string field_of(const json& value) {
    if (value.is_string()) return value.get<std::string>();
    return value.is_null() || value.is_structured() ? std::string() : value.dump();
}

Fields keys_of(const json& object) {
    Fields keys;
    for (const auto& [key, value] : object.items()) keys.push_back(key);
    return keys;
}

bool is_bar_object(const json& value) {
    if (!value.is_object()) return false;
    const auto keys = keys_of(value);
    const auto columns = map_columns(keys, {});
    if (!columns) return false;
    const auto& close = keys[*(*columns)[Column::close]];
    return names_close(close) && is_scalar(value[close]);
}

Fields row_of(const json& bar, const Fields& names) {
    Fields row;
    for (const auto& name : names)
        row.push_back(bar.is_object() && bar.contains(name) ? field_of(bar[name]) : std::string());
    return row;
}

// A day, or seconds and more since 1970.
bool is_time(const std::string& text) {
    return is_day(text) ||
           (text.size() > 8 && text.find_first_not_of("0123456789") == std::string::npos);
}

// Rows without names, of a time and four prices: the highest and the lowest show in each row, and
// everybody writes the open before the close.
Fields names_of(const std::vector<Fields>& rows) {
    constexpr std::size_t kBar = 5;
    const std::size_t width = rows.front().size();
    Fields names(width);
    names[0] = "date";
    if (width < kBar) {
        names[1] = "close";
        return names;
    }
    std::array<bool, kBar> high{}, low{};
    high.fill(true), low.fill(true);
    for (const auto& row : rows | std::views::take(kLooked)) {
        if (row.size() < kBar) continue;
        std::array<double, kBar> price{};
        for (std::size_t i = 1; i < kBar; ++i) price[i] = parse_price(row[i]).value_or(0);
        const auto [least, most] = std::minmax_element(price.begin() + 1, price.end());
        for (std::size_t i = 1; i < kBar; ++i) {
            high[i] = high[i] && price[i] == *most;
            low[i] = low[i] && price[i] == *least;
        }
    }
    for (std::size_t i = 1; i < kBar; ++i) {
        const bool flat = high[i] && low[i];
        if (high[i] && !flat && std::ranges::find(names, "high") == names.end()) names[i] = "high";
        if (low[i] && !flat && std::ranges::find(names, "low") == names.end()) names[i] = "low";
    }
    for (const char* name : {"open", "close"}) {
        const auto free = std::find(names.begin() + 1, names.begin() + kBar, "");
        if (free != names.begin() + kBar) *free = name;
    }
    return names;
}

class Finder {
  public:
    std::vector<Table> tables;
    std::string told;  // the names given to rows without any

    // `axis`: the times of arrays below, of a member beside or above them.
    void look(const json& value, const std::string& symbol, const json* axis, std::size_t depth) {
        if (depth > kDeepest || is_scalar(value) || value.empty()) return;
        if (value.is_array())
            list(value, symbol, axis, depth);
        else
            object(value, symbol, axis, depth);
    }

  private:
    void list(const json& values, const std::string& symbol, const json* axis, std::size_t depth) {
        const json& first = values.front();
        if (is_bar_object(first)) {
            Table table{symbol, keys_of(first), {}};
            for (const auto& bar : values) table.rows.push_back(row_of(bar, table.names));
            tables.push_back(std::move(table));
        } else if (first.is_array() && values.size() > 1) {
            rows(values, {}, symbol);
        } else {
            for (const auto& below : values) look(below, symbol, axis, depth + 1);
        }
    }

    void tell(const Fields& names) {
        told = "no names: ";
        for (const auto& name : names)
            if (!name.empty()) told += (name == "date" ? "" : ", ") + name;
    }

    void rows(const json& values, Fields names, const std::string& symbol) {
        Table table{symbol, std::move(names), {}};
        for (const auto& value : values) {
            Fields row;
            for (const auto& field : value)
                if (is_scalar(field)) row.push_back(field_of(field));
            table.rows.push_back(std::move(row));
        }
        const auto width = table.rows.front().size();
        if (table.names.empty() && (width == 2 || width > 4) && is_time(table.rows.front()[0]))
            tell(table.names = names_of(table.rows));
        if (!table.names.empty() && map_columns(table.names, {}))
            tables.push_back(std::move(table));
    }

    // Columns: arrays of equal length, or objects with the same keys, as pandas writes them.
    bool columns(const json& value, const std::string& symbol, const json* axis) {
        const auto names = keys_of(value);
        const auto map = map_columns(names, {});
        if (!map) return false;
        const json& close = value[names[*(*map)[Column::close]]];
        if (is_scalar(close) || close.empty() || !is_scalar(*close.begin())) return false;
        Table table{symbol, {}, {}};
        std::vector<const json*> found;
        const bool keyed = close.is_object() && is_time(close.begin().key());
        if (keyed) table.names.emplace_back("date");
        if (close.is_array() && !(*map)[Column::date] && axis != nullptr &&
            axis->size() == close.size()) {
            table.names.emplace_back("date");
            found.push_back(axis);
        }
        for (const auto& name : names) {
            if (value[name].type() != close.type() || value[name].size() != close.size()) continue;
            table.names.push_back(name);
            found.push_back(&value[name]);
        }
        const auto keys = close.is_object() ? keys_of(close) : Fields();
        for (std::size_t i = 0; i < close.size(); ++i) {
            Fields row;
            if (keyed) row.push_back(keys[i]);
            for (const auto* column : found)
                row.push_back(close.is_array()            ? field_of((*column)[i])
                              : column->contains(keys[i]) ? field_of((*column)[keys[i]])
                                                          : std::string());
            table.rows.push_back(std::move(row));
        }
        tables.push_back(std::move(table));
        return true;
    }

    // Keys that are dates, of prices or of bars.
    bool dates(const json& value, const std::string& symbol) {
        if (value.size() < 2 || !std::ranges::all_of(keys_of(value), is_time)) return false;
        const json& first = *value.begin();
        Table table{symbol, {"date"}, {}};
        const auto names = first.is_object() ? keys_of(first) : Fields{"close"};
        if (first.is_array() || !map_columns(names, {})) return false;
        std::ranges::copy(names, std::back_inserter(table.names));
        for (const auto& [date, bar] : value.items()) {
            auto row = bar.is_object() ? row_of(bar, names) : Fields{field_of(bar)};
            row.insert(row.begin(), date);
            table.rows.push_back(std::move(row));
        }
        tables.push_back(std::move(table));
        return true;
    }

    void object(const json& value, std::string symbol, const json* axis, std::size_t depth) {
        if (value.contains("columns") && value.contains("data") && value["columns"].is_array() &&
            value["data"].is_array() && !value["data"].empty()) {  // pandas, orient="split"
            Fields names;
            for (const auto& name : value["columns"]) names.push_back(field_of(name));
            json data = value["data"];
            if (value.contains("index") && value["index"].is_array() &&
                value["index"].size() == data.size() && is_time(field_of(value["index"].front()))) {
                names.insert(names.begin(), "date");
                for (std::size_t i = 0; i < data.size(); ++i)
                    if (data[i].is_array()) data[i].insert(data[i].begin(), value["index"][i]);
            }
            return rows(data, names, symbol);
        }
        for (const auto& [key, member] : value.items()) {
            if (key == "symbol" && member.is_string()) symbol = member;
            if (key == "meta" && member.is_object() && member.contains("symbol"))
                symbol = field_of(member["symbol"]);
            if (member.is_array() && !member.empty() && is_scalar(member.front()) &&
                is_time(field_of(member.front())))
                axis = &member;
        }
        if (columns(value, symbol, axis) || dates(value, symbol)) return;
        for (const auto& [key, member] : value.items())  // beside volumes, for example
            if (member.is_structured() && (key == "prices" || names_close(key)))
                return look(member, symbol, axis, depth + 1);
        const auto before = tables.size();
        std::vector<std::pair<std::size_t, std::string>> keys;
        for (const auto& [key, member] : value.items()) {
            const auto first = tables.size();
            look(member, symbol, axis, depth + 1);
            for (auto at = first; at < tables.size(); ++at) keys.emplace_back(at, key);
        }
        if (tables.size() - before < 2) return;
        for (const auto& [at, key] : keys)
            if (tables[at].symbol == symbol) tables[at].symbol = key;
    }
};

void add_row(std::string& out, const Fields& row) {
    for (const auto& field : row) {
        if (&field != &row.front()) out += ',';
        if (field.empty()) continue;
        out += '"';
        for (const char c : field) {
            if (c == '"') out += c;
            out += c == '\n' || c == '\r' ? ' ' : c;
        }
        out += '"';
    }
    out += '\n';
}

}  // namespace

std::optional<CsvOfDocument> csv_of_document(const json& document) {
    Finder finder;
    finder.look(document, {}, nullptr, 0);
    if (finder.tables.empty()) return std::nullopt;
    Fields names;  // of all tables
    for (const auto& table : finder.tables)
        for (const auto& name : table.names)
            if (std::ranges::find(names, name) == names.end()) {
                if (names.size() == kMostNames) return std::nullopt;
                names.push_back(name);
            }
    const bool named = std::ranges::any_of(
        finder.tables, [](const Table& table) { return !table.symbol.empty(); });
    CsvOfDocument out{{}, finder.told};
    auto header = names;
    if (named) header.insert(header.begin(), "symbol");
    add_row(out.csv, header);
    for (const auto& table : finder.tables) {
        std::vector<std::size_t> place;
        for (const auto& name : table.names)
            place.push_back(
                static_cast<std::size_t>(std::ranges::find(names, name) - names.begin()));
        for (const auto& row : table.rows) {
            Fields whole(names.size());
            for (std::size_t i = 0; i < std::min(row.size(), place.size()); ++i)
                whole[place[i]] = row[i];
            if (named) whole.insert(whole.begin(), table.symbol);
            add_row(out.csv, whole);
        }
    }
    return out;
}

}  // namespace plimsoll::waves

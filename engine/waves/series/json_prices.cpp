#include "engine/base/json.hpp"
#include "engine/base/outside_json.hpp"
#include "engine/waves/series/json_document.hpp"
#include "engine/waves/series/price_records.hpp"
#include "engine/waves/series/timestamps.hpp"

#include <algorithm>

namespace plimsoll::waves {
namespace {

std::string text_of(const json& value) {
    return value.is_string() ? value.get<std::string>() : value.dump();
}

Result<Timestamp> time_of(const json& value, const Zone& zone) {
    return read_timestamp(text_of(value), zone);
}

// A price as a number or as text; NaN for null.
std::optional<double> price_of(const json& value) {
    if (value.is_null()) return std::nan("");
    if (value.is_number()) return value.get<double>();
    if (value.is_string()) return parse_price(value.get_ref<const std::string&>());
    return {};
}

// Whether an object is one bar, or a symbol whose members are arrays.
bool is_price_object(const json& object, const PriceReading& reading) {
    std::vector<std::string> names;
    for (const auto& [name, value] : object.items()) names.push_back(name);
    const auto columns = map_columns(names, reading);
    if (!columns) return false;
    const auto& close = names[*(*columns)[Column::close]];
    return !object[close].is_object() && (close == reading.close_column || names_close(close));
}

// The members of one object, one bar or a whole symbol.
class ObjectReader {
  public:
    ObjectReader(const json& object, const PriceReading& reading, std::uint64_t line,
                 PriceRows& rows)
        : reading_(reading), line_(line), rows_(rows) {
        for (const auto& [name, value] : object.items()) {
            names_.push_back(name);
            values_.push_back(&value);
        }
    }

    void read() {
        symbol_ = reading_.symbol;
        const auto columns = map_columns(names_, reading_);
        if (!columns) return rows_.fail(symbol_, line_, columns.error().message);
        columns_ = *columns;
        if (const json* symbol = member(Column::symbol)) {
            if (symbol->is_string())
                symbol_ = symbol->get<std::string>();
            else
                return rows_.fail(symbol_, line_, "The symbol is not a string.");
        }
        const json& close = *member(Column::close);
        if (!close.is_array()) return bar(std::nullopt);
        for (Column column : {Column::date, Column::open, Column::high, Column::low}) {
            const json* other = member(column);
            if (other != nullptr && (!other->is_array() || other->size() != close.size()))
                return rows_.fail(symbol_, line_,
                                  "The members of a symbol must be arrays of equal length.");
        }
        for (std::size_t i = 0; i < close.size(); ++i) bar(i);
    }

  private:
    const json* member(Column column) const {
        const auto at = columns_[column];
        return at ? values_[*at] : nullptr;
    }

    void bar(std::optional<std::size_t> at) {
        PriceRow row{.line = line_};
        const auto value = [&](Column column) -> const json* {
            const json* found = member(column);
            return found != nullptr && at ? &(*found)[*at] : found;
        };
        if (const json* date = value(Column::date)) {
            const auto time = time_of(*date, reading_.zone.value_or(Zone{}));
            if (!time) {
                return fail(at, "the date " + in_quotes(text_of(*date)) + " cannot be used. " +
                                    time.error().message);
            }
            row.time = time->seconds;
            row.time_again = time->again;
            row.zone = time->zone;
        }
        for (auto [column, into] :
             {std::pair{Column::open, &row.open}, std::pair{Column::high, &row.high},
              std::pair{Column::low, &row.low}, std::pair{Column::close, &row.close}}) {
            const json* found = value(column);
            if (found == nullptr) continue;
            const auto price = price_of(*found);
            if (!price)
                return fail(at, "the " + std::string(name_of(column)) + " " +
                                    in_quotes(text_of(*found)) + " is not a price.");
            *into = *price;
        }
        rows_.add(symbol_, row);
    }

    void fail(std::optional<std::size_t> at, const std::string& what) {
        rows_.fail(symbol_, line_, (at ? "Bar " + std::to_string(*at) : "The row") + ": " + what);
    }

    const PriceReading& reading_;
    std::uint64_t line_;
    PriceRows& rows_;
    std::vector<std::string> names_;
    std::vector<const json*> values_;
    ColumnMap columns_;
    std::string symbol_;
};

class JsonPriceRecords final : public PriceRecords {
  public:
    explicit JsonPriceRecords(PriceReading reading) : PriceRecords(std::move(reading)) {}

    void add(std::string_view record, std::uint64_t line) override {
        add_json_prices(parse_outside_json(record), reading_, line, rows_);
    }

    // Errors name the object's place as its line.
    void add_list(const json& list) {
        std::uint64_t place = 0;
        for (const auto& object : list) add_json_prices(object, reading_, ++place, rows_);
    }
};

}  // namespace

void add_json_prices(const json& object, const PriceReading& reading, std::uint64_t line,
                     PriceRows& rows) {
    if (!object.is_object())
        return rows.fail(reading.symbol, line,
                         "This is not a JSON object: write one per line, or a list of them, each "
                         "with a close.");
    ObjectReader(object, reading, line, rows).read();
}

std::unique_ptr<PriceRecords> json_price_records(PriceReading reading) {
    return std::make_unique<JsonPriceRecords>(std::move(reading));
}

Result<std::unique_ptr<PriceRecords>> read_json(std::string_view bytes, PriceReading reading,
                                                std::string& told) {
    auto records = std::make_unique<JsonPriceRecords>(reading);
    const auto begin = std::min(bytes.find_first_not_of(" \t\r\n"), bytes.size());
    if (const auto document = parse_outside_json(bytes.substr(begin)); document.is_structured()) {
        const json& first = document.is_array() && !document.empty() ? document.front() : document;
        const bool plain = first.is_object() && is_price_object(first, reading);
        if (const auto found = plain ? std::nullopt : csv_of_document(document)) {
            told = found->told;
            return read_csv(found->csv, std::move(reading));
        }
        if (document.is_array()) {
            records->add_list(document);
            return records;
        }
    }
    std::uint64_t number = 0;
    while (!bytes.empty()) {
        ++number;
        const std::size_t end = bytes.find('\n');
        const std::string_view line = bytes.substr(0, end);
        bytes.remove_prefix(end == std::string_view::npos ? bytes.size() : end + 1);
        if (line.find_first_not_of(" \t\r") != std::string_view::npos) records->add(line, number);
    }
    return records;
}

}  // namespace plimsoll::waves

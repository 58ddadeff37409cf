#include "engine/waves/series/price_records.hpp"
#include "engine/waves/series/timestamps.hpp"

namespace plimsoll::waves {
namespace {

// Splits one line; fields without quotes are views into it. False when a quote never ends.
bool split(std::string_view line, char separator, std::vector<std::string_view>& fields,
           std::vector<std::string>& unquoted) {
    fields.clear();
    unquoted.clear();
    unquoted.reserve(line.size());  // views into its strings stay valid
    std::size_t at = 0;
    while (true) {
        if (at < line.size() && line[at] == '"') {
            std::string& content = unquoted.emplace_back();
            for (++at;; ++at) {
                if (at >= line.size()) return false;
                if (line[at] != '"') {
                    content += line[at];
                } else if (at + 1 < line.size() && line[at + 1] == '"') {
                    content += line[++at];
                } else {
                    break;
                }
            }
            fields.push_back(content);
            at = line.find(separator, at);
        } else {
            const std::size_t end = line.find(separator, at);
            fields.push_back(line.substr(at, end == std::string_view::npos ? end : end - at));
            at = end;
        }
        if (at == std::string_view::npos) return true;
        ++at;
    }
}

char separator_of(std::string_view header) {
    for (char c : {',', ';', '\t'})
        if (header.find(c) != std::string_view::npos) return c;
    return ',';
}

class Lines {
  public:
    explicit Lines(std::string_view bytes) : rest_(bytes) {}

    // The next line that is not blank.
    bool next(std::string_view& line) {
        while (!rest_.empty()) {
            ++number_;
            const std::size_t end = rest_.find('\n');
            line = rest_.substr(0, end);
            rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
            if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
            if (line.find_first_not_of(" \t,;") != std::string_view::npos) return true;
        }
        return false;
    }
    std::uint64_t number() const { return number_; }

  private:
    std::string_view rest_;
    std::uint64_t number_ = 0;
};

class CsvPriceRecords final : public PriceRecords {
  public:
    CsvPriceRecords(std::size_t fields, ColumnMap columns, char separator, PriceReading reading)
        : PriceRecords(std::move(reading)),
          field_count_(fields),
          columns_(columns),
          separator_(separator) {}

    void add(std::string_view record, std::uint64_t line) override {
        const bool whole = split(record, separator_, fields_, unquoted_);
        const auto symbol_at = columns_[Column::symbol];
        const std::string_view symbol =
            symbol_at && *symbol_at < fields_.size() ? fields_[*symbol_at] : reading_.symbol;
        if (!whole || fields_.size() != field_count_) {
            rows_.fail(symbol, line,
                       whole ? "The row has " + std::to_string(fields_.size()) +
                                   (fields_.size() == 1 ? " field" : " fields") +
                                   ", but the header has " + std::to_string(field_count_) + "."
                             : "A quote in the row is not closed.");
            return;
        }
        PriceRow row{.line = line};
        if (auto broken = read(row)) return rows_.fail(symbol, line, std::move(*broken));
        rows_.add(symbol, row);
    }

  private:
    // The error of the row, if any.
    std::optional<std::string> read(PriceRow& row) const {
        if (const auto date_at = columns_[Column::date]) {
            const auto time = read_timestamp(fields_[*date_at], reading_.zone.value_or(Zone{}));
            if (!time)
                return "The date " + in_quotes(fields_[*date_at]) + " cannot be used. " +
                       time.error().message;
            row.time = time->seconds;
            row.time_again = time->again;
            row.zone = time->zone;
        }
        for (const auto& [column, into] :
             {std::pair{Column::open, &row.open}, std::pair{Column::high, &row.high},
              std::pair{Column::low, &row.low}, std::pair{Column::close, &row.close}}) {
            const auto at = columns_[column];
            if (!at) continue;
            const auto value = parse_price(fields_[*at]);
            if (!value)
                return "The " + std::string(name_of(column)) + " " + in_quotes(fields_[*at]) +
                       " is not a price.";
            *into = *value;
        }
        return {};
    }

    std::size_t field_count_;
    ColumnMap columns_;
    char separator_;
    std::vector<std::string_view> fields_;
    std::vector<std::string> unquoted_;
};

Result<std::unique_ptr<PriceRecords>> records_of(std::span<const std::string> names, char separator,
                                                 PriceReading reading) {
    const auto columns = map_columns(names, reading);
    if (!columns) return fail(columns.error());
    return std::make_unique<CsvPriceRecords>(names.size(), *columns, separator, std::move(reading));
}

Result<std::unique_ptr<PriceRecords>> records_under(std::string_view header, PriceReading reading) {
    const char separator = separator_of(header);
    std::vector<std::string_view> fields;
    std::vector<std::string> unquoted;
    if (!split(header, separator, fields, unquoted))
        return fail(Errc::invalid_input, "A quote in the header line is not closed.");
    const std::vector<std::string> names(fields.begin(), fields.end());
    return records_of(names, separator, std::move(reading));
}

}  // namespace

Result<std::unique_ptr<PriceRecords>> csv_price_records(std::span<const std::string> header,
                                                        PriceReading reading) {
    return header.size() == 1 ? records_under(header.front(), std::move(reading))
                              : records_of(header, ',', std::move(reading));
}

Result<std::unique_ptr<PriceRecords>> read_csv(std::string_view bytes, PriceReading reading) {
    Lines lines(bytes);
    std::string_view line;
    if (!lines.next(line)) return fail(Errc::invalid_input, "The file is empty.");
    auto records = records_under(line, std::move(reading));
    while (records && lines.next(line)) (*records)->add(line, lines.number());
    return records;
}

}  // namespace plimsoll::waves

#include "engine/waves/series/columns.hpp"
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

}  // namespace

Result<void> read_csv(std::string_view bytes, const PriceReading& reading, PriceRows& rows) {
    Lines lines(bytes);
    std::string_view line;
    if (!lines.next(line)) return fail(Errc::invalid_input, "The file is empty.");
    const char separator = separator_of(line);
    std::vector<std::string_view> fields;
    std::vector<std::string> unquoted;
    if (!split(line, separator, fields, unquoted))
        return fail(Errc::invalid_input, "A quote in the header line never ends.");
    const std::vector<std::string> names(fields.begin(), fields.end());
    const auto columns = map_columns(names, reading);
    if (!columns) return fail(columns.error());

    const auto symbol_at = (*columns)[Column::symbol];
    const auto date_at = (*columns)[Column::date];
    while (lines.next(line)) {
        const std::uint64_t number = lines.number();
        const bool whole = split(line, separator, fields, unquoted);
        const std::string_view symbol =
            symbol_at && *symbol_at < fields.size() ? fields[*symbol_at] : reading.symbol;
        if (!whole || fields.size() != names.size()) {
            rows.fail(symbol, number,
                      whole
                          ? "The row has " + std::to_string(fields.size()) +
                                " fields where the header has " + std::to_string(names.size()) + "."
                          : "A quote in the row never ends.");
            continue;
        }
        PriceRow row{.line = number};
        if (date_at) {
            row.time = parse_timestamp(fields[*date_at], reading.zone_minutes);
            if (!row.time) {
                rows.fail(symbol, number,
                          "\"" + std::string(fields[*date_at]) + "\" is no date in ISO 8601.");
                continue;
            }
        }
        bool numbers = true;
        const auto price = [&](Column column, double& into) {
            const auto at = (*columns)[column];
            if (!at || !numbers) return;
            const auto value = parse_price(fields[*at]);
            if (value) {
                into = *value;
                return;
            }
            numbers = false;
            rows.fail(symbol, number, "\"" + std::string(fields[*at]) + "\" is no price.");
        };
        price(Column::open, row.open);
        price(Column::high, row.high);
        price(Column::low, row.low);
        price(Column::close, row.close);
        if (numbers) rows.add(symbol, row);
    }
    return {};
}

}  // namespace plimsoll::waves

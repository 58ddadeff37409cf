#include "engine/waves/series/csv_form.hpp"
#include "engine/waves/series/price_records.hpp"
#include "engine/waves/series/timestamps.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

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
        if (separator == ' ') {  // any number of them
            at = line.find_first_not_of(' ', at);
            if (at == std::string_view::npos) return true;
        }
        if (at < line.size() && line[at] == '"') {
            std::string& content = unquoted.emplace_back();
            for (++at;; ++at) {
                if (at >= line.size()) return false;
                if (line[at] != '"')
                    content += line[at];
                else if (at + 1 < line.size() && line[at + 1] == '"')
                    content += line[++at];
                else
                    break;
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

constexpr std::string_view kSeparators = "\t;|,";  // prices may have commas of their own

std::size_t count_outside_quotes(std::string_view line, char separator) {
    std::size_t count = 0;
    bool quoted = false;
    for (const char c : line) {
        quoted = quoted != (c == '"');
        count += c == separator && !quoted ? 1 : 0;
    }
    return count;
}

std::size_t count_words(std::string_view line) {
    std::size_t count = 0;
    char before = ' ';
    for (const char c : line) count += std::exchange(before, c) == ' ' && c != ' ' ? 1 : 0;
    return count;
}

// Columns set apart by blanks alone: most lines have as many words.
bool has_words(std::span<const std::string_view> lines) {
    const auto words = count_words(lines.back());
    const auto alike = std::ranges::count_if(
        lines, [&](std::string_view line) { return count_words(line) == words; });
    return words > 1 && lines.size() > 1 && 2 * static_cast<std::size_t>(alike) > lines.size();
}

// That of which most lines have the same number, then the most; "sep=;" says it.
char separator_of(std::span<const std::string_view> lines) {
    if (lines.front().starts_with("sep=") && lines.front().size() == 5) return lines.front()[4];
    char best = ',';
    std::pair<std::size_t, std::size_t> most;
    for (const char c : kSeparators) {
        std::map<std::size_t, std::size_t> lines_with;
        for (const auto line : lines) ++lines_with[count_outside_quotes(line, c)];
        for (const auto& [count, alike] : lines_with) {
            if (count == 0 || std::pair(alike, count) <= most) continue;
            most = {alike, count};
            best = c;
        }
    }
    return most.first == 0 && has_words(lines) ? ' ' : best;
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
    CsvPriceRecords(char separator, PriceReading reading)
        : PriceRecords(std::move(reading)), separator_(separator) {}

    void add(std::string_view record, std::uint64_t line) override {
        const bool whole = split(record, separator_, fields_, unquoted_);
        if (form_) return take_row(line, whole);
        if (broken_) return;
        first_.push_back({Fields(fields_.begin(), fields_.end()), line, whole});
        if (first_.size() == kSample) decide();
    }

    // Before the first record: names that are read already.
    void head(Fields names, std::uint64_t line) {
        first_.push_back({std::move(names), line, true});
    }

    // Decides from the first rows how the table is written, and adds them.
    Result<void> decide() {
        if (broken_) return plimsoll::fail(*broken_);
        if (form_ || first_.empty()) return {};
        std::vector<Fields> rows;
        for (const auto& row : first_) rows.push_back(row.fields);
        auto form = form_of(rows, reading_);
        if (!form) {
            broken_ = form.error();
            return plimsoll::fail(*broken_);
        }
        form_ = std::move(*form);
        if (form_->below_others)
            form_->told = "names in line " + std::to_string(first_[form_->headers - 1].line) +
                          (form_->told.empty() ? "" : ", ") + form_->told;
        for (std::size_t i = form_->headers; i < first_.size(); ++i) {
            const auto& row = first_[i];
            fields_.assign(row.fields.begin(), row.fields.end());
            take_row(row.line, row.whole);
        }
        first_.clear();
        return {};
    }

    std::string told() const override {
        auto out = form_ ? form_->told : std::string();
        if (const auto behind = left_behind_ + behind_.size(); behind > 0 && behind <= kMaxBehind)
            out += (out.empty() ? "" : ", ") + std::to_string(behind) +
                   (behind == 1 ? " line" : " lines") + " behind the last bar left out";
        if (left_out_ > 0)
            out += (out.empty() ? "" : ", ") + std::to_string(left_out_) +
                   (left_out_ == 1 ? " row" : " rows") + " without prices left out";
        return out;
    }

  protected:
    void finish() override {
        if (auto ok = decide(); !ok) rows_.fail(reading_.symbol, 0, ok.error().message);
        if (behind_.size() > kMaxBehind || !has_bars_) fail_behind();
        left_behind_ += behind_.size();
        behind_.clear();
    }

  private:
    static constexpr std::size_t kSample = 400;
    static constexpr std::size_t kMaxBehind = 5;  // a total, a source, a disclaimer
    struct FirstRow {
        Fields fields;
        std::uint64_t line = 0;
        bool whole = true;
    };

    // Lines that are no bars are errors if a bar follows them.
    void fail_behind() {
        for (auto& [line, symbol, why] : behind_) rows_.fail(symbol, line, std::move(why));
        behind_.clear();
    }

    void take_row(std::uint64_t line, bool whole) {
        if (!fields_.empty() && fields_.front().starts_with('#')) return;  // a comment
        if (fields_.size() == form_->fields + 1 && fields_.back().empty()) fields_.pop_back();
        if (whole && is_no_bar()) {
            behind_.push_back({line, std::string(symbol_of(form_->parts.front())), why_no_bar()});
            return;
        }
        fail_behind();
        if (is_event()) {
            ++left_out_;
            return;
        }
        has_bars_ = true;
        for (const auto& part : form_->parts) {
            const auto symbol = symbol_of(part);
            if (!whole || fields_.size() != form_->fields) {
                rows_.fail(symbol, line,
                           whole ? why_no_bar() : "A quote in the row is not closed.");
                continue;
            }
            PriceRow row{.line = line};
            if (auto broken = read(part.columns, row))
                rows_.fail(symbol, line, std::move(*broken));
            else if (is_empty(row))
                ++left_out_;
            else
                rows_.add(symbol, row);
        }
    }

    std::string_view symbol_of(const CsvForm::Part& part) const {
        if (!part.symbol.empty()) return part.symbol;
        const auto at = part.columns[Column::symbol];
        return at && *at < fields_.size() ? fields_[*at] : std::string_view(reading_.symbol);
    }

    // Yahoo's "0.24 Dividend" and "4:1 Stock Splits", in a row with a date of its own.
    bool is_event() const {
        return std::ranges::any_of(fields_, [](std::string_view field) {
            return field.ends_with(" Dividend") || field.ends_with(" Stock Splits");
        });
    }

    bool is_no_bar() const {
        const auto date_at = form_->parts.front().columns[Column::date];
        if (!date_at) return false;
        if (*date_at >= fields_.size()) return true;
        const auto date = fields_[*date_at];
        if (fields_.size() == 1 && !is_day(date)) return true;  // a count of the rows
        const bool number = !date.empty() && date.front() >= '0' && date.front() <= '9';
        return !number && !read_timestamp(in_iso(date, {}, form_->order));
    }
    std::string why_no_bar() const {
        if (fields_.size() == form_->fields) {
            const auto date = fields_[*form_->parts.front().columns[Column::date]];
            return date.empty() ? "The row has no date."
                                : unusable_date(date, read_timestamp(date).error());
        }
        return "The row has " + std::to_string(fields_.size()) +
               (fields_.size() == 1 ? " field" : " fields") + ", but the header has " +
               std::to_string(form_->fields) + ".";
    }

    static std::string unusable_date(std::string_view date, const Error& why) {
        return "The date " + in_quotes(date) + " cannot be used. " + why.message;
    }

    // A holiday in a regular calendar. One that has a date and nothing else says nothing.
    static bool is_empty(const PriceRow& row) {
        return row.time && std::isnan(row.open) && std::isnan(row.high) && std::isnan(row.low) &&
               std::isnan(row.close);
    }

    // The error of the row, if any.
    std::optional<std::string> read(const ColumnMap& columns, PriceRow& row) const {
        if (const auto year_at = columns[Column::year]) {
            const auto day_at = columns[Column::date];
            const auto date = std::string(fields_[*year_at]) + "-" +
                              std::string(fields_[*columns[Column::month]]) + "-" +
                              (day_at ? std::string(fields_[*day_at]) : "1");
            const auto time = read_timestamp(in_iso(date, {}, form_->order));
            if (!time) return unusable_date(date, time.error());
            row.time = time->seconds;
        } else if (const auto date_at = columns[Column::date]) {
            const auto time_at = columns[Column::time];
            const auto zone = reading_.zone.value_or(Zone{});
            const auto written = time_at ? fields_[*time_at] : std::string_view();
            const auto date = fields_[*date_at];
            auto time = read_timestamp(date, zone);
            const bool plain = time && written.empty() && date.size() > 9 && date[4] == '-';
            if (!plain)
                if (const auto iso = in_iso(date, written, form_->order); iso != date)
                    time = read_timestamp(iso, zone);
            if (!time) return unusable_date(fields_[*date_at], time.error());
            row.time = time->seconds;
            row.time_again = time->again;
            row.zone = time->zone;
        }
        for (const auto& [column, into] :
             {std::pair{Column::open, &row.open}, std::pair{Column::high, &row.high},
              std::pair{Column::low, &row.low}, std::pair{Column::close, &row.close}}) {
            const auto at = columns[column];
            if (!at) continue;
            const auto value = parse_price(fields_[*at], form_->decimal_comma);
            if (!value)
                return "The " + std::string(name_of(column)) + " " + in_quotes(fields_[*at]) +
                       " is not a price.";
            *into = *value;
        }
        return {};
    }

    char separator_;
    std::vector<FirstRow> first_;
    std::optional<CsvForm> form_;
    std::optional<Error> broken_;
    std::uint64_t left_out_ = 0, left_behind_ = 0;
    bool has_bars_ = false;
    struct Behind {
        std::uint64_t line = 0;
        std::string symbol, why;
    };
    std::vector<Behind> behind_;
    std::vector<std::string_view> fields_;
    std::vector<std::string> unquoted_;
};

}  // namespace

Result<std::unique_ptr<PriceRecords>> csv_price_records(std::span<const std::string> header,
                                                        PriceReading reading) {
    Fields names(header.begin(), header.end());
    char separator = ',';
    if (header.size() == 1) {
        separator = separator_of(std::array{std::string_view(header.front())});
        std::vector<std::string_view> fields;
        std::vector<std::string> unquoted;
        if (!split(header.front(), separator, fields, unquoted))
            return fail(Errc::invalid_input, "A quote in the header line is not closed.");
        names.assign(fields.begin(), fields.end());
    }
    // What later rows cannot mend is said at once.
    if (auto form = form_of(std::array{names}, reading); !form && !is_bar(names))
        return fail(form.error());
    auto records = std::make_unique<CsvPriceRecords>(separator, std::move(reading));
    records->head(std::move(names), 1);
    return records;
}

Result<std::unique_ptr<PriceRecords>> read_csv(std::string_view bytes, PriceReading reading) {
    Lines lines(bytes);
    std::string_view line;
    std::vector<std::string_view> first;
    std::vector<std::uint64_t> numbers;
    constexpr std::size_t kLooked = 16;
    while (first.size() < kLooked && lines.next(line)) {
        first.push_back(line);
        numbers.push_back(lines.number());
    }
    if (first.empty()) return fail(Errc::invalid_input, "The file is empty.");
    auto records = std::make_unique<CsvPriceRecords>(separator_of(first), std::move(reading));
    for (std::size_t i = first.front().starts_with("sep=") ? 1 : 0; i < first.size(); ++i)
        records->add(first[i], numbers[i]);
    while (lines.next(line)) records->add(line, lines.number());
    TRY_DO(records->decide());
    return records;
}

}  // namespace plimsoll::waves

#include "server/kinds/waves/command/price_file.hpp"

#include "engine/text/record_reader.hpp"
#include "server/client/upload.hpp"
#include "server/terminal/assignment.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <sstream>

namespace plimsoll::jobs::waves {

namespace ew = ::plimsoll::waves;

namespace {

void add_words(const std::string& text, std::set<std::string>& symbols) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        line.resize(std::min(line.size(), line.find('#')));
        std::ranges::replace(line, ',', ' ');
        std::istringstream words(line);
        for (std::string word; words >> word;) symbols.insert(word);
    }
}

Result<void> add_column(const std::string& text, const std::string& column,
                        std::set<std::string>& symbols) {
    std::optional<Error> broken;
    const auto sink = [&](text::ReadRecord read) {
        if (read.record.error) {
            if (!broken)
                broken = Error{Errc::invalid_input, read.record.error->message,
                               "line " + std::to_string(read.line)};
        } else if (!read.record.text.empty()) {
            symbols.insert(read.record.text);
        }
    };
    text::RecordReader reader(text::RecordFormat::csv, {.text = column, .custom_id = {}});
    TRY_DO(reader.feed(text, sink));
    TRY_DO(reader.finish(sink));
    if (broken) return fail(*broken);
    return {};
}

// The column symbol or ticker in any case, or the only one.
Result<void> add_records(const std::string& text, std::set<std::string>& symbols) {
    text::RecordReader header(text::RecordFormat::csv, {});
    // Fails because there is no column "text", after the header has been read.
    static_cast<void>(header.feed(text, [](text::ReadRecord) {}));
    std::string column;
    for (const auto& name : header.header()) {
        std::string lower = name;
        std::ranges::transform(lower, lower.begin(),
                               [](unsigned char c) { return std::tolower(c); });
        if (lower == "symbol" || (lower == "ticker" && column.empty())) column = name;
    }
    if (column.empty() && header.header().size() == 1) column = header.header().front();
    if (column.empty())
        return fail(Errc::invalid_input, "The file has no column \"symbol\" or \"ticker\".");
    return add_column(text, column, symbols);
}

}  // namespace

Result<std::set<std::string>> wanted_symbols(const std::vector<std::string>& given) {
    std::set<std::string> symbols;
    for (const std::string& name : given) {
        const bool csv = client::is_csv(name);
        if (!csv && !name.ends_with(".txt")) {
            symbols.insert(name);
            continue;
        }
        TRY(const auto text, terminal::read_text(name));
        std::set<std::string> listed;
        if (!csv) {
            add_words(text, listed);
        } else if (const auto read = add_records(text, listed); !read) {
            const auto& where = read.error().where;
            return fail(read.error().code, read.error().message,
                        where.empty() ? name : name + ", " + where);
        }
        if (listed.empty()) return fail(Errc::invalid_input, "The file lists no symbols.", name);
        symbols.merge(listed);
    }
    return symbols;
}

Result<std::vector<std::string>> listed_symbols(const std::vector<std::string>& given) {
    TRY(const auto symbols, wanted_symbols(given));
    return std::vector<std::string>(symbols.begin(), symbols.end());
}

// JSON writes line ends and quotes as two characters each: this leaves room for them.
constexpr std::int64_t kPriceFileBytes = client::kInlineFileBytes / 4 * 3;

Result<ew::PriceReading> price_reading(const std::vector<std::string>& given) {
    TRY(const auto columns, terminal::column_args(given));
    ew::PriceReading reading;
    const std::map<std::string, std::string*, std::less<>> places = {
        {"symbol", &reading.symbol_column}, {"date", &reading.date_column},
        {"open", &reading.open_column},     {"high", &reading.high_column},
        {"low", &reading.low_column},       {"close", &reading.close_column}};
    for (const auto& [member, column] : columns.items()) {
        const auto place = places.find(member);
        if (member == "keep" || member == "group") {
            return fail(Errc::invalid_input,
                        std::string(member == "keep" ? "--keep" : "--group-by") +
                            " is for files of texts, not of prices.");
        }
        if (place == places.end()) {
            return fail(Errc::invalid_input,
                        "--column must be member=COLUMN with the member symbol, date, open, high, "
                        "low or close, not \"" +
                            member + "\".");
        }
        *place->second = column.get<std::string>();
    }
    return reading;
}

Error with_column_flag(Error error, const std::string& file) {
    if (error.message.starts_with("There is no column"))
        error.message += " Name one with --column close=COLUMN.";
    error.where = file;
    return error;
}

Result<terminal::JobInput> read_price_file(const std::string& file,
                                           const std::vector<std::string>& columns) {
    if (file.ends_with(".json")) return terminal::read_input_file(file, columns);
    if (file != "-") {
        TRY(const auto bytes, client::file_bytes(file));
        if (bytes > kPriceFileBytes)
            return terminal::JobInput{.args = {}, .left_out = {}, .too_long = true};
    }
    TRY(auto prices, terminal::read_text(file));
    TRY(const auto reading, price_reading(columns));
    const bool csv = client::is_csv(file) || ew::format_of_prices(prices) == ew::PriceFormat::csv;
    if (csv) {
        const auto read = ew::read_prices(prices, ew::PriceFormat::csv, reading);
        if (!read) return fail(with_column_flag(read.error(), file));
    }
    nlohmann::json args{{"prices", std::move(prices)}, {"format", csv ? "csv" : "jsonl"}};
    if (file != "-") args["symbol"] = std::filesystem::path(file).stem().string();
    if (!columns.empty()) {
        TRY(args["columns"], terminal::column_args(columns));
    }
    return terminal::JobInput{.args = std::move(args), .left_out = {}};
}

}  // namespace plimsoll::jobs::waves

#include "server/kinds/waves/command/price_file.hpp"

#include "server/client/upload.hpp"
#include "server/terminal/assignment.hpp"

#include <filesystem>
#include <functional>
#include <map>

namespace plimsoll::jobs::waves {
namespace {

namespace ew = ::plimsoll::waves;

// JSON writes line ends and quotes as two characters each: this leaves room for them.
constexpr std::int64_t kPriceFileBytes = client::kInlineFileBytes / 4 * 3;

}  // namespace

Result<ew::PriceReading> price_reading(const std::vector<std::string>& given) {
    const auto columns = terminal::column_args(given);
    if (!columns) return fail(columns.error());
    ew::PriceReading reading;
    const std::map<std::string, std::string*, std::less<>> places = {
        {"symbol", &reading.symbol_column}, {"date", &reading.date_column},
        {"open", &reading.open_column},     {"high", &reading.high_column},
        {"low", &reading.low_column},       {"close", &reading.close_column}};
    for (const auto& [member, column] : columns->items()) {
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
        const auto bytes = client::file_bytes(file);
        if (!bytes) return fail(bytes.error());
        if (*bytes > kPriceFileBytes)
            return terminal::JobInput{.args = {}, .left_out = {}, .too_long = true};
    }
    auto prices = terminal::read_text(file);
    if (!prices) return fail(prices.error());
    const auto reading = price_reading(columns);
    if (!reading) return fail(reading.error());
    if (client::is_csv(file)) {
        const auto read = ew::read_prices(*prices, ew::PriceFormat::csv, *reading);
        if (!read) return fail(with_column_flag(read.error(), file));
    }
    nlohmann::json args{{"prices", std::move(*prices)},
                        {"format", client::is_csv(file) ? "csv" : "jsonl"}};
    if (file != "-") args["symbol"] = std::filesystem::path(file).stem().string();
    if (!columns.empty()) {
        auto chosen = terminal::column_args(columns);
        if (!chosen) return fail(chosen.error());
        args["columns"] = std::move(*chosen);
    }
    return terminal::JobInput{.args = std::move(args), .left_out = {}};
}

}  // namespace plimsoll::jobs::waves

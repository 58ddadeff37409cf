#include "server/kinds/waves/contract/request.hpp"

#include "engine/base/json.hpp"
#include "engine/waves/series/price_records.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace plimsoll::jobs::waves {
namespace {

// Where prices come from and how they are read. All other members are settings of the search.
constexpr std::array<std::string_view, 9> kInputMembers = {
    "preset", "prices", "format", "series", "dataset", "columns", "symbols", "symbol", "time_zone"};

// Settings of the command line that have nothing to act on in a job.
constexpr std::array<std::string_view, 3> kChartFiles = {"save_images", "save_images_top_n",
                                                         "out_dir"};
constexpr std::string_view kChartsInReport =
    "Jobs write no files: the report draws every count, and GET "
    "/v1/jobs/{job_id}/pictures/{index}.svg or .png returns it as a picture.";

engine::PriceReading reading_of(const json& args) {
    const json columns = args.value("columns", json::object());
    return {.symbol = args.value("symbol", ""),
            .zone = {},
            .symbol_column = columns.value("symbol", ""),
            .date_column = columns.value("date", ""),
            .open_column = columns.value("open", ""),
            .high_column = columns.value("high", ""),
            .low_column = columns.value("low", ""),
            .close_column = columns.value("close", "")};
}

Result<std::vector<engine::SymbolPrices>> read_series(const json& series,
                                                      const engine::PriceReading& reading) {
    engine::PriceRows rows(reading.zone);
    std::uint64_t number = 0;
    for (const json& one : series) engine::add_json_prices(one, reading, ++number, rows);
    return rows.take();
}

FieldErrors limit_errors(const engine::Settings& settings) {
    FieldErrors errors;
    const auto at_most = [&](const char* pointer, int value, int min, int max) {
        if (value >= min && value <= max) return;
        errors.push_back({pointer, "out_of_range",
                          "In a job, this must be from " + std::to_string(min) + " to " +
                              std::to_string(max) + "."});
    };
    at_most("/top_n", settings.top_n, 0, kMaxCounts);
    at_most("/surrogates", settings.surrogates, 0, kMaxSurrogates);
    return errors;
}

}  // namespace

tl::expected<std::vector<engine::SymbolPrices>, FieldErrors> read_given_prices(
    const json& args, const engine::PriceReading& reading) {
    const bool text = args.contains("prices");
    if (text == args.contains("series")) {
        return tl::unexpected(one_error(
            "", "one_of", "Exactly one of \"prices\", \"series\" and \"dataset\" must be given."));
    }
    if (!text && args.contains("format")) return tl::unexpected(format_without_prices());
    const bool csv = args.value("format", "csv") == "csv";
    auto symbols =
        text ? engine::read_prices(args["prices"].get_ref<const std::string&>(),
                                   csv ? engine::PriceFormat::csv : engine::PriceFormat::json_lines,
                                   reading)
             : read_series(args["series"], reading);
    if (!symbols) {
        return tl::unexpected(
            one_error(text ? "/prices" : "/series", "unreadable", symbols.error().message));
    }
    return std::move(*symbols);
}

FieldErrors format_without_prices() {
    return one_error("/format", "not_used", "It only applies to \"prices\": omit it.");
}

FieldErrors one_error(std::string pointer, std::string rule, std::string message) {
    return {{std::move(pointer), std::move(rule), std::move(message)}};
}

tl::expected<Request, FieldErrors> parse_request(const json& args) {
    Request request;
    request.preset = args.value("preset", "whole");
    request.reading = reading_of(args);
    if (args.contains("time_zone")) {
        const auto zone = engine::Zone::named(args["time_zone"].get_ref<const std::string&>());
        if (!zone)
            return tl::unexpected(one_error("/time_zone", "unknown_zone", zone.error().message));
        request.reading.zone = *zone;
    }
    for (const json& symbol : args.value("symbols", json::array()))
        request.symbols.insert(symbol.get<std::string>());
    for (const auto& [name, value] : args.items())
        if (std::ranges::count(kInputMembers, name) == 0) request.given[name] = value;
    if (const auto preset = engine::apply_preset(request.preset, request.settings); !preset)
        return tl::unexpected(one_error("/preset", "unknown_preset", preset.error().message));
    auto notes = engine::apply_settings(request.given, request.settings);
    if (!notes)
        return tl::unexpected(one_error(notes.error().where, "invalid", notes.error().message));
    request.notes = std::move(*notes);
    request.settings.max_counts = kMaxCounts;
    for (const std::string_view name : kChartFiles)
        if (request.given.contains(name))
            request.notes.push_back({std::string(name), std::string(kChartsInReport)});
    if (auto errors = limit_errors(request.settings); !errors.empty())
        return tl::unexpected(std::move(errors));
    return request;
}

}  // namespace plimsoll::jobs::waves

#include "server/kinds/waves/contract/subject.hpp"

#include "engine/base/json.hpp"
#include "server/kinds/waves/contract/failed_rows.hpp"
#include "server/kinds/waves/contract/slices.hpp"

#include <utility>

namespace plimsoll::jobs::waves {
namespace {

tl::expected<engine::SymbolPrices, FieldErrors> symbol_of(const JobItem& item,
                                                          const std::optional<engine::Zone>& zone) {
    auto slice = unpack_slice(item.input, zone);
    if (!slice) return tl::unexpected(one_error("/job_id", "damaged", slice.error().message));
    const auto place = static_cast<std::size_t>(item.index - slice->first);
    if (place >= slice->symbols.size()) {
        return tl::unexpected(
            one_error("/index", "out_of_range", "The job does not have this symbol."));
    }
    auto& prices = slice->symbols[place];
    if (!prices.ok()) {
        return tl::unexpected(one_error(
            "/index", "failed_symbol",
            "This symbol has no counts: " + error_text(prices.errors, prices.error_count)));
    }
    return std::move(prices);
}

// Members that have no effect, given the rest of the body.
FieldErrors members_without_effect(const json& body, const JobItem* item, bool takes_bars) {
    const auto idle = [](std::string_view member, const char* why) {
        return one_error("/" + std::string(member), "not_used", why);
    };
    if (item == nullptr) {
        return body.contains("index") ? idle("index", "It only applies to \"job_id\": omit it.")
                                      : FieldErrors{};
    }
    for (const auto* bars : {"prices", "series"}) {
        if (!body.contains(bars)) continue;
        if (!takes_bars)
            return idle(bars, "The prices come from the job in \"job_id\": omit them.");
        return body.contains("last") ? idle("last", "All new bars are replayed: omit it.")
                                     : FieldErrors{};
    }
    for (const auto* member : {"format", "columns", "symbol"})
        if (body.contains(member)) return idle(member, "It only applies to new prices: omit it.");
    return {};
}

}  // namespace

tl::expected<engine::SymbolPrices, FieldErrors> one_symbol(const json& body,
                                                           const engine::PriceReading& reading) {
    const char* where = body.contains("prices") ? "/prices" : "/series";
    TRY(auto symbols, read_given_prices(body, reading));
    if (symbols.size() != 1) {
        return tl::unexpected(one_error(where, "one_symbol",
                                        "Send the prices of exactly one symbol, not of " +
                                            std::to_string(symbols.size()) + "."));
    }
    auto& prices = symbols.front();
    if (!prices.ok()) {
        return tl::unexpected(
            one_error(where, "invalid_prices", error_text(prices.errors, prices.error_count)));
    }
    return std::move(prices);
}

tl::expected<Subject, FieldErrors> subject_of(json body, const JobItem* item,
                                              std::initializer_list<const char*> own,
                                              bool takes_bars) {
    if (auto idle = members_without_effect(body, item, takes_bars); !idle.empty())
        return tl::unexpected(std::move(idle));
    for (const char* member : own) body.erase(member);
    json args = body;
    if (item != nullptr) {
        args = json::parse(item->args, nullptr, false);
        if (!args.is_object()) {
            return tl::unexpected(
                one_error("/job_id", "damaged", "The job's arguments are corrupt."));
        }
        args.update(body);
    }
    args.erase("prices");
    args.erase("series");
    TRY(auto request, parse_request(args));
    TRY(auto prices, item != nullptr ? symbol_of(*item, request.reading.zone)
                                     : one_symbol(body, request.reading));
    return Subject{std::move(request), std::move(prices)};
}

}  // namespace plimsoll::jobs::waves

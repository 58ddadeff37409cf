#pragma once

#include "engine/waves/series/price_reader.hpp"
#include "engine/waves/settings/keys.hpp"
#include "server/jobs/kind.hpp"
#include "server/kinds/waves/contract/limits.hpp"

#include <set>

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::waves {

// The arguments of a job, except the prices themselves.
struct Request {
    std::string preset;
    nlohmann::json given = nlohmann::json::object();  // settings, as sent
    engine::Settings settings;
    std::vector<engine::KeyNote> notes;  // settings without effect, with the reason
    engine::PriceReading reading;
    std::set<std::string> symbols;  // only these; empty: all
};

// Prices from "prices" or "series", exactly one of which must be given.
tl::expected<std::vector<engine::SymbolPrices>, FieldErrors> read_given_prices(
    const nlohmann::json& args, const engine::PriceReading& reading);

// Also reads the args of a plan.
tl::expected<Request, FieldErrors> parse_request(const nlohmann::json& args);

// Of prices that are not one text.
FieldErrors format_without_prices();

FieldErrors one_error(std::string pointer, std::string rule, std::string message);

}  // namespace plimsoll::jobs::waves

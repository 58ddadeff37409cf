#include "server/kinds/waves/contract/failed_rows.hpp"

#include "server/base/json_writer.hpp"

#include <algorithm>

namespace plimsoll::jobs::waves {

std::string row_head(std::int64_t index, const std::string& symbol) {
    std::string out = "{\"index\":" + std::to_string(index) + ",\"symbol\":";
    append_json_string(out, symbol);
    return out;
}

std::string failed_row(std::int64_t index, const std::string& symbol, std::string_view code,
                       std::string_view message) {
    std::string out = row_head(index, symbol);
    for (const char* member :
         {"bars",        "date_start",        "date_end",    "live",        "live_expects",
          "live_target", "live_invalidation", "rule_name",   "direction",   "score",
          "rarity",      "p_value",           "verdict",     "count_start", "count_end",
          "expects",     "invalidation",      "invalidated", "target",      "valid",
          "complete"}) {
        out += std::string(",\"") + member + "\":null";
    }
    out += ",\"error_code\":";
    append_json_string(out, code);
    out += ",\"error\":";
    append_json_string(out, message);
    return out + ",\"report\":null,\"prices\":null,\"close_ups\":[]}\n";
}

std::string error_text(std::span<const engine::RowError> errors, std::uint64_t count) {
    constexpr std::size_t kNamed = 3;
    std::string out;
    for (std::size_t i = 0; i < std::min(errors.size(), kNamed); ++i) {
        if (i > 0) out += ' ';
        if (errors[i].line > 0) out += "Line " + std::to_string(errors[i].line) + ": ";
        out += errors[i].message;
    }
    if (count > kNamed) out += " And " + std::to_string(count - kNamed) + " more.";
    return out;
}

Result<std::string> failed_rows(std::string_view /*args*/, std::string_view input,
                                std::string_view reason) {
    TRY(const auto slice, unpack_slice(input));
    if (slice.share == Share::surrogates) return std::string();
    std::string rows;
    std::int64_t index = slice.first;
    for (const auto& prices : slice.symbols) {
        rows += prices.ok() ? failed_row(index, prices.series.symbol, "quarantined", reason)
                            : failed_row(index, prices.series.symbol, "invalid_prices",
                                         error_text(prices.errors, prices.error_count));
        ++index;
    }
    return rows;
}

}  // namespace plimsoll::jobs::waves

#include "engine/waves/series/price_reader.hpp"

#include "engine/waves/series/price_records.hpp"

namespace plimsoll::waves {

void PriceRecords::fail(std::uint64_t line, std::string message) {
    rows_.fail(reading_.symbol, line, std::move(message));
}

Result<std::vector<SymbolPrices>> read_prices(std::string_view bytes, PriceFormat format,
                                              const PriceReading& reading) {
    constexpr std::string_view kMark = "\xEF\xBB\xBF";
    if (bytes.starts_with(kMark)) bytes.remove_prefix(kMark.size());
    auto records = format == PriceFormat::csv
                       ? read_csv(bytes, reading)
                       : Result<std::unique_ptr<PriceRecords>>(read_json_lines(bytes, reading));
    if (!records) return fail(records.error());
    auto symbols = (*records)->take();
    if (symbols.empty()) return fail(Errc::invalid_input, "The file has no prices.");
    return symbols;
}

}  // namespace plimsoll::waves

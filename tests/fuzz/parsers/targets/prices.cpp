// Files of prices, CSV and JSON lines.
#include "engine/waves/series/price_reader.hpp"
#include "tests/fuzz/parsers/targets.hpp"

namespace plimsoll::fuzz {

// The first byte chooses the format, and whether the file's name is the symbol.
void give_prices(std::string_view text) {
    if (text.empty()) return;
    const auto choice = static_cast<unsigned char>(text[0]);
    text.remove_prefix(1);
    waves::PriceReading reading;
    if ((choice & 2) != 0) reading.symbol = "XAU";
    const auto format =
        (choice & 1) != 0 ? waves::PriceFormat::json_lines : waves::PriceFormat::csv;
    const auto symbols = waves::read_prices(text, format, reading);
    if (!symbols) ensure(!symbols.error().message.empty());
}

}  // namespace plimsoll::fuzz

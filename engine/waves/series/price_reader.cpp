#include "engine/waves/series/price_reader.hpp"

#include "engine/base/closest.hpp"
#include "engine/base/format_number.hpp"
#include "engine/waves/series/encodings.hpp"
#include "engine/waves/series/price_records.hpp"

#include <vector>

namespace plimsoll::waves {

void PriceRecords::fail(std::uint64_t line, std::string message) {
    rows_.fail(reading_.symbol, line, std::move(message));
}

Result<std::vector<SymbolPrices>> read_prices(std::string_view bytes, PriceFormat format,
                                              const PriceReading& reading, std::string* told) {
    constexpr std::string_view kMark = "\xEF\xBB\xBF";
    if (bytes.starts_with(kMark)) bytes.remove_prefix(kMark.size());
    InUtf8 other;
    if (format == PriceFormat::csv && !is_utf8(bytes)) {
        TRY(other, in_utf8(bytes));
        bytes = other.text;
    }
    auto before = other.encoding;
    TRY(auto records,
        format == PriceFormat::csv ? read_csv(bytes, reading) : read_json(bytes, reading, before));
    auto symbols = records->take();
    if (told != nullptr)
        *told = before + (before.empty() || records->told().empty() ? "" : ", ") + records->told();
    for (const auto& prices : symbols)
        if (told != nullptr && prices.newest_first && told->find("newest") == std::string::npos)
            *told += (told->empty() ? "" : ", ") + std::string("newest first");
    if (symbols.empty()) return fail(Errc::invalid_input, "The file has no prices.");
    return symbols;
}

PriceFormat format_of_prices(std::string_view bytes) {
    const auto first = bytes.find_first_not_of("\xEF\xBB\xBF \t\r\n");
    const bool json =
        first != std::string_view::npos && (bytes[first] == '{' || bytes[first] == '[');
    return json ? PriceFormat::json_lines : PriceFormat::csv;
}

namespace {

constexpr std::size_t kMaxNamed = 10;
constexpr std::size_t kMaxCompared = 2000;  // a suggestion must not cost more than the reading

}  // namespace

std::string unknown_symbols(const std::set<std::string>& missing,
                            const std::set<std::string>& known) {
    std::string text = missing.size() == 1 ? "There is no symbol " : "There are no symbols ";
    std::size_t named = 0;
    for (const auto& symbol : missing) {
        if (named == kMaxNamed) break;
        text += (named++ == 0 ? "\"" : ", \"") + symbol + "\"";
    }
    if (named < missing.size())
        text += " and " + format_count(static_cast<std::int64_t>(missing.size() - named)) + " more";
    text += ".";
    if (missing.size() == 1 && known.size() <= kMaxCompared)
        text +=
            did_you_mean(*missing.begin(), std::vector<std::string>(known.begin(), known.end()));
    return text;
}

}  // namespace plimsoll::waves

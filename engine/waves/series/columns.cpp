#include "engine/waves/series/columns.hpp"

#include "engine/base/closest.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace plimsoll::waves {
namespace {

// Without a number in front and a unit behind: "4. close" and "4b. close (USD)" of Alpha Vantage.
std::string_view without_number_and_unit(std::string_view name) {
    const auto digits = std::min(name.find_first_not_of("0123456789"), name.size());
    const auto point = name.find(". ");
    if (digits > 0 && point != std::string_view::npos && point <= digits + 1)
        name.remove_prefix(point + 2);
    const auto unit = name.rfind(" (");
    if (name.ends_with(')') && unit != std::string_view::npos && unit > 0)
        name.remove_suffix(name.size() - unit);
    return name;
}

// In lower case, without blanks around, the brackets of MetaTrader ("<CLOSE>") and the stars of
// footnotes ("Close**"), and with blanks for underscores.
std::string simple(std::string_view name) {
    const auto around = [](char c) {
        return std::string_view(" \t\r<>*").find(c) != std::string_view::npos;
    };
    while (!name.empty() && around(name.front())) name.remove_prefix(1);
    while (!name.empty() && around(name.back())) name.remove_suffix(1);
    std::string out(without_number_and_unit(name));
    bool accented = false;  // after 0xC3, where UTF-8 has À to Þ
    for (char& c : out) {
        const auto byte = static_cast<unsigned char>(c);
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
        if (c == '_') c = ' ';
        if (accented && byte >= 0x80 && byte <= 0x9E) c = static_cast<char>(byte + 0x20);
        accented = byte == 0xC3;
    }
    return out;
}

// The usual names, the likeliest first.
constexpr std::array<std::string_view, kColumns> kKnownNames = {
    "symbol|ticker|name|instrument|isin|symbole|símbolo|simbolo|security",
    "date|datetime|timestamp|dtyyyymmdd|time|open time|day|snapped at|observation date|"
    "trade date|exchange date|tradedate|datum|zeit|zeitpunkt|fecha|data|unix|unix timestamp|"
    "window start|ts event|tarih|Дата|날짜|일자|日期|日付|t",
    "time|zeit|uhrzeit|heure|hora|ora",
    "year|jahr|année|annee|año|ano|anno",
    "month|monat|mois|mes|mês|mese",
    "open|open price|opening price|px open|eröffnung|eröffn.|eröffnungskurs|erster|ouverture|"
    "ouv.|ouv|apertura|abertura|eerste|openen|otwarcie|açılış|Откр.|시가|開盤|開盤價|开盘|开盘价|"
    "始値|o",
    "high|high price|px high|hoch|höchst|höchstkurs|tageshoch|haut|plus "
    "haut|yüksek|max.|Макс.|고가|"
    "máximo|máxima|massimo|hoog|najwyzszy|najwyższy|最高|最高价|最高價|高値|h",
    "low|low price|px low|min.|düşük|Мин.|저가|tief|tiefst|tiefstkurs|tagestief|bas|plus "
    "bas|mínimo|"
    "mínima|minimo|laag|najnizszy|najniższy|最低|最低价|最低價|安値|l",
    "close|close/last|close price|closing price|price|last|last price|px "
    "last|latest|settle|ostatnio|"
    "settlement|settlement price|kapanış|Şimdi|Цена|종가|laatst|schluss|schlusskurs|zuletzt|"
    "letzter|kurs|clôture|cloture|clot|dernier|cierre|último|ultimo|chiusura|fechamento|slot|"
    "laatste|zamkniecie|zamknięcie|收盘|收盘价|收盤|收盤價|終値|adj close|adj. close|value|c",
};

bool is_word_of(std::string_view words, std::string_view word) {
    while (!words.empty()) {
        const auto one = words.substr(0, words.find('|'));
        if (one == word) return true;
        words.remove_prefix(std::min(one.size() + 1, words.size()));
    }
    return false;
}

std::optional<std::size_t> place_of(std::span<const std::string> names, std::string_view known) {
    while (!known.empty()) {
        const auto one = known.substr(0, known.find('|'));
        known.remove_prefix(std::min(one.size() + 1, known.size()));
        const auto found =
            std::ranges::find_if(names, [&](const std::string& n) { return simple(n) == one; });
        if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
    }
    return {};
}

// By its name, or as "#2".
std::optional<std::size_t> chosen_place(std::span<const std::string> names,
                                        const std::string& chosen) {
    const auto found = std::ranges::find(names, chosen);
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
    std::size_t number = 0;
    const auto* end = chosen.data() + chosen.size();
    if (!chosen.starts_with('#') || std::from_chars(chosen.data() + 1, end, number).ptr != end)
        return {};
    return number >= 1 && number <= names.size() ? std::optional(number - 1) : std::nullopt;
}

// With the columns that there are, as long as that is readable.
Error no_column(const std::string& name, std::span<const std::string> names) {
    constexpr std::size_t kMax = 20;
    const std::vector<std::string> known(names.begin(), names.end());
    std::string list;
    for (const auto& one : known) {
        if (list.size() > kMax * 20) {
            list += ", …";
            break;
        }
        list += (list.empty() ? "" : ", ") + in_quotes(one);
    }
    return {Errc::invalid_input,
            "There is no column \"" + name + "\"." + did_you_mean(name, known) +
                " The columns are: " + list + ".",
            {}};
}

}  // namespace

Result<ColumnMap> map_columns(std::span<const std::string> names, const PriceReading& reading) {
    const std::string none;
    const std::array<const std::string*, kColumns> chosen = {&reading.symbol_column,
                                                             &reading.date_column,
                                                             &none,
                                                             &none,
                                                             &none,
                                                             &reading.open_column,
                                                             &reading.high_column,
                                                             &reading.low_column,
                                                             &reading.close_column};
    ColumnMap map;
    for (std::size_t c = 0; c < kColumns; ++c) {
        if (chosen[c]->empty()) {
            map.at[c] = place_of(names, kKnownNames[c]);
            continue;
        }
        map.at[c] = chosen_place(names, *chosen[c]);
        if (!map.at[c]) return fail(no_column(*chosen[c], names));
    }
    auto& close = map.at[static_cast<std::size_t>(Column::close)];
    const auto date = map[Column::date];
    // A date and one more column, whatever its name: a series of FRED.
    const bool others = map[Column::open] || map[Column::high] || map[Column::low];
    if (!close && names.size() == 2 && date && !others) close = 1 - *date;
    if (!close) return fail(no_column("close", names));
    auto& time = map.at[static_cast<std::size_t>(Column::time)];
    if (time == date || !date) time.reset();
    auto& year = map.at[static_cast<std::size_t>(Column::year)];
    auto& month = map.at[static_cast<std::size_t>(Column::month)];
    const bool day = !date || (reading.date_column.empty() &&
                               is_word_of("day|tag|jour|día|dia|giorno", simple(names[*date])));
    if (!year || !month || !day) {
        year.reset();
        month.reset();
    }
    return map;
}

bool names_close(std::string_view name) {
    return is_word_of(kKnownNames[static_cast<std::size_t>(Column::close)], simple(name));
}

bool names_price(std::string_view name) {
    const auto prices = std::span(kKnownNames).subspan(static_cast<std::size_t>(Column::open));
    return std::ranges::any_of(
        prices, [name = simple(name)](auto words) { return is_word_of(words, name); });
}

std::size_t known_names(std::string_view line) {
    std::array<bool, kColumns> found{};
    while (!line.empty()) {
        const auto end = std::min(line.find_first_of(",;|\t\""), line.size());
        const auto name = simple(line.substr(0, end));
        for (std::size_t c = 0; c < kColumns; ++c)
            found[c] = found[c] || (!name.empty() && is_word_of(kKnownNames[c], name));
        line.remove_prefix(std::min(end + 1, line.size()));
    }
    return static_cast<std::size_t>(std::ranges::count(found, true));
}

namespace {

constexpr std::string_view kMissing = "|null|n/a|none|nan|na|-|.|--|";

// Without blanks, a currency's sign in front or behind, and the spaces between thousands.
std::string bare(std::string_view text) {
    std::string out;
    for (const char c : text) {
        const bool number = (c >= '0' && c <= '9') || c == '.' || c == ',' || c == '-' || c == '+';
        if (number) out += c;
    }
    return out;
}

bool has_letters(std::string_view text) {
    return std::ranges::any_of(text, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '%' || c == ':' || c == '/';
    });
}

// "USD 12.50", "12.50 EUR" and "12.50p" without the currency.
std::string_view without_currency(std::string_view text) {
    constexpr std::string_view kCodes =
        "USD EUR GBP GBX JPY CHF CAD AUD NZD CNY HKD SGD TWD KRW INR BRL MXN ZAR SEK NOK DKK PLN "
        "CZK HUF TRY RUB ILS THB IDR";
    const auto is_code = [&](std::string_view code) { return kCodes.find(code) % 4 == 0; };
    constexpr std::size_t kLong = 3;
    if (text.size() > 1 && text.ends_with('p') && text[text.size() - 2] >= '0' &&
        text[text.size() - 2] <= '9')
        text.remove_suffix(1);
    if (text.size() <= kLong) return text;
    if (is_code(text.substr(0, kLong))) text.remove_prefix(kLong);
    if (text.size() > kLong && is_code(text.substr(text.size() - kLong))) text.remove_suffix(kLong);
    return text;
}

// Groups of three digits, the first of up to three.
bool is_grouped(std::string_view digits, char between) {
    if (digits.starts_with('-') || digits.starts_with('+')) digits.remove_prefix(1);
    bool first = true;
    while (true) {
        const auto end = digits.find(between);
        const auto group = digits.substr(0, end);
        if (group.empty() || group.size() > 3 || (!first && group.size() != 3)) return false;
        if (end == std::string_view::npos) return !first;
        digits.remove_prefix(end + 1);
        first = false;
    }
}

}  // namespace

Decimals decimals_of(std::string_view text) {
    text = without_currency(text);
    const auto number = has_letters(text) ? std::string() : bare(text);
    const auto commas = std::ranges::count(number, ','), points = std::ranges::count(number, '.');
    const auto comma = number.rfind(','), point = number.rfind('.');
    if (commas > 0 && points > 0) return comma > point ? Decimals::comma : Decimals::point;
    if (commas > 1) return Decimals::point;
    if (points > 1) return Decimals::comma;
    if (commas == 1) return is_grouped(number, ',') ? Decimals::either : Decimals::comma;
    if (points == 1) return is_grouped(number, '.') ? Decimals::unknown : Decimals::point;
    return Decimals::unknown;
}

std::optional<double> parse_price(std::string_view text, bool decimal_comma) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r'))
        text.remove_suffix(1);
    if (text.empty()) return std::nan("");
    double value = 0;
    const auto read = [&](std::string_view digits) {
        const auto [end, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), value);
        // "nan" and "inf" are numbers to from_chars, but no prices.
        return error == std::errc() && end == digits.data() + digits.size() && std::isfinite(value);
    };
    if (!decimal_comma && read(text)) return value;
    if (text.starts_with("#N/A") ||  // "#N/A N/A", "#N/A Requesting Data…"
        (text.size() <= 4 && kMissing.find("|" + simple(text) + "|") != std::string_view::npos))
        return std::nan("");
    text = without_currency(text);
    if (has_letters(text)) return {};
    auto number = bare(text);
    const char decimal = decimal_comma ? ',' : '.', between = decimal_comma ? '.' : ',';
    const auto end = number.find(decimal);
    const auto whole = number.substr(0, end);
    if (whole.find(between) != std::string::npos && !is_grouped(whole, between)) return {};
    std::erase(number, between);
    if (decimal_comma) std::ranges::replace(number, ',', '.');
    return read(number) ? std::optional(value) : std::nullopt;
}

std::string in_quotes(std::string_view field) {
    constexpr std::size_t kLongest = 60;
    std::size_t end = field.size();
    if (end > kLongest) {
        end = kLongest;
        while (end > 0 && (static_cast<unsigned char>(field[end]) & 0xC0) == 0x80) --end;
    }
    return "\"" + std::string(field.substr(0, end)) + (end < field.size() ? "…\"" : "\"");
}

}  // namespace plimsoll::waves

#include "server/kinds/waves/contract/slices.hpp"

#include "engine/text/packing.hpp"
#include "engine/text/utf8.hpp"
#include "engine/waves/series/price_reader.hpp"
#include "server/base/gzip.hpp"
#include "server/kinds/waves/contract/cost.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>
#include <utility>

// A slice is its share (u8), its first surrogate and their number (u32 each), the place of its
// first symbol (i64), the number of symbols (u32), then the symbols: name, number of errors (u64),
// the kept ones (u32; line u64 and message each), flags (1: closes only, 2: dates), zone, bars
// (u64), then the columns (dates i64, prices f64). Packed with gzip.
namespace plimsoll::jobs::waves {
namespace {

constexpr std::uint8_t kCloseOnly = 1;
constexpr std::uint8_t kDated = 2;

using text::pack_integer;
using text::pack_string;
using text::unpack_integer;
using text::unpack_string;

// Close-only series have four equal columns: one is stored.
template <class S>
auto price_columns(S& series) {
    using Column = decltype(&series.close);
    return series.close_only
               ? std::vector<Column>{&series.close}
               : std::vector<Column>{&series.open, &series.high, &series.low, &series.close};
}

void pack(std::string& out, const engine::SymbolPrices& prices) {
    const engine::Series& series = prices.series;
    pack_string(out, series.symbol);
    pack_integer(out, prices.error_count);
    pack_integer(out, static_cast<std::uint32_t>(prices.errors.size()));
    for (const auto& error : prices.errors) {
        pack_integer(out, error.line);
        pack_string(out, error.message);
    }
    const bool whole = prices.ok();  // the bars of a broken symbol are not used
    const bool dated = whole && !series.time.empty();
    pack_integer(out, static_cast<std::uint8_t>((series.close_only ? kCloseOnly : 0) |
                                                (dated ? kDated : 0)));
    pack_string(out, series.zone.name());
    pack_integer(out, static_cast<std::uint64_t>(whole ? series.size() : 0));
    if (!whole) return;
    for (const auto time : series.time) pack_integer(out, time);
    for (const auto* column : price_columns(series))
        for (const double price : *column) pack_integer(out, std::bit_cast<std::uint64_t>(price));
}

bool unpack_errors(std::string_view& rest, engine::SymbolPrices& prices) {
    std::uint32_t kept = 0;
    if (!unpack_integer(rest, prices.error_count) || !unpack_integer(rest, kept)) return false;
    for (std::string_view message; kept > 0; --kept) {
        auto& error = prices.errors.emplace_back();
        if (!unpack_integer(rest, error.line) || !unpack_string(rest, message)) return false;
        error.message = message;
    }
    return true;
}

bool unpack(std::string_view& rest, engine::SymbolPrices& prices) {
    engine::Series& series = prices.series;
    std::string_view symbol;
    std::string_view zone;
    std::uint8_t flags = 0;
    std::uint64_t bars = 0;
    if (!unpack_string(rest, symbol) || !unpack_errors(rest, prices) ||
        !unpack_integer(rest, flags) || !unpack_string(rest, zone) || !unpack_integer(rest, bars) ||
        bars > rest.size()) {
        return false;
    }
    const auto there = engine::Zone::named(zone);
    if (!there) return false;
    series.zone = *there;
    series.symbol = symbol;
    series.close_only = (flags & kCloseOnly) != 0;
    series.time.resize((flags & kDated) != 0 ? bars : 0);
    for (auto& time : series.time)
        if (!unpack_integer(rest, time)) return false;
    for (auto* column : price_columns(series)) {
        column->resize(bars);
        for (double& price : *column) {
            std::uint64_t bits = 0;
            if (!unpack_integer(rest, bits)) return false;
            price = std::bit_cast<double>(bits);
        }
    }
    if (series.close_only) series.open = series.high = series.low = series.close;
    return true;
}

void refuse_long_name(engine::SymbolPrices& prices) {
    std::string& name = prices.series.symbol;
    if (name.size() <= kLongestSymbol) return;
    name = std::string(text::utf8_prefix(name, kLongestSymbol / 4)) + "…";
    prices.errors.insert(
        prices.errors.begin(),
        {0, "The symbol's name is longer than " + std::to_string(kLongestSymbol) + " bytes."});
    ++prices.error_count;
}

std::size_t packed_bytes(const engine::SymbolPrices& prices) {
    return prices.series.size() * (prices.series.close_only ? 16 : 40);
}

// Keeps the requested symbols, in the order of the prices.
tl::expected<void, FieldErrors> select(std::vector<engine::SymbolPrices>& symbols,
                                       const std::set<std::string>& wanted) {
    if (wanted.empty()) return {};
    std::set<std::string> missing = wanted;
    for (const auto& it : symbols) missing.erase(it.series.symbol);
    if (!missing.empty()) {
        std::set<std::string> known;
        for (const auto& it : symbols) known.insert(it.series.symbol);
        return tl::unexpected(
            one_error("/symbols", "unknown_symbol", engine::unknown_symbols(missing, known)));
    }
    std::erase_if(symbols, [&](const auto& it) { return !wanted.contains(it.series.symbol); });
    return {};
}

// Everything but the symbols.
std::string pack_head(const Slice& slice, std::uint32_t symbols) {
    std::string head;
    pack_integer(head, static_cast<std::uint8_t>(slice.share));
    pack_integer(head, slice.first_surrogate);
    pack_integer(head, slice.surrogates);
    pack_integer(head, slice.first);
    pack_integer(head, symbols);
    return head;
}

// Cuts whole symbols.
class Cutter {
  public:
    explicit Cutter(const engine::Settings& settings) : settings_(settings) {}

    void add(engine::SymbolPrices prices) {
        const double seconds = predicted_seconds(prices, settings_);
        const std::size_t bytes = packed_bytes(prices);
        if (count_ > 0 && (count_ == kSymbolsATask || seconds_ + seconds > kSecondsATask ||
                           bytes_ + bytes > kBytesATask)) {
            end_task();
        }
        ++count_;
        seconds_ += seconds;
        bytes_ += bytes;
        pack(packed_, prices);
    }

    std::vector<TaskSpec> finish() {
        end_task();
        return std::move(tasks_);
    }

  private:
    void end_task() {
        Slice slice;
        slice.first = first_;
        tasks_.push_back({.input = gzip(pack_head(slice, count_) + packed_),
                          .items = static_cast<std::int64_t>(count_),
                          .estimated_seconds = seconds_});
        first_ += count_;
        packed_.clear();
        count_ = 0;
        seconds_ = 0;
        bytes_ = 0;
    }

    const engine::Settings& settings_;
    std::vector<TaskSpec> tasks_;
    std::string packed_;
    std::int64_t first_ = 0;
    std::uint32_t count_ = 0;
    double seconds_ = 0;
    std::size_t bytes_ = 0;
};

// How many tasks share the surrogates of a symbol.
std::uint32_t shares_of(double seconds, std::uint32_t surrogates, std::size_t packed_bytes,
                        std::size_t symbols) {
    const double max = std::max(
        1.0,
        std::min(kMaxShares / static_cast<double>(symbols),
                 kBytesOfShares / static_cast<double>(std::max<std::size_t>(1, packed_bytes))));
    const double wanted = std::min(max, std::ceil(seconds / kSecondsAShare));
    const double min = std::ceil(static_cast<double>(surrogates) / kSurrogatesAShare);
    return std::min(surrogates, static_cast<std::uint32_t>(std::max(wanted, min)));
}

// Whether the tasks of a job share the surrogates of symbols: few symbols, whose rows are one
// chunk, and enough work to be worth it.
bool shares_surrogates(std::span<const engine::SymbolPrices> symbols,
                       const engine::Settings& settings) {
    if (settings.surrogates < 2 || symbols.size() > kSymbolsATask) return false;
    double longest = 0;
    std::size_t bytes = 0;
    std::size_t rows = 0;
    for (const auto& prices : symbols) {
        if (prices.ok()) longest = std::max(longest, surrogate_seconds(prices, settings));
        bytes += packed_bytes(prices);
        rows += predicted_row_bytes(prices, settings);
    }
    return longest >= 2 * kSecondsAShare && (symbols.size() == 1 || bytes <= kBytesATask) &&
           rows <= kBytesOfDrafts;
}

std::vector<TaskSpec> share_surrogates(std::span<const engine::SymbolPrices> symbols,
                                       const engine::Settings& settings) {
    std::vector<TaskSpec> tasks;
    std::string all;
    double search = 0;
    const auto total = static_cast<std::uint32_t>(settings.surrogates);
    for (std::size_t s = 0; s < symbols.size(); ++s) {
        const auto& prices = symbols[s];
        std::string packed;
        pack(packed, prices);
        const std::string member = gzip(packed);
        all += member;
        const double seconds = surrogate_seconds(prices, settings);
        const double once = predicted_seconds(prices, settings) - seconds;
        search += once;
        if (!prices.ok()) continue;
        const auto shares = shares_of(seconds, total, member.size(), symbols.size());
        for (std::uint32_t i = 0; i < shares; ++i) {
            const auto from = static_cast<std::uint32_t>(std::uint64_t{total} * i / shares);
            const auto to = static_cast<std::uint32_t>(std::uint64_t{total} * (i + 1) / shares);
            const Slice slice{.first = static_cast<std::int64_t>(s),
                              .share = Share::surrogates,
                              .first_surrogate = from,
                              .surrogates = to - from,
                              .symbols = {}};
            tasks.push_back({.input = gzip(pack_head(slice, 1)) + member,
                             .items = 0,
                             .estimated_seconds = once + seconds * (to - from) / total});
        }
    }
    const Slice slice{.first = 0, .share = Share::rows, .symbols = {}};
    const auto count = static_cast<std::uint32_t>(symbols.size());
    tasks.push_back({.input = gzip(pack_head(slice, count)) + all,
                     .items = static_cast<std::int64_t>(count),
                     .estimated_seconds = search});
    return tasks;
}

}  // namespace

tl::expected<std::vector<TaskSpec>, FieldErrors> cut_tasks(
    std::vector<engine::SymbolPrices> symbols, const Request& request, const std::string& where) {
    TRY_DO(select(symbols, request.symbols));
    if (symbols.empty())
        return tl::unexpected(one_error(where, "min_items", "There are no prices."));
    if (symbols.size() > kMaxSymbols) {
        return tl::unexpected(one_error(where, "max_items",
                                        "There are more than " + std::to_string(kMaxSymbols) +
                                            " symbols: name at most that many in \"symbols\"."));
    }
    for (auto& prices : symbols) refuse_long_name(prices);
    if (shares_surrogates(symbols, request.settings))
        return share_surrogates(symbols, request.settings);
    Cutter cutter(request.settings);
    for (auto& prices : symbols) cutter.add(std::move(prices));
    return cutter.finish();
}

Result<Slice> unpack_slice(std::string_view input, const std::optional<engine::Zone>& zone) {
    TRY(const auto unpacked, gunzip(input, kLargestInput));
    std::string_view rest = unpacked;
    Slice slice;
    std::uint8_t share = 0;
    std::uint32_t count = 0;
    bool good = unpack_integer(rest, share) && share <= static_cast<std::uint8_t>(Share::rows) &&
                unpack_integer(rest, slice.first_surrogate) &&
                unpack_integer(rest, slice.surrogates) && unpack_integer(rest, slice.first) &&
                unpack_integer(rest, count);
    slice.share = static_cast<Share>(share);
    for (; good && count > 0; --count) good = unpack(rest, slice.symbols.emplace_back());
    if (!good || !rest.empty()) return fail(Errc::corrupt, "A task's prices are corrupt.");
    if (zone)
        for (auto& prices : slice.symbols) prices.series.tell_times_in(*zone);
    return slice;
}

}  // namespace plimsoll::jobs::waves

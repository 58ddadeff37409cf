#include "server/jobs/waves/contract/slices.hpp"

#include "engine/text/packing.hpp"
#include "engine/text/utf8.hpp"
#include "server/base/gzip.hpp"
#include "server/jobs/waves/contract/cost.hpp"

#include <bit>
#include <utility>

// A slice is the place of its first symbol (i64), the number of symbols (u32), then the symbols:
// name, number of errors (u64), the kept ones (u32; line u64 and message each), flags (1: closes
// only, 2: dates), bars (u64), then the columns (dates i64, prices f64). Packed with gzip.
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
    const bool whole = prices.ok();  // nobody looks at the bars of a broken symbol
    const bool dated = whole && !series.time.empty();
    pack_integer(out, static_cast<std::uint8_t>((series.close_only ? kCloseOnly : 0) |
                                                (dated ? kDated : 0)));
    pack_integer(out, static_cast<std::uint64_t>(whole ? series.size() : 0));
    if (!whole) return;
    for (const auto time : series.time) pack_integer(out, time);
    for (const auto* column : price_columns(series)) {
        for (const double price : *column) pack_integer(out, std::bit_cast<std::uint64_t>(price));
    }
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
    std::uint8_t flags = 0;
    std::uint64_t bars = 0;
    if (!unpack_string(rest, symbol) || !unpack_errors(rest, prices) ||
        !unpack_integer(rest, flags) || !unpack_integer(rest, bars) || bars > rest.size()) {
        return false;
    }
    series.symbol = symbol;
    series.close_only = (flags & kCloseOnly) != 0;
    series.time.resize((flags & kDated) != 0 ? bars : 0);
    for (auto& time : series.time) {
        if (!unpack_integer(rest, time)) return false;
    }
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

FieldErrors unknown_symbol(const std::string& symbol) {
    return one_error("/symbols", "unknown_symbol", "There is no symbol \"" + symbol + "\".");
}

// Those that were asked for, in the order of the prices.
tl::expected<void, FieldErrors> select(std::vector<engine::SymbolPrices>& symbols,
                                       const std::set<std::string>& wanted) {
    if (wanted.empty()) return {};
    std::erase_if(symbols, [&](const auto& it) { return !wanted.contains(it.series.symbol); });
    std::set<std::string> missing = wanted;
    for (const auto& it : symbols) missing.erase(it.series.symbol);
    if (!missing.empty()) return tl::unexpected(unknown_symbol(*missing.begin()));
    return {};
}

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
        std::string head;
        pack_integer(head, first_);
        pack_integer(head, count_);
        tasks_.push_back({.input = gzip(head + packed_),
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

}  // namespace

tl::expected<std::vector<TaskSpec>, FieldErrors> cut_tasks(
    std::vector<engine::SymbolPrices> symbols, const Request& request, const std::string& where) {
    if (auto selected = select(symbols, request.symbols); !selected) {
        return tl::unexpected(std::move(selected.error()));
    }
    if (symbols.empty()) {
        return tl::unexpected(one_error(where, "min_items", "There are no prices."));
    }
    if (symbols.size() > kMostSymbols) {
        return tl::unexpected(one_error(where, "max_items",
                                        "There are more than " + std::to_string(kMostSymbols) +
                                            " symbols; name some in \"symbols\"."));
    }
    Cutter cutter(request.settings);
    for (auto& prices : symbols) {
        refuse_long_name(prices);
        cutter.add(std::move(prices));
    }
    return cutter.finish();
}

Result<Slice> unpack_slice(std::string_view input) {
    const auto unpacked = gunzip(input, kLargestInput);
    if (!unpacked) return fail(unpacked.error());
    std::string_view rest = *unpacked;
    Slice slice;
    std::uint32_t count = 0;
    bool good = unpack_integer(rest, slice.first) && unpack_integer(rest, count);
    for (; good && count > 0; --count) good = unpack(rest, slice.symbols.emplace_back());
    if (!good || !rest.empty()) return fail(Errc::corrupt, "A task's prices are damaged.");
    return slice;
}

}  // namespace plimsoll::jobs::waves

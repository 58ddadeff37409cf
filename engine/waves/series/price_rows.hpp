#pragma once

#include "engine/waves/series/series.hpp"

#include <cmath>
#include <map>
#include <optional>
#include <string_view>

namespace plimsoll::waves {

// A row that breaks a rule. It fails its symbol, since counts over missing bars would be silently
// wrong; other symbols continue.
struct RowError {
    std::uint64_t line = 0;  // in the file, from 1
    std::string message;     // a full sentence for people
};

// Suspicious properties of a series whose rows are all well-formed.
struct SeriesFlags {
    std::uint64_t outside = 0;        // bars whose open or close is outside [low, high]
    std::uint64_t gaps = 0;           // time steps of more than 5 usual steps
    std::int64_t longest_gap = 0;     // seconds
    std::vector<std::size_t> splits;  // bars that open at a round fraction or multiple of the
                                      // previous close, as after an unadjusted split
};

struct SymbolPrices {
    Series series;
    std::vector<RowError> errors;  // the first kKeptErrors
    std::uint64_t error_count = 0;
    SeriesFlags flags;
    bool newest_first = false;  // in the file; the series is oldest first

    bool ok() const { return error_count == 0; }
};

inline constexpr std::size_t kKeptErrors = 20;

// One row as read. Missing prices are NaN.
struct PriceRow {
    std::uint64_t line = 0;
    std::optional<std::int64_t> time = {};
    std::optional<std::int64_t> time_again = {};  // where clocks went back: the second instant,
                                                  // used when the first one is taken
    std::optional<zones::Zone> zone = {};         // named by the row
    double open = std::nan(""), high = std::nan(""), low = std::nan(""), close = std::nan("");
};

// Collects rows into series, symbols in the order they first appear, and checks every row:
// positive finite prices, a close, high and low together or not at all, high at least low, dates
// that strictly rise, or strictly fall, and are there for all bars or for none.
class PriceRows {
  public:
    // Errors and series use times in `zone`; none: the zone that all rows of the symbol name, else
    // UTC.
    explicit PriceRows(const std::optional<zones::Zone>& zone) : zone_(zone) {}

    void add(std::string_view symbol, const PriceRow& row);
    void fail(std::string_view symbol, std::uint64_t line, std::string message);
    // Flags what is suspicious; the collection is empty afterwards.
    std::vector<SymbolPrices> take();
    std::size_t symbols() const { return symbols_.size(); }

  private:
    SymbolPrices& of(std::string_view symbol);
    void note_zone(Series& series, const PriceRow& row) const;
    std::string broken_date(const SymbolPrices& prices, const PriceRow& row) const;

    std::optional<zones::Zone> zone_;
    std::vector<SymbolPrices> symbols_;
    std::map<std::string, std::size_t, std::less<>> index_;
    std::size_t last_ = 0;  // rows of one symbol are mostly consecutive
};

SeriesFlags flag(const Series& series);

}  // namespace plimsoll::waves

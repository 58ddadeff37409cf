#pragma once

#include "engine/waves/series/columns.hpp"

#include <memory>

#include <nlohmann/json_fwd.hpp>

namespace plimsoll::waves {

// Reads prices record by record: read_prices() without the whole file in memory.
class PriceRecords {
  public:
    virtual ~PriceRecords() = default;

    // One raw record of the file, without its line end. Broken ones are errors of their symbol.
    virtual void add(std::string_view record, std::uint64_t line) = 0;
    // A record that could not be read; its symbol is unknown.
    void fail(std::uint64_t line, std::string message);
    // Returns the series so far; the collection is empty afterwards.
    std::vector<SymbolPrices> take() {
        finish();
        return rows_.take();
    }
    // What is unusual about the file, in words, once its first rows are read; empty: nothing.
    virtual std::string told() const { return {}; }
    std::size_t symbols() const { return rows_.symbols(); }

  protected:
    explicit PriceRecords(PriceReading reading)
        : reading_(std::move(reading)), rows_(reading_.zone) {}

    virtual void finish() {}

    PriceReading reading_;
    PriceRows rows_;
};

// CSV with these column names, or with these first values. A single name that holds other
// separators is a header separated by those. Fails when a chosen column is missing or there is no
// close.
Result<std::unique_ptr<PriceRecords>> csv_price_records(std::span<const std::string> header,
                                                        PriceReading reading);
// JSON lines: one object per bar, or one object per symbol whose members are arrays.
std::unique_ptr<PriceRecords> json_price_records(PriceReading reading);

// The same for a whole file.
Result<std::unique_ptr<PriceRecords>> read_csv(std::string_view bytes, PriceReading reading);
// JSON lines, one list of such objects, or another document with prices (see json_document.hpp).
Result<std::unique_ptr<PriceRecords>> read_json(std::string_view bytes, PriceReading reading,
                                                std::string& told);

// One such object; `line` is used in errors.
void add_json_prices(const nlohmann::json& object, const PriceReading& reading, std::uint64_t line,
                     PriceRows& rows);

}  // namespace plimsoll::waves

#pragma once

#include "server/kinds/waves/contract/request.hpp"

// The input of a task: packed symbols, and how to search them.
namespace plimsoll::jobs::waves {

// Most jobs have many symbols, and a task does everything for some of them. If a few symbols have
// many surrogates, tasks share the surrogates of a symbol, and the last task writes all rows, which
// the merge completes.
enum class Share : std::uint8_t {
    whole,       // the symbols with all their surrogates
    surrogates,  // some surrogates of one symbol; has no items
    rows,        // all symbols of the job, without surrogates
};

struct Slice {
    std::int64_t first = 0;  // place of its first symbol in the job
    Share share = Share::whole;
    std::uint32_t first_surrogate = 0;  // for a part of them
    std::uint32_t surrogates = 0;
    std::vector<engine::SymbolPrices> symbols;
};

// Selects, checks and cuts the symbols of a job into tasks. `where` is the pointer of errors about
// the prices as a whole.
tl::expected<std::vector<TaskSpec>, FieldErrors> cut_tasks(
    std::vector<engine::SymbolPrices> symbols, const Request& request, const std::string& where);

// `zone`: the time zone of all series' times; none: as in their files.
Result<Slice> unpack_slice(std::string_view input, const std::optional<engine::Zone>& zone = {});

}  // namespace plimsoll::jobs::waves

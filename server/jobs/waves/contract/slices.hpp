#pragma once

#include "server/jobs/waves/contract/request.hpp"

// The input of a task: symbols, packed, and what to do with them.
namespace plimsoll::jobs::waves {

// Most jobs have many symbols, and their tasks do all for some of them. Where a few symbols have
// many surrogates, tasks share the surrogates of a symbol, and the last task writes the rows of
// all, which the merge completes.
enum class Share : std::uint8_t {
    whole,       // the symbols with all their surrogates
    surrogates,  // some surrogates of one symbol; has no items
    rows,        // all symbols of the job, without surrogates
};

struct Slice {
    std::int64_t first = 0;  // place of its first symbol in the job
    Share share = Share::whole;
    std::uint32_t first_surrogate = 0;  // where it has some of them
    std::uint32_t surrogates = 0;
    std::vector<engine::SymbolPrices> symbols;
};

// Selects, checks and cuts the symbols of a job into tasks. `where` is the pointer that complaints
// about the prices as a whole name.
tl::expected<std::vector<TaskSpec>, FieldErrors> cut_tasks(
    std::vector<engine::SymbolPrices> symbols, const Request& request, const std::string& where);

// `zone`: where all series tell their times; none: where their files do.
Result<Slice> unpack_slice(std::string_view input, const std::optional<engine::Zone>& zone = {});

}  // namespace plimsoll::jobs::waves

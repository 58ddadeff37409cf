#pragma once

#include "server/jobs/waves/contract/request.hpp"

// The input of a task: whole symbols, packed.
namespace plimsoll::jobs::waves {

struct Slice {
    std::int64_t first = 0;  // place of its first symbol in the job
    std::vector<engine::SymbolPrices> symbols;
};

// Selects, checks and cuts the symbols of a job into tasks. `where` is the pointer that complaints
// about the prices as a whole name.
tl::expected<std::vector<TaskSpec>, FieldErrors> cut_tasks(
    std::vector<engine::SymbolPrices> symbols, const Request& request, const std::string& where);

Result<Slice> unpack_slice(std::string_view input);

}  // namespace plimsoll::jobs::waves

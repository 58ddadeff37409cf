#pragma once

#include "server/jobs/kind.hpp"

#include <span>

// All job kinds. The list itself is server/kinds/kinds.inc: one line per kind.
namespace plimsoll::jobs {

std::span<const Contract> contracts();  // contracts.cpp, linked into plimsoll
std::span<const Run> runs();            // runs.cpp, linked into plimsoll-engine

const Contract* find_contract(std::string_view name);
const Run* find_run(std::string_view name, int version);

}  // namespace plimsoll::jobs

#pragma once

#include "server/jobs/kind.hpp"
#include "server/kinds/sentiment/contract/args.hpp"

#include <span>
#include <string>

namespace plimsoll::jobs::sentiment {

// See Run::shared_key: tasks with the same model in the same form share its batches.
std::string shared_key(const Args& args);

// See Run::run_together.
void run_together(std::span<SharedTask> tasks);

}  // namespace plimsoll::jobs::sentiment

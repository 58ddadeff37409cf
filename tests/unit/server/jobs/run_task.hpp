#pragma once

#include "server/jobs/job_args.hpp"

#include <string>
#include <string_view>

// A kind's run as a worker uses it, with the text of a plan's args.
namespace plimsoll::jobs {

inline Result<TaskOutput> run_task(const Run& run, const std::string& args, std::string_view input,
                                   RunContext& context) {
    const JobArgs parsed(args);
    const auto& found = parsed.parsed(run);
    return found ? run.run(*found, input, context) : fail(found.error());
}

inline Result<Merged> merge_tasks(const Run& run, const std::string& args,
                                  std::span<const std::string> partials) {
    const JobArgs parsed(args);
    const auto& found = parsed.parsed(run);
    return found ? run.merge(*found, partials) : fail(found.error());
}

}  // namespace plimsoll::jobs

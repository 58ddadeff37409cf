#include "server/jobs/job_args.hpp"

#include <exception>

namespace plimsoll::jobs {

const Result<std::any>& JobArgs::parsed(const Run& run) const {
    auto& parsed = shared_->parsed;
    if (parsed) return *parsed;
    try {
        parsed = run.parse(shared_->text);
    } catch (const std::exception& e) {
        parsed = fail(Errc::corrupt, std::string("The job's arguments are corrupt: ") + e.what());
    }
    return *parsed;
}

}  // namespace plimsoll::jobs

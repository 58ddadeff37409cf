#include "server/worker/base/processor_wait.hpp"

#include <algorithm>
#include <fstream>
#include <system_error>

namespace plimsoll::worker {

using std::chrono::nanoseconds;

// The second number of schedstat (Linux, Documentation/scheduler/sched-stats): time on a run queue.
ProcessorWait::Waits ProcessorWait::read() const {
    Waits waits;
    std::error_code unknown;
    for (const auto& thread : std::filesystem::directory_iterator(threads_, unknown)) {
        std::ifstream in(thread.path() / "schedstat");
        nanoseconds::rep ran = 0;
        nanoseconds::rep waited = 0;
        if (in >> ran >> waited) waits[thread.path().filename()] = nanoseconds(waited);
    }
    return waits;
}

nanoseconds ProcessorWait::longest() const {
    nanoseconds longest{0};
    for (const auto& [thread, waited] : read()) {
        const auto found = before_.find(thread);
        longest =
            std::max(longest, waited - (found == before_.end() ? nanoseconds{0} : found->second));
    }
    return longest;
}

}  // namespace plimsoll::worker

#include "server/queue/job.hpp"

#include <array>

namespace plimsoll::queue {
namespace {

constexpr std::array<std::string_view, 8> kNames = {
    "blocked", "scheduled", "queued", "running", "cancelling", "succeeded", "failed", "cancelled"};

}  // namespace

std::string_view to_string(JobState state) {
    return kNames[static_cast<std::size_t>(state)];
}

std::optional<JobState> parse_job_state(std::string_view text) {
    for (std::size_t i = 0; i < kNames.size(); ++i) {
        if (kNames[i] == text) return static_cast<JobState>(i);
    }
    return std::nullopt;
}

}  // namespace plimsoll::queue

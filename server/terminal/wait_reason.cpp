#include "server/terminal/wait_reason.hpp"

#include "server/client/session.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <nlohmann/json.hpp>

namespace plimsoll::terminal {
namespace {

using namespace std::chrono_literals;

constexpr auto kPatience = 10s;  // before that, jobs ahead are not worth reporting
constexpr auto kPause = 15s;

// Reasons that do not pass with time alone, or only at a time that is known.
constexpr std::array<std::string_view, 8> kBlocking = {
    "no_device", "no_fit", "draining", "paused", "quota", "cap", "memory", "scheduled"};

}  // namespace

WaitReason::WaitReason(const CommandContext& context, std::string job_id)
    : context_(context), job_id_(std::move(job_id)) {}

void WaitReason::look(const std::string& state) {
    if ((state != "queued" && state != "scheduled") || Clock::now() < next_) return;
    next_ = Clock::now() + kPause;
    auto api = client::signed_in();
    if (!api) return;
    const auto wait = api->get_json("/v1/jobs/" + job_id_ + "/wait-reason");
    if (!wait) return;
    const auto reason = wait->value("reason", "");
    if (reason == said_ || reason == "running" || reason == "ended") return;
    const bool blocking = std::ranges::find(kBlocking, reason) != kBlocking.end();
    if (!blocking && Clock::now() < began_ + kPatience) return;
    said_ = reason;
    context_.terminal.note("Waiting: " + wait->value("detail", ""));
}

}  // namespace plimsoll::terminal

#include "server/webhooks/webhook.hpp"

#include <array>

#include <nlohmann/json.hpp>

namespace plimsoll::webhooks {

std::optional<std::chrono::milliseconds> pause_after(int attempt, double chance) {
    using namespace std::chrono_literals;
    constexpr std::array<std::chrono::milliseconds, kMaxAttempts - 1> kPauses = {
        2s, 15s, 1min, 5min, 30min, 2h, 8h};
    if (attempt < 1 || attempt >= kMaxAttempts) return std::nullopt;
    const auto pause = kPauses[static_cast<std::size_t>(attempt - 1)];
    return std::chrono::duration_cast<std::chrono::milliseconds>(pause * (1 + chance / 4));
}

std::string body_of(const Outgoing& notice) {
    auto data = nlohmann::ordered_json::parse(notice.data, nullptr, false);
    if (!data.is_object()) data = nlohmann::ordered_json::object();
    if (notice.job) {
        const auto id = plimsoll::to_public(*notice.job);
        const auto self = "/v1/jobs/" + id;
        data["id"] = id;
        data["links"] = {
            {"self", self}, {"report", self + "/report"}, {"results", self + "/results"}};
    }
    const nlohmann::ordered_json body = {{"type", notice.type},
                                         {"timestamp", to_rfc3339(notice.created_at)},
                                         {"data", std::move(data)}};
    return body.dump();
}

}  // namespace plimsoll::webhooks

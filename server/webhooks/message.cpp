#include "server/webhooks/message.hpp"

#include <nlohmann/json.hpp>

namespace plimsoll::webhooks {

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

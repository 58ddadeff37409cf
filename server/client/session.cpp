#include "server/client/session.hpp"

#include "server/client/api_client.hpp"
#include "server/client/credentials.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace plimsoll::client {
namespace {

constexpr std::size_t kLongestShortId = 8;
constexpr int kMaxPages = 25;  // of 200 jobs, newest first

}  // namespace

Result<ApiClient> signed_in() {
    TRY(auto credentials, load_credentials());
    return ApiClient(credentials.server, credentials.token);
}

std::string short_job_id(const std::string& id) {
    constexpr std::size_t kSequence = 8;  // digits: migrations/README.md
    const auto sequence = id.substr(id.size() - kSequence);
    return sequence.substr(std::min(sequence.find_first_not_of('0'), kSequence - 1));
}

Result<void> complete_job_id(ApiClient& api, std::string& job) {
    if (job.size() > kLongestShortId) return {};
    std::string cursor;
    for (int i = 0; i < kMaxPages; ++i) {
        TRY(const auto page,
            api.get_json("/v1/jobs?limit=200" + (cursor.empty() ? "" : "&cursor=" + cursor)));
        for (const auto& item : page.at("items")) {
            auto id = item.at("id").get<std::string>();
            if (short_job_id(id) != job) continue;
            job = std::move(id);
            return {};
        }
        const auto& next = page.at("next_cursor");
        if (next.is_null()) break;
        cursor = next.get<std::string>();
    }
    return fail(Errc::not_found, "None of the team's newest jobs has the short ID \"" + job +
                                     "\"; older ones need the whole ID.");
}

Result<ApiClient> signed_in(std::string& job) {
    auto api = signed_in();
    if (!api) return api;
    TRY_DO(complete_job_id(*api, job));
    return api;
}

Result<void> revoke(const std::string& server, const std::string& token) {
    ApiClient api(server, token);
    auto ended = api.send("DELETE", "/v1/tokens/current");
    if (!ended && ended.error().code != Errc::unauthenticated) return fail(ended.error());
    return {};
}

}  // namespace plimsoll::client

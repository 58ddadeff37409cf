#include "server/client/revoke.hpp"

#include "server/client/api_client.hpp"

namespace plimsoll::client {

Result<void> revoke(const std::string& server, const std::string& token) {
    ApiClient api(server, token);
    auto ended = api.send("DELETE", "/v1/tokens/current");
    if (!ended && ended.error().code != Errc::unauthenticated) return fail(ended.error());
    return {};
}

}  // namespace plimsoll::client

#include "server/client/session.hpp"

#include "server/client/credentials.hpp"

namespace plimsoll::client {

Result<ApiClient> signed_in() {
    auto credentials = load_credentials();
    if (!credentials) return fail(credentials.error());
    return ApiClient(credentials->server, credentials->token);
}

}  // namespace plimsoll::client

#include "server/client/session.hpp"

#include "server/client/credentials.hpp"

namespace plimsoll::client {

Result<ApiClient> signed_in() {
    auto credentials = load_credentials();
    if (!credentials) return fail(credentials.error());
    return ApiClient(credentials->server, credentials->token);
}

int report_error(const Session& session, const Error& error) {
    const std::string place = error.where.empty() ? "" : " (" + error.where + ")";
    session.terminal.note(session.terminal.paint(Style::bad, "Error: ") + error.message + place);
    switch (error.code) {
        case Errc::unauthenticated:
        case Errc::forbidden:
            return 3;
        case Errc::unavailable:
        case Errc::timeout:
        case Errc::exhausted:
            return 4;
        default:
            return 2;
    }
}

}  // namespace plimsoll::client

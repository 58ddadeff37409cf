#include "server/http/endpoints/jobs/reports.hpp"

#include "server/identity/secret.hpp"

namespace plimsoll::http::endpoints {

awaitable<LinkedReports::Opened> LinkedReports::open(const Call& call) {
    const auto& address = call.request.remote_address;
    const auto now = FailureLimit::Clock::now();
    auto hash = identity::hash_secret(identity::SecretKind::report_link,
                                      call.parameters.text("X-Report-Link").value_or(""));
    if (!hash) {
        throw Refused(limit_.refusal(address, now,
                                     {404, "X-Report-Link must be the secret of a report link."}));
    }
    auto opened = co_await store_.open(*hash);
    if (!opened && opened.error().code == Errc::not_found)
        throw Refused(limit_.refusal(address, now, opened.error()));
    if (!opened) throw Refused(opened.error());
    co_return Opened{std::move(*hash), std::move(*opened)};
}

}  // namespace plimsoll::http::endpoints

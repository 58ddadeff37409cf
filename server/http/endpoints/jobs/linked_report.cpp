#include "server/http/endpoints/jobs/linked_report.hpp"

#include "server/identity/secret.hpp"

namespace plimsoll::http::endpoints {

boost::asio::awaitable<Outcome<LinkedReports::Opened>> LinkedReports::open(const Call& call) {
    const auto& address = call.request.remote_address;
    const auto now = FailureLimit::Clock::now();
    if (auto may = limit_.admit(address, now); !may) co_return tl::unexpected(may.error());
    auto hash = identity::hash_secret(identity::SecretKind::report_link,
                                      call.parameters.text("X-Report-Link").value_or(""));
    auto opened =
        hash ? co_await store_.open(*hash)
             : Result<teams::LinkedReport>(tl::unexpected(Error{
                   Errc::not_found, "X-Report-Link must be the secret of a report link.", {}}));
    if (!opened) {
        if (opened.error().code == Errc::not_found) limit_.failed(address, now);
        co_return tl::unexpected<Problem>(opened.error());
    }
    co_return Opened{std::move(*hash), std::move(*opened)};
}

}  // namespace plimsoll::http::endpoints

#include "tests/unit/server/http/live/in_memory_server.hpp"

#include "server/kinds/operations.hpp"

#include <boost/asio/post.hpp>

namespace plimsoll::http::test {

InMemoryServer::InMemoryServer() {
    const Backends backends{
        .jobs = jobs_,
        .datasets = datasets_,
        .signals = signals_,
        .shares = shares_,
        .identity = identity_,
        .passwords = passwords_,
        .password_desk = password_desk_,
        .provider_desk = provider_desk_,
        .providers = providers_,
        .invitations = invitations_,
        .webhooks = webhooks_,
        .webhook_targets = webhook_targets_,
        .clock = clock_,
        .kinds = jobs::contracts(),
        .pool = pool_,
        .computing = pool_,
        .downloads = pool_,
        .records = records_,
        .planner = planner_,
        .schedules = schedules_,
        .baselines = baselines_,
        .saved_views = saved_views_,
        .report_links = report_links_,
        .audit = audit_,
        .answers = answers_,
        .kind_operations = [this](Handlers& handlers, const Draining& draining) {
            jobs::add_operations(handlers, {.jobs = jobs_,
                                            .signals = signals_,
                                            .records = records_,
                                            .shares = shares_,
                                            .audit = audit_,
                                            .planner = planner_,
                                            .draining = draining,
                                            .clock = clock_,
                                            .pool = pool_});
        }};
    server_ = std::make_unique<HttpServer>(io_, backends, "0.0.0", std::nullopt);
}

InMemoryServer::~InMemoryServer() {
    boost::asio::post(io_, [this] { server_->close(); });
    if (thread_.joinable()) thread_.join();
}

Result<unsigned short> InMemoryServer::start(const ListenOptions& options) {
    const auto port = server_->start(options);
    if (port) thread_ = std::thread([this] { io_.run(); });
    return port;
}

}  // namespace plimsoll::http::test

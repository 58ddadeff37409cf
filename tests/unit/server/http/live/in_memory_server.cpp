#include "tests/unit/server/http/live/in_memory_server.hpp"

#include "server/kinds/operations.hpp"

#include <boost/asio/post.hpp>

namespace plimsoll::http::test {

InMemoryServer::InMemoryServer() {
    const Services services{.stores = stores_,
                            .kinds = jobs::contracts(),
                            .planner = planner_,
                            .password_service = password_service_,
                            .provider_service = provider_service_,
                            .webhook_targets = webhook_targets_,
                            .clock = clock_,
                            .draining = draining_,
                            .pool = pool_,
                            .computing = pool_,
                            .downloads = pool_};
    server_ = std::make_unique<HttpServer>(io_, services, jobs::add_operations, CallerQuotas{},
                                           "0.0.0", std::nullopt);
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

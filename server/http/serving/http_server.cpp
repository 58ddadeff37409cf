#include "server/http/serving/http_server.hpp"

#include "server/http/contract_text.hpp"
#include "server/http/endpoints/endpoints.hpp"
#include "server/http/site.hpp"

#include <set>
#include <stdexcept>

#include <boost/asio/thread_pool.hpp>

namespace plimsoll::http {

namespace asio = boost::asio;

namespace {

// For bodies and chunks that would hold up the I/O thread. Their number is bounded by
// limits::kBodyBytesInFlight.
constexpr std::size_t kPoolThreads = 2;

std::string listed(const std::set<std::string>& names) {
    std::string text;
    for (const auto& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
}

void check_kinds(const Contract& contract, std::span<const jobs::Contract> kinds) {
    std::set<std::string> known;
    for (const auto& kind : kinds) known.emplace(kind.name);
    const auto names = contract.kinds();
    const std::set<std::string> described(names.begin(), names.end());
    if (known == described) return;
    throw std::runtime_error("openapi.yaml describes the job kinds " + listed(described) +
                             ", the program knows " + listed(known));
}

}  // namespace

struct HttpServer::Parts {
    Parts(asio::io_context& context, const Backends& backends, const ServerOptions& server_options)
        : io(context),
          options(server_options),
          contract(contract_json()),
          api(contract, handlers(backends), backends.identity, pool) {
        check_kinds(contract, backends.kinds);
    }

    Handlers handlers(const Backends& backends) {
        const auto& [jobs, signals, identity, clock, kinds] = backends;
        Handlers all;
        endpoints::add_jobs(all, jobs, kinds, pool, clock);
        endpoints::add_job_reading(all, jobs, signals, draining, clock);
        endpoints::add_job_events(all, jobs, signals, identity, draining, clock);
        endpoints::add_job_results(all, jobs, kinds, pool);
        endpoints::add_devices(all, jobs);
        endpoints::add_sessions(all, identity, clock);
        endpoints::add_users(all, identity, clock);
        endpoints::add_teams(all, identity);
        endpoints::add_tokens(all, identity, clock);
        endpoints::add_operations(all, jobs, draining,
                                  {options.version, contract.version(), contract.kinds()});
        return all;
    }

    asio::io_context& io;
    ServerOptions options;
    asio::thread_pool pool{kPoolThreads};
    Draining draining;
    Contract contract;
    Api api;
    std::optional<Site> site;
    std::optional<Listener> listener;
};

HttpServer::HttpServer(asio::io_context& io, Backends backends, const ServerOptions& options)
    : parts_(std::make_unique<Parts>(io, backends, options)) {}

HttpServer::~HttpServer() = default;

Result<unsigned short> HttpServer::start() {
    std::optional<StaticFiles> pages;
    if (!parts_->options.web_folder.empty()) {
        auto loaded = StaticFiles::load(parts_->options.web_folder);
        if (!loaded) return fail(std::move(loaded.error()));
        pages = std::move(*loaded);
    }
    parts_->site.emplace(parts_->api, std::move(pages));
    parts_->listener.emplace(parts_->io, *parts_->site);
    return parts_->listener->start(parts_->options.listen);
}

asio::awaitable<bool> HttpServer::drain(std::chrono::milliseconds time) {
    parts_->draining.begin();
    parts_->listener->drain();
    const bool all_left = co_await parts_->listener->drained(time);
    parts_->listener->close();
    co_return all_left;
}

}  // namespace plimsoll::http

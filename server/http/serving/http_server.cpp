#include "server/http/serving/http_server.hpp"

#include "server/http/contract/contract_text.hpp"
#include "server/http/endpoints/endpoints.hpp"
#include "server/http/endpoints/jobs/kind_extras.hpp"
#include "server/http/endpoints/pool/health.hpp"
#include "server/http/site/site.hpp"

#include <set>
#include <stdexcept>

namespace plimsoll::http {

namespace asio = boost::asio;

namespace {

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
    if (known != described) {
        throw std::runtime_error("openapi.yaml describes the job kinds " + listed(described) +
                                 ", but the program has " + listed(known));
    }
    std::set<std::string> estimating;
    for (const auto& kind : kinds)
        if (kind.estimate != nullptr) estimating.emplace(kind.name);
    const auto estimated = contract.find("createEstimate")->body->variants();
    if (estimating != std::set<std::string>(estimated.begin(), estimated.end())) {
        throw std::runtime_error("openapi.yaml: EstimateSpec must name the kinds " +
                                 listed(estimating));
    }
}

Handlers make_handlers(const Services& services, const Contract& contract,
                       const std::string& version, AddOperations add_kinds) {
    Handlers handlers;
    const auto& stores = services.stores;
    endpoints::add_jobs(handlers, stores.jobs, stores.datasets, services.planner, services.clock);
    endpoints::add_job_bundles(handlers, stores.jobs, services.planner, services.pool,
                               services.clock);
    endpoints::add_job_redrive(handlers, stores.jobs, services.clock);
    endpoints::add_job_cancellations(handlers, stores.jobs);
    endpoints::add_job_attempts(handlers, stores.jobs);
    endpoints::add_job_logs(handlers, stores.jobs);
    endpoints::add_job_tasks(handlers, stores.jobs);
    endpoints::add_job_reading(handlers, stores.jobs, stores.signals, services.kinds,
                               services.draining, services.clock);
    endpoints::add_job_events(handlers, stores.jobs, stores.signals, stores.identity,
                              services.draining, services.clock);
    endpoints::add_job_results(handlers, stores.jobs, stores.report_links, services.kinds,
                               services.downloads, version);
    endpoints::add_report_links(handlers, stores.jobs, stores.report_links, services.clock);
    endpoints::add_job_pictures(handlers, stores.jobs, services.kinds, services.computing);
    endpoints::add_baselines(handlers, stores.jobs, stores.records, services.kinds);
    endpoints::add_datasets(handlers, stores.datasets);
    endpoints::add_dataset_upload(handlers, stores.datasets, services.pool);
    endpoints::add_dataset_records(handlers, stores.datasets, services.pool);
    endpoints::add_devices(handlers, stores.jobs, stores.shares);
    endpoints::add_health(handlers, stores.jobs, stores.shares);
    endpoints::add_queue(handlers, stores.shares);
    endpoints::add_terms(handlers, stores.shares, stores.identity);
    endpoints::add_usage(handlers, stores.shares, services.clock);
    endpoints::add_estimates(handlers, services.planner, services.computing);
    endpoints::add_kind_answers(handlers, stores.jobs, services.kinds, services.computing);
    endpoints::add_schedules(handlers, stores.schedules, services.planner, services.clock);
    endpoints::add_sessions(handlers, stores.identity, services.password_service,
                            services.provider_service, stores.invitations, services.clock);
    endpoints::add_provider_sign_ins(handlers, services.provider_service);
    endpoints::add_user_identities(handlers, stores.providers, stores.identity);
    endpoints::add_invitations(handlers, stores.invitations, stores.identity, services.clock);
    endpoints::add_passwords(handlers, stores.passwords, services.password_service, services.clock);
    endpoints::add_second_factor(handlers, stores.passwords, services.password_service);
    endpoints::add_users(handlers, stores.identity, services.clock);
    endpoints::add_teams(handlers, stores.identity);
    endpoints::add_saved_views(handlers, stores.records);
    endpoints::add_service_accounts(handlers, stores.identity);
    endpoints::add_audit(handlers, stores.audit);
    endpoints::add_tokens(handlers, stores.identity, services.clock);
    endpoints::add_webhooks(handlers, stores.webhooks, services.webhook_targets);
    endpoints::add_operations(handlers, stores.jobs, services.draining,
                              {version, contract.version(), contract.kinds()});
    add_kinds(handlers, services);
    return handlers;
}

}  // namespace

struct HttpServer::Parts {
    Parts(asio::io_context& io, Services given, AddOperations add_kinds, const CallerQuotas& quotas,
          const std::string& version, std::optional<StaticFiles> pages)
        : services(std::move(given)),
          contract(contract_json()),
          api(contract, make_handlers(services, contract, version, add_kinds),
              services.stores.identity, services.stores.idempotency, services.pool, quotas),
          site(api, std::move(pages)),
          listener(io, site, traffic) {
        check_kinds(contract, services.kinds);
    }

    Services services;
    Traffic traffic;
    Contract contract;
    Api api;
    Site site;
    Listener listener;
};

HttpServer::HttpServer(asio::io_context& io, Services services, AddOperations add_kinds,
                       const CallerQuotas& quotas, const std::string& version,
                       std::optional<StaticFiles> pages)
    : parts_(std::make_unique<Parts>(io, std::move(services), add_kinds, quotas, version,
                                     std::move(pages))) {}

HttpServer::~HttpServer() = default;

Result<unsigned short> HttpServer::start(const ListenOptions& options) {
    return parts_->listener.start(options);
}

Traffic& HttpServer::traffic() { return parts_->traffic; }

Result<void> HttpServer::reload(const ListenOptions& options, const CallerQuotas& quotas) {
    TRY_DO(parts_->listener.reload(options));
    parts_->api.set(quotas);
    return {};
}

void HttpServer::announce_drain() { parts_->services.draining.begin(); }

void HttpServer::drain() {
    parts_->services.draining.begin();
    parts_->listener.drain();
}

awaitable<bool> HttpServer::drained(std::chrono::milliseconds time) {
    return parts_->listener.drained(time);
}

void HttpServer::close() {
    parts_->services.draining.begin();
    parts_->listener.close();
}

}  // namespace plimsoll::http

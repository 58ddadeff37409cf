#include "server/http/serving/http_server.hpp"

#include "server/http/contract/contract_text.hpp"
#include "server/http/endpoints/endpoints.hpp"
#include "server/http/endpoints/jobs/job_spec.hpp"
#include "server/http/endpoints/jobs/kind_offers.hpp"
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
    for (const auto& kind : kinds) {
        if (kind.estimate != nullptr) estimating.emplace(kind.name);
    }
    const auto estimated = contract.find("createEstimate")->body->variants();
    if (estimating != std::set<std::string>(estimated.begin(), estimated.end())) {
        throw std::runtime_error("openapi.yaml: EstimateSpec must name the kinds " +
                                 listed(estimating));
    }
}

Handlers make_handlers(const Backends& backends, const Contract& contract, const Draining& draining,
                       const std::string& version) {
    Handlers handlers;
    endpoints::add_jobs(handlers, backends.jobs, backends.datasets, backends.planner,
                        backends.clock);
    endpoints::add_job_bundles(handlers, backends.jobs, backends.planner, backends.pool,
                               backends.clock);
    endpoints::add_job_redrive(handlers, backends.jobs, backends.clock);
    endpoints::add_job_cancellations(handlers, backends.jobs);
    endpoints::add_job_attempts(handlers, backends.jobs);
    endpoints::add_job_logs(handlers, backends.jobs);
    endpoints::add_job_tasks(handlers, backends.jobs);
    endpoints::add_job_reading(handlers, backends.jobs, backends.signals, backends.kinds, draining,
                               backends.clock);
    endpoints::add_job_events(handlers, backends.jobs, backends.signals, backends.identity,
                              draining, backends.clock);
    endpoints::add_job_results(handlers, backends.jobs, backends.report_links, backends.kinds,
                               backends.downloads, version);
    endpoints::add_report_links(handlers, backends.jobs, backends.report_links, backends.clock);
    endpoints::add_job_pictures(handlers, backends.jobs, backends.kinds, backends.computing);
    endpoints::add_baselines(handlers, backends.jobs, backends.baselines, backends.kinds);
    endpoints::add_datasets(handlers, backends.datasets);
    endpoints::add_dataset_upload(handlers, backends.datasets, backends.pool);
    endpoints::add_dataset_records(handlers, backends.datasets, backends.pool);
    endpoints::add_devices(handlers, backends.jobs, backends.shares);
    endpoints::add_health(handlers, backends.jobs, backends.shares);
    endpoints::add_queue(handlers, backends.shares);
    endpoints::add_terms(handlers, backends.shares, backends.identity);
    endpoints::add_usage(handlers, backends.shares, backends.clock);
    endpoints::add_estimates(handlers, backends.kinds, {backends.records, backends.jobs},
                             backends.computing);
    endpoints::add_kind_answers(handlers, backends.jobs, backends.kinds, backends.computing);
    endpoints::add_schedules(handlers, backends.schedules, backends.planner, backends.clock);
    endpoints::add_sessions(handlers, backends.identity, backends.password_desk,
                            backends.provider_desk, backends.invitations, backends.clock);
    endpoints::add_provider_sign_ins(handlers, backends.provider_desk);
    endpoints::add_user_identities(handlers, backends.providers, backends.identity);
    endpoints::add_invitations(handlers, backends.invitations, backends.identity, backends.clock);
    endpoints::add_passwords(handlers, backends.passwords, backends.password_desk, backends.clock);
    endpoints::add_second_factor(handlers, backends.passwords, backends.password_desk);
    endpoints::add_users(handlers, backends.identity, backends.clock);
    endpoints::add_teams(handlers, backends.identity);
    endpoints::add_saved_views(handlers, backends.saved_views);
    endpoints::add_service_accounts(handlers, backends.identity);
    endpoints::add_audit(handlers, backends.audit);
    endpoints::add_tokens(handlers, backends.identity, backends.clock);
    endpoints::add_webhooks(handlers, backends.webhooks, backends.webhook_targets);
    endpoints::add_operations(handlers, backends.jobs, draining,
                              {version, contract.version(), contract.kinds()});
    backends.kind_operations(handlers, draining);
    return handlers;
}

}  // namespace

struct HttpServer::Parts {
    Parts(asio::io_context& io, const Backends& backends, const std::string& version,
          std::optional<StaticFiles> pages)
        : contract(contract_json()),
          api(contract, make_handlers(backends, contract, draining, version), backends.identity,
              backends.answers, backends.pool, backends.quotas),
          site(api, std::move(pages)),
          listener(io, site, traffic) {
        check_kinds(contract, backends.kinds);
    }

    Traffic traffic;
    Draining draining;
    Contract contract;
    Api api;
    Site site;
    Listener listener;
};

HttpServer::HttpServer(asio::io_context& io, Backends backends, const std::string& version,
                       std::optional<StaticFiles> pages)
    : parts_(std::make_unique<Parts>(io, backends, version, std::move(pages))) {}

HttpServer::~HttpServer() = default;

Result<unsigned short> HttpServer::start(const ListenOptions& options) {
    return parts_->listener.start(options);
}

Traffic& HttpServer::traffic() {
    return parts_->traffic;
}

Result<void> HttpServer::reload_tls() {
    return parts_->listener.reload_tls();
}

void HttpServer::announce_drain() {
    parts_->draining.begin();
}

void HttpServer::drain() {
    parts_->draining.begin();
    parts_->listener.drain();
}

asio::awaitable<bool> HttpServer::drained(std::chrono::milliseconds time) {
    return parts_->listener.drained(time);
}

void HttpServer::close() {
    parts_->draining.begin();
    parts_->listener.close();
}

}  // namespace plimsoll::http

#include "server/app/server.hpp"

#include "server/app/serve.hpp"
#include "server/app/service_manager.hpp"
#include "server/base/backoff.hpp"
#include "server/base/log.hpp"
#include "server/base/offload.hpp"
#include "server/base/programs/spawn.hpp"
#include "server/identity/invitation_store.hpp"
#include "server/identity/secret.hpp"
#include "server/identity/store.hpp"
#include "server/jobs/registry.hpp"
#include "server/kinds/operations.hpp"
#include "server/postgres/driver/sqlstate.hpp"
#include "server/postgres/workers/duties.hpp"
#include "server/webhooks/store.hpp"

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <tuple>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <sys/resource.h>
#include <unistd.h>

namespace plimsoll::app {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

constexpr auto kWatchInterval = 500ms;
constexpr std::chrono::milliseconds kLongestWatchInterval = 4s;  // while PostgreSQL does not start
constexpr auto kConnectionDrain = 10s;
// Seconds within which load balancers notice a 503 of /readyz.
constexpr int kProxyDelay = 3;
constexpr auto kWelcomeLifetime = 24h;  // of the first sign-in link

void rethrow(const std::exception_ptr& error) {
    if (error) std::rethrow_exception(error);
}

// Installed next to the program, or in its build tree.
std::optional<http::StaticFiles> load_pages(const std::string& chosen) {
    std::vector<std::filesystem::path> candidates = {chosen};
    if (chosen.empty()) {
        const auto beside = std::filesystem::path(sibling_program("plimsoll")).parent_path();
        candidates = {beside / "../share/plimsoll/web", beside / "../../../web/dist"};
    }
    for (const auto& folder : candidates)
        if (auto pages = http::StaticFiles::load(folder)) return std::move(*pages);
    log::warn("web pages not found: serving the API only");
    return std::nullopt;
}

// File descriptors for `connections` and for what else the server opens: the database, the pages,
// webhooks.
void allow_open_files(int connections) {
    constexpr rlim_t kOthers = 256;
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    const auto wanted = static_cast<rlim_t>(connections) + kOthers;
    if (limit.rlim_cur >= wanted) return;
    limit.rlim_cur = std::min(wanted, limit.rlim_max);
    setrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_cur < wanted) {
        log::warn("the limit on open files is too low for limits.connections",
                  {{"may", std::to_string(limit.rlim_cur)}, {"needed", std::to_string(wanted)}});
    }
}

// With TLS, the certificate protects against DNS rebinding: it has other names.
http::AllowedHosts allowed_hosts(const Settings::Http& http) {
    if (!http.allowed_hosts.empty() || !http.tls_certificate.empty())
        return http::AllowedHosts::parse(http.allowed_hosts).value();  // was checked
    char name[256] = "";
    if (gethostname(name, sizeof name - 1) != 0) return http::AllowedHosts::only({});
    return http::AllowedHosts::only({name});
}

http::ListenOptions listen_options(const Settings::Http& http, const Settings::Limits& limits) {
    http::ListenOptions options;
    options.connections = static_cast<std::size_t>(limits.connections);
    options.connections_per_network = static_cast<std::size_t>(limits.connections_per_network);
    options.address = http.host == "localhost" ? "127.0.0.1" : http.host;
    options.port = static_cast<unsigned short>(http.port);
    options.proxies = http::TrustedProxies::parse(http.trusted_proxies).value();  // was checked
    options.hosts = allowed_hosts(http);
    if (!http.tls_certificate.empty())
        options.tls = http::TlsFiles{http.tls_certificate, http.tls_key};
    return options;
}

// With the API's certificate, when there is one; none: nobody scrapes.
std::optional<http::ListenOptions> metrics_options(const Settings& settings) {
    const auto where = parse_host_and_port(settings.metrics.listen);
    if (!where) return std::nullopt;
    auto http = settings.http;
    std::tie(http.host, http.port) = *where;
    auto options = listen_options(http, settings.limits);
    options.hosts = {};  // Prometheus uses names that only its own network knows
    return options;
}

http::CallerQuotas quotas_of(const Settings::Limits& limits) {
    return {limits.requests_per_minute, limits.team_requests_per_minute,
            limits.concurrent_requests};
}

}  // namespace

Server::Server(const Settings& settings, Database& database, identity::PasswordRules rules,
               std::optional<oidc::Registration> provider,
               std::unique_ptr<outbound::ObjectStore> objects, Announce announce)
    : settings_(settings),
      database_(database),
      announce_(std::move(announce)),
      signals_(io_, SIGTERM, SIGINT),
      sighup_(io_),
      timer_(io_),
      watchdog_(io_),
      objects_(std::move(objects)),
      server_database_(io_.get_executor(), database.app(),
                       {.connections = static_cast<std::size_t>(settings.database.connections),
                        .objects = objects_.get()}),
      // Checked with the settings.
      webhook_targets_(outbound::AllowList::parse(settings.webhooks.allowed_origins,
                                                  settings.webhooks.allowed_networks)
                           .value()),
      planner_(stores_.datasets, jobs::contracts(),
               {stores_.records, stores_.jobs, {.values = settings.kinds, .cache = {}}}, pool_),
      password_service_(stores_.passwords, std::move(rules), sibling_program("plimsoll-hasher")),
      provider_service_(
          stores_.providers, stores_.identity, server_database_.clock(),
          provider ? std::make_unique<oidc::Provider>(io_.get_executor(), std::move(*provider))
                   : nullptr),
      http_(io_,
            {.stores = stores_,
             .kinds = jobs::contracts(),
             .planner = planner_,
             .password_service = password_service_,
             .provider_service = provider_service_,
             .webhook_targets = webhook_targets_,
             .clock = server_database_.clock(),
             .draining = draining_,
             .pool = pool_,
             .computing = computing_,
             .downloads = downloads_,
             .settings = {.values = settings.kinds, .cache = {}}},
            jobs::add_operations, quotas_of(settings.limits), PLIMSOLL_VERSION,
            load_pages(settings.http.web_directory)),
      metrics_(http_.traffic(), server_database_, PLIMSOLL_VERSION),
      metrics_server_(io_, http_.traffic(), [this] { return metrics_.text(); }),
      schedules_(io_.get_executor(), background_.due_times, planner_) {
    const auto engine = sibling_program("plimsoll-engine");
    if (settings.engine.local && access(engine.c_str(), X_OK) == 0) {
        engine_ =
            std::make_unique<EngineProcess>(io_.get_executor(), engine, database.worker_url());
    } else if (settings.engine.local) {
        log::warn("plimsoll-engine is not installed here: this server runs no workers");
    }
}

Result<void> Server::run() {
    asio::co_spawn(io_, serve(), rethrow);
    io_.run();
    pool_.join();
    computing_.join();
    downloads_.join();
    return started_;
}

awaitable<void> Server::serve() {
    server_database_.start();
    started_ = co_await start();
    if (started_) {
        boost::system::error_code failed;
        const int signal =
            co_await signals_.async_wait(asio::redirect_error(asio::use_awaitable, failed));
        log::info("draining", {{"signal", std::to_string(signal)}});
        tell_service_manager("STOPPING=1");
        force_exit_on_second_signal();
        co_await drain();
        signals_.cancel();
    }
    stopping_ = true;
    timer_.cancel();
    watchdog_.cancel();
    sighup_.cancel();
    http_.close();
    metrics_server_.close();
    background_.duties.stop();
    schedules_.stop();
    if (notices_) notices_->stop();
    server_database_.stop();
}

awaitable<Result<void>> Server::start() {
    CO_TRY_DO(co_await background_.duties.run(postgres::kCheckSchema));
    CO_TRY_DO(co_await background_.duties.run("read_clock"));
    // Without today's partitions nothing can be submitted.
    CO_TRY_DO(co_await background_.duties.run("ensure_partitions"));
    allow_open_files(settings_.limits.connections);
    CO_TRY(const auto port, http_.start(listen_options(settings_.http, settings_.limits)));
    address_ = address_of(settings_.http, port);
    CO_TRY_DO(start_metrics());
    CO_TRY_DO(co_await bootstrap());
    CO_TRY_DO(start_notices());
    background_.duties.start({.keep_days = settings_.retention.jobs_days,
                              .keep_usage_days = settings_.retention.usage_days,
                              .keep_audit_days = settings_.retention.audit_days},
                             [this](std::string_view duty, const Result<int>& done) {
                                 metrics_.on_duty_run(duty, done);
                                 const bool differs = !done && done.error().code == Errc::corrupt;
                                 if (duty == postgres::kCheckSchema && differs) end(done.error());
                             });
    schedules_.start();
    if (!settings_.http.tls_certificate.empty() || !settings_.file.empty()) {
        sighup_.add(SIGHUP);
        reload_on_sighup();
    }
    if (database_.embedded()) asio::co_spawn(io_, watch_cluster(), rethrow);
    if (engine_) {
        engine_running_ = true;
        asio::co_spawn(io_, engine_->run(), [this](const std::exception_ptr& error) {
            engine_running_ = false;
            timer_.cancel();
            rethrow(error);
        });
    }
    database_.set_address(address_);
    announce_("ready", address_);
    tell_service_manager("READY=1");
    if (watchdog_interval() > 0us) asio::co_spawn(io_, feed_watchdog(), rethrow);
    co_return Result<void>{};
}

Result<void> Server::start_metrics() {
    const auto options = metrics_options(settings_);
    if (!options) return {};
    TRY(const auto port, metrics_server_.start(*options));
    auto http = settings_.http;
    http.host = options->address;
    announce_("metrics", address_of(http, port) + "/metrics");
    return {};
}

Result<void> Server::start_notices() {
    const auto& set = settings_.webhooks;
    TRY(auto mail, webhooks::parse_mail_server(set.mail_server, set.mail_from));
    TRY(auto sender, webhooks::Sender::make({.allowed = webhook_targets_,
                                             .authorities = set.ca_file,
                                             .pages = set.pages_url,
                                             .mail = std::move(mail)}));
    notices_ = std::make_unique<webhooks::Dispatcher>(io_.get_executor(), background_.deliveries,
                                                      std::move(sender), server_database_.clock(),
                                                      system_random());
    notices_->start();
    return {};
}

awaitable<Result<void>> Server::bootstrap() {
    const auto link = identity::make_secret(identity::SecretKind::sign_in);
    CO_TRY(auto made,
           co_await stores_.identity.bootstrap("admin", "main", link.hash,
                                               server_database_.clock().now() + kWelcomeLifetime));
    if (!made) co_return Result<void>{};
    if (isatty(STDOUT_FILENO) == 1) {
        announce_("sign-in", address_ + "/#/sign-in/" + link.text);
    } else {
        // What is written there is kept, by a service manager or in a file. The link gives the
        // rights of a system admin.
        log::info("sign in with the link that `plimsoll admin sign-in-link` prints");
    }
    co_return Result<void>{};
}

// A schema that this program does not know may mean something else by what is written here.
void Server::end(const Error& why) {
    if (!started_) return;
    log::error("stopping", {{"reason", why.message}});
    started_ = fail(why);
    std::raise(SIGTERM);
}

awaitable<void> Server::drain() {
    stopping_ = true;  // from here on the timer belongs to this coroutine
    http_.announce_drain();
    boost::system::error_code hurried;
    const int delay = settings_.http.drain_delay.value_or(
        settings_.http.trusted_proxies.empty() ? 0 : kProxyDelay);
    timer_.expires_after(std::chrono::seconds(delay));
    co_await timer_.async_wait(asio::redirect_error(asio::use_awaitable, hurried));
    http_.drain();
    if (engine_) engine_->stop();
    if (!co_await http_.drained(kConnectionDrain))
        log::warn("closed the remaining connections after the drain time");
    while (engine_running_ || draining_.held()) co_await pause(kWatchInterval);
}

void Server::force_exit_on_second_signal() {
    signals_.async_wait([this](const boost::system::error_code& cancelled, int) {
        if (cancelled) return;
        log::warn("stopping immediately");
        http_.close();
        timer_.cancel();
        if (engine_) engine_->stop();
    });
}

// Without a file of settings or of TLS, SIGHUP keeps its meaning: the terminal was closed.
void Server::reload_on_sighup() {
    sighup_.async_wait([this](const boost::system::error_code& cancelled, int) {
        if (cancelled) return;
        if (auto loaded = reload()) {
            log::info("settings reloaded");
        } else {
            log::error("cannot use the new settings: keeping the old ones",
                       {{"reason", loaded.error().message}, {"where", loaded.error().where}});
        }
        reload_on_sighup();
    });
}

// Those that take effect without a restart.
Result<void> Server::reload() {
    TRY(const auto fresh, reload_settings(settings_));
    TRY_DO(http_.reload(listen_options(fresh.http, fresh.limits), quotas_of(fresh.limits)));
    if (const auto options = metrics_options(fresh)) TRY_DO(metrics_server_.reload(*options));
    log::start("serve", level_of(fresh.log), log::Lines::gathered);
    return {};
}

// A private PostgreSQL that crashed is started again; callers get 503 meanwhile.
awaitable<void> Server::watch_cluster() {
    Backoff backoff(kWatchInterval, kLongestWatchInterval);
    while (!stopping_) {
        co_await pause(backoff.next());
        if (stopping_) break;
        if (database_.is_alive()) {
            backoff.reset();
            continue;
        }
        log::error("the private PostgreSQL stopped: restarting it");
        Database& database = database_;
        auto restarted = co_await offload(pool_, [&database] { return database.restart(); });
        if (restarted) backoff.reset();
        server_database_.set_disk_full(!restarted &&
                                       restarted.error().message.starts_with(postgres::kDiskFull));
        if (!restarted)
            log::error("cannot start the private PostgreSQL",
                       {{"reason", restarted.error().message}});
    }
}

// The service manager restarts a server whose loop hangs.
awaitable<void> Server::feed_watchdog() {
    for (boost::system::error_code stopped; !stopped;) {
        tell_service_manager("WATCHDOG=1");
        watchdog_.expires_after(watchdog_interval());
        co_await watchdog_.async_wait(asio::redirect_error(asio::use_awaitable, stopped));
    }
}

awaitable<void> Server::pause(std::chrono::milliseconds time) {
    boost::system::error_code woken;
    timer_.expires_after(time);
    co_await timer_.async_wait(asio::redirect_error(asio::use_awaitable, woken));
}

}  // namespace plimsoll::app

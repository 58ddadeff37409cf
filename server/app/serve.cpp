#include "server/app/serve.hpp"

#include "server/app/engine_process.hpp"
#include "server/app/server.hpp"
#include "server/base/return_memory.hpp"
#include "server/http/wire/listener.hpp"
#include "server/jobs/registry.hpp"
#include "server/oidc/provider.hpp"
#include "server/outbound/caller.hpp"
#include "server/outbound/span_exporter.hpp"
#include "server/postgres/schema/migrator.hpp"
#include "server/postgres/schema/session.hpp"

#include <csignal>
#include <cstdlib>
#include <optional>

#include <boost/asio/ip/host_name.hpp>
#include <boost/asio/ssl/context.hpp>

namespace plimsoll::app {
namespace {

// "https://login.example.com" of an address there.
std::string origin_of(const std::string& address) {
    return address.substr(0, address.find('/', address.find("//") + 2));
}

// How this server is registered with the identity provider; nullopt: there is none. Reads files:
// Errc::invalid_input names one that cannot be used.
Result<std::optional<oidc::Registration>> identity_provider(const Settings::Oidc& settings) {
    if (settings.issuer.empty()) return std::optional<oidc::Registration>();
    TRY(auto secret, outbound::secret_of(settings.client_secret, settings.client_secret_file,
                                         "oidc.client_secret_file"));
    auto tls = outbound::verifying_context(settings.ca_file);
    if (!tls)
        return fail(tls.error().code, "oidc.ca_file: " + tls.error().message, tls.error().where);
    // Checked with the settings.
    auto allowed = outbound::AllowList::parse(
        origin_of(settings.issuer) + "," + settings.allowed_origins, settings.allowed_networks);
    return oidc::Registration{
        {.issuer = settings.issuer,
         .id = settings.client_id,
         .secret = std::move(secret),
         .redirect_uri = settings.redirect_uri,
         .scopes = settings.scopes,
         .name = settings.name,
         .sign_out = settings.sign_out},
        {.groups_claim = settings.groups_claim,
         .mapping = oidc::Mapping::parse(settings.groups).value(),
         .admin_groups = oidc::parse_groups(settings.admin_groups),
         .domains = oidc::parse_domains(settings.allowed_domains).value(),
         .create = settings.create_users,
         .link = settings.link_users},
        oidc::Calls(outbound::Caller(std::move(allowed.value()), std::move(*tls)))};
}

// Whoever sets one expects an effect.
void tell_unused_variables() {
    for (const auto& kind : jobs::contracts()) {
        for (const auto& [name, why] : kind.unused_variables) {
            if (std::getenv(std::string(name).c_str()) == nullptr) continue;
            log::warn(std::string(name) + " has no effect", {{"why", std::string(why)}});
        }
    }
}

// By their variables, as those who set them know them.
void tell_settings_of_jobs(const Settings& settings) {
    std::string text;
    for (const auto& kind : jobs::contracts())
        for (const auto& setting : kind.settings) {
            const auto& value = settings.kinds.find(setting.key)->second;
            if (!value.empty()) text += " " + std::string(setting.variable) + "=" + value;
        }
    log::info("jobs run with" + text);
}

Result<identity::PasswordRules> password_rules(const Settings::Passwords& settings) {
    identity::PasswordRules rules{static_cast<std::size_t>(settings.min_length), {}};
    if (settings.breached_file.empty()) return rules;
    auto breached = identity::BreachedPasswords::open(settings.breached_file);
    if (!breached)
        return fail(Errc::invalid_input, "passwords.breached_file " + breached.error().message);
    rules.breached = std::move(*breached);
    return rules;
}

// One that does not respond now is waited for later.
Result<void> check_database(const postgres::Target& target) {
    const auto unsuitable = postgres::examine(target);
    if (!unsuitable) return {};
    for (const auto& [what, fatal] : *unsuitable) {
        if (fatal) return fail(Errc::conflict, what);
        log::warn("the database does not suit", {{"why", what}});
    }
    return {};
}

}  // namespace

std::string address_of(const Settings::Http& http, int port) {
    const bool tls = !http.tls_certificate.empty();
    const bool ipv6 = http.host.find(':') != std::string::npos;
    return std::string(tls ? "https://" : "http://") + (ipv6 ? "[" + http.host + "]" : http.host) +
           ":" + std::to_string(port);
}

log::Level level_of(const Settings::Log& log) {
    if (log.level == "debug") return log::Level::debug;
    if (log.level == "warn") return log::Level::warn;
    return log.level == "error" ? log::Level::error : log::Level::info;
}

Result<void> serve(const Settings& settings, const Announce& announce) {
    bound_memory_of_threads();
    std::signal(SIGPIPE, SIG_IGN);  // whoever reads the log may leave
    log::set_format(*log::parse_format(settings.log.format));
    log::start("serve", level_of(settings.log), log::Lines::gathered);
    tell_unused_variables();
    for (const auto& note : settings.notes) log::warn(note);
    tell_settings_of_jobs(settings);
    export_worker_env(settings);
    TRY(const auto exporter,
        outbound::SpanExporter::start(settings.tracing.endpoint, settings.tracing.sampled_percent,
                                      {"plimsoll", boost::asio::ip::host_name()}));
    TRY(auto rules, password_rules(settings.passwords));
    TRY(auto provider, identity_provider(settings.oidc));
    TRY(auto objects, outbound::ObjectStore::open(settings.objects));
    // Before a database is made, or another server's is touched.
    if (auto free = http::check_listenable(settings.http.host, settings.http.port); !free)
        return free;
    TRY(auto database, Database::open(settings));
    if (database->can_migrate()) {
        TRY(const auto report, postgres::migrate(database->migrator()));
        if (report.before != report.after || report.functions > 0) {
            log::info("schema migrated", {{"from", std::to_string(report.before)},
                                          {"to", std::to_string(report.after)},
                                          {"functions", std::to_string(report.functions)}});
        }
        if (report.newer_functions)
            log::warn("the database's functions are from a newer plimsoll and were not replaced");
    }
    TRY_DO(check_database(database->app()));
    Server server(settings, *database, std::move(rules), std::move(provider), std::move(objects),
                  announce);
    const auto served = server.run();
    database->close();
    if (served) log::info("stopped");
    return served;
}

}  // namespace plimsoll::app

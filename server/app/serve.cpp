#include "server/app/serve.hpp"

#include "server/app/engine_process.hpp"
#include "server/app/identity_provider.hpp"
#include "server/app/server.hpp"
#include "server/base/log.hpp"
#include "server/base/log_format.hpp"
#include "server/http/wire/listener.hpp"
#include "server/jobs/registry.hpp"
#include "server/postgres/schema/migrator.hpp"
#include "server/postgres/schema/session.hpp"

#include <csignal>
#include <cstdlib>

namespace plimsoll::app {
namespace {

log::Level level_of(const std::string& name) {
    if (name == "debug") return log::Level::debug;
    if (name == "warn") return log::Level::warn;
    return name == "error" ? log::Level::error : log::Level::info;
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

Result<identity::PasswordRules> password_rules(const Settings::Passwords& settings) {
    identity::PasswordRules rules{static_cast<std::size_t>(settings.min_length), {}};
    if (settings.breached_file.empty()) return rules;
    auto breached = identity::BreachedPasswords::open(settings.breached_file);
    if (!breached) {
        return fail(Errc::invalid_input, "passwords.breached_file " + breached.error().message);
    }
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

Result<void> serve(const Settings& settings, const Announce& announce) {
    std::signal(SIGPIPE, SIG_IGN);  // whoever reads the log may leave
    log::set_format(*log::parse_format(settings.log.format));
    log::start("serve", level_of(settings.log.level), log::Lines::gathered);
    tell_unused_variables();
    export_worker_env(settings);
    auto rules = password_rules(settings.passwords);
    if (!rules) return fail(rules.error());
    auto provider = identity_provider(settings.oidc);
    if (!provider) return fail(provider.error());
    // Before a database is made, or another server's is touched.
    if (auto free = http::check_listenable(settings.http.host, settings.http.port); !free) {
        return free;
    }
    auto database = Database::open(settings);
    if (!database) return fail(database.error());
    if ((*database)->can_migrate()) {
        const auto report = postgres::migrate((*database)->migrator());
        if (!report) return fail(report.error());
        if (report->before != report->after || report->functions > 0) {
            log::info("schema migrated", {{"from", std::to_string(report->before)},
                                          {"to", std::to_string(report->after)},
                                          {"functions", std::to_string(report->functions)}});
        }
        if (report->newer_functions) {
            log::warn("the database's functions are from a newer plimsoll and were not replaced");
        }
    }
    if (auto suits = check_database((*database)->app()); !suits) return suits;
    Server server(settings, **database, std::move(*rules), std::move(*provider), announce);
    const auto served = server.run();
    (*database)->close();
    if (served) log::info("stopped");
    return served;
}

}  // namespace plimsoll::app

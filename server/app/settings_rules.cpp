#include "server/app/settings_rules.hpp"

#include "server/app/settings_table.hpp"
#include "server/jobs/registry.hpp"

#include <algorithm>
#include <array>

namespace plimsoll::app {
namespace {

// A setting has no effect while the one that it needs is empty or off.
struct Need {
    std::string_view key;
    std::string_view needs;
};

std::vector<Need> all_needs() {
    std::vector<Need> needs = {{"database.migrate_url", "database.url"},
                               {"webhooks.allowed_networks", "webhooks.allowed_origins"},
                               {"webhooks.ca_file", "webhooks.allowed_origins"},
                               {"webhooks.pages_url", "webhooks.allowed_origins"},
                               {"webhooks.mail_server", "webhooks.allowed_origins"},
                               {"webhooks.mail_from", "webhooks.mail_server"},
                               {"tracing.sampled_percent", "tracing.endpoint"},
                               {"devices.cleanup_interval", "devices.memory_cleanup"}};
    for (const auto* key :
         {"oidc.name", "oidc.client_id", "oidc.client_secret", "oidc.client_secret_file",
          "oidc.redirect_uri", "oidc.scopes", "oidc.groups_claim", "oidc.groups",
          "oidc.create_users", "oidc.link_users", "oidc.allowed_domains", "oidc.allowed_origins",
          "oidc.allowed_networks", "oidc.ca_file"}) {
        needs.push_back({key, "oidc.issuer"});
    }
    for (const auto& setting : outbound::object_settings())
        if (setting.key != "objects.url") needs.push_back({setting.key, "objects.url"});
    for (const auto& kind : jobs::contracts()) {
        for (const auto& setting : kind.settings)
            if (!setting.needs.empty()) needs.push_back({setting.key, setting.needs});
    }
    return needs;
}

bool is_flag(const std::string& source) { return source.starts_with("--"); }

class Rules {
  public:
    Rules(Settings& settings, const Sources& sources, jobs::Reader reader)
        : settings_(settings), sources_(sources), reader_(reader) {}

    Result<void> check() const {
        for (const auto rule :
             {&Rules::transport, &Rules::insecure, &Rules::database, &Rules::provider, &Rules::mail,
              &Rules::objects, &Rules::needs, &Rules::workers}) {
            TRY_DO((this->*rule)());
        }
        return {};
    }

  private:
    Result<void> transport() const {
        const auto& http = settings_.http;
        if (http.tls_certificate.empty() != http.tls_key.empty()) {
            return fail(Errc::invalid_input,
                        "http.tls_certificate and http.tls_key must be set together.");
        }
        if (!http.tls_certificate.empty() || http.insecure) return {};
        const auto exposed = [](const std::string& key, const std::string& host) {
            return fail(
                Errc::invalid_input,
                key + " " + host +
                    " is reachable from other machines: set http.tls_certificate and "
                    "http.tls_key, or allow plain HTTP with http.insecure (--insecure-http).");
        };
        if (!is_loopback(http.host)) return exposed("http.host", http.host);
        if (!is_metrics_loopback()) return exposed("metrics.listen", settings_.metrics.listen);
        return {};
    }

    Result<void> insecure() const {
        const auto& http = settings_.http;
        if (!http.insecure || reader_ != jobs::kServer) return {};
        if (!http.tls_certificate.empty())
            return idle("http.insecure", "with http.tls_certificate");
        if (is_loopback(http.host) && is_metrics_loopback())
            return idle("http.insecure", "while http.host is " + http.host);
        return {};
    }

    Result<void> database() const {
        const auto& database = settings_.database;
        if (database.url.empty()) {
            return reader_ == jobs::kServer && !database.worker_url.empty()
                       ? idle("database.worker_url", "without database.url")
                       : Result<void>{};
        }
        for (const auto& [key, value] :
             {std::pair("database.data_directory", &database.data_directory),
              std::pair("database.postgres", &database.postgres)}) {
            if (!value->empty() && is_read(key)) return idle(key, "with database.url");
        }
        return {};
    }

    Result<void> provider() const {
        const auto& oidc = settings_.oidc;
        if (oidc.issuer.empty()) return {};
        if (oidc.client_id.empty() || oidc.redirect_uri.empty()) {
            return fail(Errc::invalid_input,
                        "oidc.issuer also needs oidc.client_id and oidc.redirect_uri.");
        }
        if (!oidc.client_secret.empty() && !oidc.client_secret_file.empty())
            return idle("oidc.client_secret_file", "with oidc.client_secret");
        return {};
    }

    Result<void> mail() const {
        const auto& webhooks = settings_.webhooks;
        if (webhooks.mail_server.empty() || !webhooks.mail_from.empty()) return {};
        return fail(Errc::invalid_input, "webhooks.mail_server also needs webhooks.mail_from.");
    }

    Result<void> objects() const {
        const auto& objects = settings_.objects;
        if (objects.url.empty()) return {};
        if (objects.access_key.empty() ||
            (objects.secret_key.empty() && objects.secret_key_file.empty())) {
            return fail(Errc::invalid_input,
                        "objects.url also needs objects.access_key, and objects.secret_key or "
                        "objects.secret_key_file.");
        }
        if (!objects.secret_key.empty() && !objects.secret_key_file.empty())
            return idle("objects.secret_key", "with objects.secret_key_file");
        return {};
    }

    // A file and the environment may give what is to be used once something else is switched on.
    Result<void> needs() const {
        for (const auto& [key, needed] : all_needs()) {
            if (!sources_.contains(key) || is_off(key) || !is_read(key) || !is_off(needed))
                continue;
            auto error = idle(key, "without " + std::string(needed));
            const auto& source = error.value().where;
            if (is_flag(source)) return error;
            if (entry(key).get(settings_) == entry(key).fallback) continue;
            settings_.notes.push_back(source + ": " + error.value().message);
        }
        return {};
    }

    // A file and the environment may be those of workers elsewhere, too; flags are this server's.
    Result<void> workers() const {
        if (reader_ != jobs::kServer || settings_.engine.local) return {};
        for (const auto& [key, source] : sources_)
            if (is_flag(source) && !is_read(key))
                return idle(key, "with engine.local false: only workers read it");
        return {};
    }

    const Entry& entry(std::string_view key) const {
        return *std::ranges::find(table(), key, [](const Entry& one) { return one.about.key; });
    }

    bool is_off(std::string_view key) const {
        constexpr std::array<std::string_view, 3> kOff = {"", "0", "false"};
        return std::ranges::find(kOff, entry(key).get(settings_)) != kOff.end();
    }

    bool is_read(std::string_view key) const {
        const bool with_workers = reader_ == jobs::kServer && settings_.engine.local;
        const unsigned readers = reader_ | (with_workers ? jobs::kWorkers : 0U);
        return (entry(key).about.readers & readers) != 0;
    }

    bool is_metrics_loopback() const {
        const auto metrics = parse_host_and_port(settings_.metrics.listen);
        return !metrics || is_loopback(metrics->first);
    }

    tl::unexpected<Error> idle(std::string_view key, const std::string& why) const {
        const auto source = sources_.find(key);
        return fail(Errc::invalid_input, std::string(key) + " has no effect " + why + ".",
                    source == sources_.end() ? "" : source->second);
    }

    Settings& settings_;
    const Sources& sources_;
    jobs::Reader reader_;
};

}  // namespace

Result<void> check_together(Settings& settings, const Sources& sources, jobs::Reader reader) {
    return Rules(settings, sources, reader).check();
}

}  // namespace plimsoll::app

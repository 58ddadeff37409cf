#include "server/app/settings_table.hpp"
#include "server/base/log.hpp"
#include "server/http/access/allowed_hosts.hpp"
#include "server/http/access/network.hpp"
#include "server/jobs/registry.hpp"
#include "server/outbound/span_exporter.hpp"
#include "server/outbound/target.hpp"
#include "server/webhooks/mail.hpp"

namespace plimsoll::app {

using jobs::kAdmin;
using jobs::kDoctor;
using jobs::kMigrate;
using jobs::kServer;
using jobs::kWorkers;

namespace {

std::string set_log_level(Settings& settings, const std::string& value) {
    for (const auto* level : {"debug", "info", "warn", "error"}) {
        if (value == level) {
            settings.log.level = value;
            return {};
        }
    }
    return "must be debug, info, warn or error";
}

std::string set_log_format(Settings& settings, const std::string& value) {
    if (!log::parse_format(value)) return "must be text or json";
    settings.log.format = value;
    return {};
}

std::string set_metrics_listen(Settings& settings, const std::string& value) {
    if (!value.empty() && !parse_host_and_port(value)) return "must be address:port, or empty";
    settings.metrics.listen = value;
    return {};
}

Entry of_kind(const jobs::KindSetting& setting) {
    return {{setting.key, setting.variable, setting.unit, setting.help, setting.readers},
            setting.default_value,
            false,
            [&setting](Settings& s, const std::string& value) {
                auto checked = setting.check(value);
                if (!checked) return checked.error().message;
                s.kinds.insert_or_assign(std::string(setting.key), std::move(*checked));
                return std::string();
            },
            [&setting](const Settings& s) { return s.kinds.find(setting.key)->second; }};
}

Entry of_objects(const outbound::ObjectSetting& setting) {
    return {
        {setting.key, setting.variable, setting.unit, setting.help, kServer | kWorkers | kDoctor},
        setting.fallback,
        setting.is_secret,
        [&setting](Settings& s, const std::string& value) {
            s.objects.*setting.member = value;
            return setting.broken_rule ? setting.broken_rule(value) : std::string();
        },
        [&setting](const Settings& s) { return s.objects.*setting.member; }};
}

std::vector<Entry> make_table() {
    using S = Settings;
    std::vector<Entry> entries = {
        text({"http.host", "PLIMSOLL_HTTP_HOST", "address", "Address to listen on",
              kServer | kDoctor},
             "127.0.0.1", &S::http, &S::Http::host),
        number({"http.port", "PLIMSOLL_HTTP_PORT", "0..65535",
                "Port to listen on; 0: any free port", kServer | kDoctor},
               "7272", 0, 65535, &S::http, &S::Http::port),
        text({"http.tls_certificate", "PLIMSOLL_HTTP_TLS_CERTIFICATE", "file, PEM",
              "TLS certificate chain; required beyond loopback addresses", kServer | kDoctor},
             "", &S::http, &S::Http::tls_certificate),
        text({"http.tls_key", "PLIMSOLL_HTTP_TLS_KEY", "file, PEM",
              "Private key of the certificate", kServer | kDoctor},
             "", &S::http, &S::Http::tls_key),
        flag({"http.insecure", "PLIMSOLL_HTTP_INSECURE", "true or false",
              "Allow plain HTTP beyond this machine; tokens and texts are sent unencrypted",
              kServer | kDoctor},
             "false", &S::http, &S::Http::insecure),
        text({"http.web_directory", "PLIMSOLL_HTTP_WEB_DIRECTORY", "folder",
              "Folder of the built web pages; empty: next to the program"},
             "", &S::http, &S::Http::web_directory),
        {{"http.drain_delay", "PLIMSOLL_HTTP_DRAIN_DELAY", "0..60, seconds",
          "Time between the first 503 of /readyz and closing the listener, for load balancers to "
          "react; empty: 3 behind http.trusted_proxies, else 0"},
         "",
         false,
         [](Settings& s, const std::string& value) {
             s.http.drain_delay.reset();
             return value.empty() ? "" : set_number(s.http.drain_delay.emplace(), value, 0, 60);
         },
         [](const S& s) {
             return s.http.drain_delay ? std::to_string(*s.http.drain_delay) : std::string();
         }},
        {{"http.trusted_proxies", "PLIMSOLL_HTTP_TRUSTED_PROXIES", "address or network, …",
          "Proxies that terminate TLS and whose X-Forwarded-Proto and X-Forwarded-For are trusted, "
          "separated by commas"},
         "",
         false,
         [](Settings& s, const std::string& value) {
             s.http.trusted_proxies = value;
             return broken_rule(http::TrustedProxies::parse(value));
         },
         [](const S& s) { return s.http.trusted_proxies; }},
        {{"http.allowed_hosts", "PLIMSOLL_HTTP_ALLOWED_HOSTS", "name or *.name, …",
          "Host names that requests may be addressed to, separated by commas; IP addresses and "
          "localhost are always allowed; empty: any name with TLS, else this machine's name and "
          "names that trusted proxies forward"},
         "",
         false,
         [](Settings& s, const std::string& value) {
             s.http.allowed_hosts = value;
             return broken_rule(http::AllowedHosts::parse(value));
         },
         [](const S& s) { return s.http.allowed_hosts; }},
        number({"limits.requests_per_minute", "PLIMSOLL_LIMITS_REQUESTS_PER_MINUTE", "0..10000000",
                "Requests per minute per token or session, on each server; 0: unlimited"},
               "60000", 0, 10'000'000, &S::limits, &S::Limits::requests_per_minute),
        number({"limits.team_requests_per_minute", "PLIMSOLL_LIMITS_TEAM_REQUESTS_PER_MINUTE",
                "0..10000000", "Requests per minute per team; 0: unlimited"},
               "240000", 0, 10'000'000, &S::limits, &S::Limits::team_requests_per_minute),
        number({"limits.concurrent_requests", "PLIMSOLL_LIMITS_CONCURRENT_REQUESTS", "0..1024",
                "Concurrent requests per token or session, including event streams; 0: unlimited"},
               "128", 0, 1024, &S::limits, &S::Limits::concurrent_requests),
        number(
            {"limits.connections", "PLIMSOLL_LIMITS_CONNECTIONS", "16..100000",
             "Open connections; at the limit, a new one closes the one that has been idle longest"},
            "4096", 16, 100'000, &S::limits, &S::Limits::connections),
        number({"limits.connections_per_network", "PLIMSOLL_LIMITS_CONNECTIONS_PER_NETWORK",
                "1..100000",
                "Open connections per IPv4 address or IPv6 /64; trusted proxies are exempt"},
               "256", 1, 100'000, &S::limits, &S::Limits::connections_per_network),
        number({"passwords.min_length", "PLIMSOLL_PASSWORDS_MIN_LENGTH", "8..64, characters",
                "Minimum length of a new password"},
               "12", 8, 64, &S::passwords, &S::Passwords::min_length),
        text({"passwords.breached_file", "PLIMSOLL_PASSWORDS_BREACHED_FILE", "file",
              "Sorted SHA-1 hashes of breached passwords, as the Have I Been Pwned downloader "
              "writes "
              "them; these passwords are refused; empty: none"},
             "", &S::passwords, &S::Passwords::breached_file),
        {{"metrics.listen", "PLIMSOLL_METRICS_LISTEN", "address:port",
          "Address where Prometheus scrapes /metrics without credentials; empty: off; port 0: any "
          "free port"},
         "",
         false,
         set_metrics_listen,
         [](const S& s) { return s.metrics.listen; }},
        text({"database.url", "PLIMSOLL_DATABASE_URL", "postgresql://…",
              "URL of PostgreSQL 15 or later; empty: a private one in database.data_directory",
              kServer | kMigrate | kAdmin | kDoctor},
             "", &S::database, &S::Database::url, true),
        text({"database.migrate_url", "PLIMSOLL_DATABASE_MIGRATE_URL", "postgresql://…",
              "URL of the same database for a role that may create roles and schemas; empty: only "
              "`plimsoll migrate` changes the schema",
              kServer | kMigrate},
             "", &S::database, &S::Database::migrate_url, true),
        text({"database.worker_url", "PLIMSOLL_DATABASE_WORKER_URL", "postgresql://…",
              "URL of the same database for the workers' role; empty: database.url", kWorkers},
             "", &S::database, &S::Database::worker_url, true),
        text({"database.data_directory", "PLIMSOLL_DATABASE_DATA_DIRECTORY", "folder",
              "Data folder of the private PostgreSQL; empty: the user's state folder",
              kServer | kMigrate | kAdmin | kDoctor},
             "", &S::database, &S::Database::data_directory),
        text({"database.postgres", "PLIMSOLL_DATABASE_POSTGRES", "folder",
              "Programs of the private PostgreSQL; empty: the newest installed one that reads the "
              "data",
              kServer | kMigrate | kAdmin | kDoctor},
             "", &S::database, &S::Database::postgres),
        number({"database.connections", "PLIMSOLL_DATABASE_CONNECTIONS", "1..64",
                "Connections for requests; calls are pipelined, so a few are enough"},
               "4", 1, 64, &S::database, &S::Database::connections),
        flag({"engine.local", "PLIMSOLL_ENGINE_LOCAL", "true or false",
              "Run workers for this machine's devices"},
             "true", &S::engine, &S::Engine::local),
        number({"retention.jobs_days", "PLIMSOLL_RETENTION_JOBS_DAYS", "1..36500, days",
                "Retention of ended jobs with their texts, results and reports"},
               "30", 1, 36'500, &S::retention, &S::Retention::jobs_days),
        number({"retention.usage_days", "PLIMSOLL_RETENTION_USAGE_DAYS", "1..36500, days",
                "Retention of hourly usage"},
               "400", 1, 36'500, &S::retention, &S::Retention::usage_days),
        number({"retention.audit_days", "PLIMSOLL_RETENTION_AUDIT_DAYS", "1..36500, days",
                "Retention of the audit log, which has a row for every change, so at least one per "
                "job"},
               "400", 1, 36'500, &S::retention, &S::Retention::audit_days),
        number({"devices.max_utilization", "GPU_MAX_UTILIZATION_WARN", "1..100, percent",
                "Warn about GPUs with a higher utilization", kWorkers},
               "90", 1, 100, &S::devices, &S::Devices::max_utilization),
        number({"devices.max_temperature", "GPU_MAX_TEMPERATURE_C", "1..150, °C",
                "Warn about devices with a higher temperature", kWorkers},
               "85", 1, 150, &S::devices, &S::Devices::max_temperature),
        number({"devices.min_free_memory", "GPU_MIN_FREE_VRAM_MB", "0..1000000, MB",
                "Warn about devices with less free memory", kWorkers},
               "500", 0, 1'000'000, &S::devices, &S::Devices::min_free_memory),
        flag({"devices.log", "GPU_PROFILING_ENABLED", "true or false",
              "Log a line about each device every ten seconds", kWorkers},
             "false", &S::devices, &S::Devices::log),
        flag({"devices.memory_cleanup", "GPU_MEMORY_CLEANUP", "true or false",
              "Release models, kernels and buffers of idle devices", kWorkers},
             "true", &S::devices, &S::Devices::clean),
        number({"devices.cleanup_interval", "GPU_CLEANUP_INTERVAL_SEC", "1..86400, seconds",
                "Idle time before a device releases models, kernels and buffers", kWorkers},
               "300", 1, 86'400, &S::devices, &S::Devices::clean_after),
        flag({"devices.second_queue", "FEATURE_CUDA_STREAMS", "true or false",
              "Copy to GPUs through a second queue; useful above a measured speedup of 1.1; "
              "no effect on CPUs",
              kWorkers | kDoctor},
             "false", &S::devices, &S::Devices::second_queue),
        {{"devices.worker_memory", "PLIMSOLL_WORKER_MEMORY_MB", "0 or 256..1000000, MB",
          "Memory of the machine that a device's worker may take, without files that it maps; a "
          "task that needs more fails; 0: no limit",
          kWorkers},
         "0",
         false,
         [](Settings& s, const std::string& value) -> std::string {
             int megabytes = 0;
             const auto rule = set_number(megabytes, value, 0, 1'000'000);
             if (!rule.empty() || (megabytes > 0 && megabytes < 256))
                 return "must be 0 or a whole number from 256 to 1000000";
             s.devices.worker_memory = megabytes;
             return {};
         },
         [](const S& s) { return std::to_string(s.devices.worker_memory); }},
        {{"webhooks.allowed_origins", "PLIMSOLL_WEBHOOKS_ALLOWED_ORIGINS", "https://host[:port], …",
          "Origins that webhooks may notify, separated by commas; a host that begins with *. "
          "matches subdomains; mailto:*@example.com allows mail; empty: none"},
         "",
         false,
         [](Settings& s, const std::string& value) {
             s.webhooks.allowed_origins = value;
             return broken_rule(outbound::AllowList::parse(value, ""));
         },
         [](const S& s) { return s.webhooks.allowed_origins; }},
        {{"webhooks.allowed_networks", "PLIMSOLL_WEBHOOKS_ALLOWED_NETWORKS", "10.1.2.0/24, …",
          "Private networks that webhooks may reach, separated by commas; empty: public addresses "
          "only"},
         "",
         false,
         [](Settings& s, const std::string& value) {
             s.webhooks.allowed_networks = value;
             return broken_rule(outbound::AllowList::parse("", value));
         },
         [](const S& s) { return s.webhooks.allowed_networks; }},
        text({"webhooks.ca_file", "PLIMSOLL_WEBHOOKS_CA_FILE", "file, PEM",
              "Certificate authorities to trust for webhooks, besides the system's"},
             "", &S::webhooks, &S::Webhooks::ca_file),
        {{"webhooks.pages_url", "PLIMSOLL_WEBHOOKS_PAGES_URL", "https://host[:port]",
          "Address at which people open this server, for the links of Slack, Teams and mail "
          "notices; empty: no links"},
         "",
         false,
         [](Settings& s, const std::string& value) {
             s.webhooks.pages_url =
                 value.ends_with('/') ? value.substr(0, value.size() - 1) : value;
             const bool is_url = outbound::parse_target(value).has_value();
             return value.empty() || is_url ? std::string() : "must be https://host[:port]";
         },
         [](const S& s) { return s.webhooks.pages_url; }},
        {{"webhooks.mail_server", "PLIMSOLL_WEBHOOKS_MAIL_SERVER",
          "smtp://[user:password@]host[:port] or smtps://…",
          "Server that takes mail notices, by STARTTLS if it offers that; empty: none"},
         "",
         true,
         [](Settings& s, const std::string& value) {
             s.webhooks.mail_server = value;
             return broken_rule(webhooks::parse_mail_server(value, ""));
         },
         [](const S& s) { return s.webhooks.mail_server; }},
        {{"webhooks.mail_from", "PLIMSOLL_WEBHOOKS_MAIL_FROM", "email address",
          "Sender of mail notices"},
         "",
         false,
         [](Settings& s, const std::string& value) {
             s.webhooks.mail_from = value;
             const bool is_address = outbound::parse_mail_target("mailto:" + value).has_value();
             return value.empty() || is_address ? std::string() : "must be an email address";
         },
         [](const S& s) { return s.webhooks.mail_from; }},
        {{"tracing.endpoint", "PLIMSOLL_TRACING_ENDPOINT", "http://host[:port]",
          "OpenTelemetry collector that traces are sent to, by OTLP over HTTP; empty: none",
          kServer | kWorkers},
         "",
         false,
         [](Settings& s, const std::string& value) {
             s.tracing.endpoint = value;
             return outbound::broken_collector_rule(value);
         },
         [](const S& s) { return s.tracing.endpoint; }},
        number({"tracing.sampled_percent", "PLIMSOLL_TRACING_SAMPLED_PERCENT", "0..100, percent",
                "Requests without a traceparent that begin a trace; one with it says itself "
                "whether it is traced"},
               "100", 0, 100, &S::tracing, &S::Tracing::sampled_percent),
        {{"log.level", "PLIMSOLL_LOG_LEVEL", "debug, info, warn or error",
          "Minimum severity of log lines", kServer | kWorkers},
         "info",
         false,
         set_log_level,
         [](const S& s) { return s.log.level; }},
        {{"log.format", "PLIMSOLL_LOG_FORMAT", "text or json", "Format of log lines",
          kServer | kWorkers},
         "text",
         false,
         set_log_format,
         [](const S& s) { return s.log.format; }},
    };
    for (auto& entry : oidc_entries()) entries.push_back(std::move(entry));
    for (const auto& setting : outbound::object_settings()) entries.push_back(of_objects(setting));
    for (const auto& kind : jobs::contracts())
        for (const auto& setting : kind.settings) entries.push_back(of_kind(setting));
    return entries;
}

}  // namespace

const std::vector<Entry>& table() {
    static const std::vector<Entry> entries = make_table();
    return entries;
}

std::string without_brackets(const std::string& host) {
    if (!host.starts_with('[') || !host.ends_with(']')) return host;
    return host.substr(1, host.size() - 2);
}

std::optional<std::pair<std::string, int>> parse_host_and_port(const std::string& text) {
    const auto colon = text.rfind(':');
    if (colon == std::string::npos || colon == 0) return std::nullopt;
    auto host = without_brackets(text.substr(0, colon));
    int port = 0;
    if (!set_number(port, text.substr(colon + 1), 0, 65535).empty()) return std::nullopt;
    return std::pair(std::move(host), port);
}

std::vector<Setting> all_settings() {
    std::vector<Setting> settings;
    for (const auto& entry : table()) settings.push_back(entry.about);
    return settings;
}

std::vector<SettingValue> values_of(const Settings& settings) {
    std::vector<SettingValue> values;
    for (const auto& entry : table()) {
        auto value = entry.get(settings);
        if (entry.secret && !value.empty()) value = kSecretIsSet;
        values.push_back({entry.about, std::move(value)});
    }
    return values;
}

}  // namespace plimsoll::app

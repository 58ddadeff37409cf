#pragma once

#include "engine/base/result.hpp"
#include "server/jobs/settings.hpp"
#include "server/outbound/object_settings.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace plimsoll::app {

struct Assignment {
    std::string key;
    std::string value;
    std::string source = {};  // for messages; empty: the flag
};

// All settings, filled in this order: defaults, file, environment, flags. Meaning, unit and range
// of each key are defined once, in the table of settings.cpp; `--print-config` prints it.
struct Settings {
    std::vector<std::string> notes;  // on what was given and has no effect
    std::filesystem::path file;      // empty: none
    std::vector<Assignment> given;   // by the environment and flags, in the place of the file's
    struct Http {
        std::string host;
        int port = 0;
        std::string tls_certificate;
        std::string tls_key;
        bool insecure = false;
        std::string web_directory;
        std::optional<int> drain_delay;  // seconds; none: see the setting
        std::string trusted_proxies;
        std::string allowed_hosts;
    } http;
    struct Limits {
        int requests_per_minute = 0;
        int team_requests_per_minute = 0;
        int concurrent_requests = 0;
        int connections = 0;
        int connections_per_network = 0;
    } limits;
    struct Passwords {
        int min_length = 0;
        std::string breached_file;
    } passwords;
    struct Metrics {
        std::string listen;
    } metrics;
    struct Database {
        std::string url;
        std::string migrate_url;
        std::string worker_url;
        std::string data_directory;
        std::string postgres;
        int connections = 0;
    } database;
    struct Engine {
        bool local = true;
    } engine;
    struct Retention {
        int jobs_days = 0;
        int usage_days = 0;
        int audit_days = 0;
    } retention;
    struct Devices {
        int max_utilization = 0;
        int max_temperature = 0;
        int min_free_memory = 0;
        bool log = false;
        bool clean = false;
        int clean_after = 0;
        bool second_queue = false;
        int worker_memory = 0;
    } devices;
    struct Webhooks {
        std::string allowed_origins;
        std::string allowed_networks;
        std::string ca_file;
        std::string pages_url;
        std::string mail_server;
        std::string mail_from;
    } webhooks;
    struct Oidc {
        std::string issuer;
        std::string name;
        std::string client_id;
        std::string client_secret;
        std::string client_secret_file;
        std::string redirect_uri;
        std::string scopes;
        std::string groups_claim;
        std::string groups;
        std::string admin_groups;
        bool create_users = true;
        bool link_users = false;
        std::string allowed_domains;
        std::string allowed_origins;
        std::string allowed_networks;
        bool sign_out = false;
        std::string ca_file;
    } oidc;
    outbound::ObjectSettings objects;
    struct Tracing {
        std::string endpoint;
        int sampled_percent = 0;
    } tracing;
    struct Log {
        std::string level;
        std::string format;
    } log;
    std::map<std::string, std::string, std::less<>> kinds;  // of jobs::KindSetting, by key
};

struct Setting {
    std::string_view key;          // "http.port": the file's nesting and the flag's name
    std::string_view environment;  // "PLIMSOLL_HTTP_PORT"
    std::string_view unit;         // type, unit and range: "1..65535"
    std::string_view help;
    unsigned readers = jobs::kServer;  // of jobs::Reader
};

// Every setting, for help texts.
std::vector<Setting> all_settings();

// "127.0.0.1:9090" or "[::1]:9090".
std::optional<std::pair<std::string, int>> parse_host_and_port(const std::string& text);

// Loads defaults, then the YAML file (if `file` is not empty), then the environment, then `flags`.
// Errc::invalid_input names an unknown key or an invalid value and its source. Rules between keys
// (such as TLS beyond loopback) are checked last, as far as they concern `reader`.
Result<Settings> load_settings(const std::filesystem::path& file,
                               const std::vector<Assignment>& flags,
                               jobs::Reader reader = jobs::kServer);

// The same from the file as it is now; the environment is that of the time before.
Result<Settings> reload_settings(const Settings& settings);

struct SettingValue {
    Setting about;
    std::string value;
};

// Every setting as it is now; of a secret only whether it is set.
inline constexpr const char* kSecretIsSet = "(set)";
std::vector<SettingValue> values_of(const Settings& settings);

}  // namespace plimsoll::app

#include "server/cli/machine/doctor.hpp"

#include "engine/base/json.hpp"
#include "server/app/database.hpp"
#include "server/base/programs/child_program.hpp"
#include "server/base/programs/spawn.hpp"
#include "server/cli/commands.hpp"
#include "server/cli/machine/bundle.hpp"
#include "server/cli/machine/settings_flags.hpp"
#include "server/client/api_client.hpp"
#include "server/client/credentials.hpp"
#include "server/jobs/command.hpp"
#include "server/jobs/settings.hpp"
#include "server/outbound/object_store.hpp"
#include "server/postgres/cluster/embedded_layout.hpp"
#include "server/terminal/command_context.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>

#include <CLI/CLI.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <unistd.h>

namespace plimsoll::cli {
namespace {

using Grade = Finding::Grade;

constexpr std::uint64_t kLittleMemory = 2'000'000'000;  // serve, a private database and a worker
constexpr std::uint64_t kLittleDisk = 1'000'000'000;

std::string gigabytes(std::uint64_t bytes) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f GB", static_cast<double>(bytes) / 1e9);
    return text;
}

Finding database(const DoctorFacts& facts) {
    if (!facts.embedded_database) {
        if (!facts.database_problem)
            return {Grade::good, "PostgreSQL", "The configured database responds.", ""};
        return {
            Grade::bad, "PostgreSQL",
            "The configured database does not respond: " + facts.database_problem->message,
            "Check database.url (PLIMSOLL_DATABASE_URL), and that the database server is running."};
    }
    if (facts.postgres_servers.empty()) {
        return {Grade::bad, "PostgreSQL", "No PostgreSQL server is installed.",
                "For `plimsoll serve`, " + std::string(postgres::kInstallAdvice)};
    }
    std::string found;
    for (const auto& [major, programs] : facts.postgres_servers) {
        found += (found.empty() ? "Version " : ", ") + std::to_string(major) + " (" +
                 programs.string() + ")";
    }
    found += " is installed; the private database ";
    found += facts.database_problem ? "is not running; `plimsoll serve` starts it." : "is running.";
    return {Grade::good, "PostgreSQL", found, ""};
}

Finding object_store(const DoctorFacts& facts) {
    constexpr const char* kAbout = "Object store";
    if (!facts.object_store_problem) {
        return {Grade::good, kAbout, "The bucket can be written, read, listed and deleted from.",
                ""};
    }
    return {Grade::bad, kAbout, facts.object_store_problem->message,
            "Check the settings objects.* (PLIMSOLL_OBJECTS_…): uploads and results wait for the "
            "store."};
}

Finding address(const DoctorFacts& facts) {
    if (!facts.address_problem) return {Grade::good, "Port", facts.address + " is free.", ""};
    return {Grade::remark, "Port", facts.address + ": " + facts.address_problem->message,
            "If no Plimsoll server listens on this port, choose another one with --port."};
}

std::string reason_of(const json& device) {
    std::string reason = device.value("reason", "");
    return reason.empty() ? "unknown reason" : reason;
}

// Whether copies to this device overlap its computation.
Finding queues(const DoctorFacts& facts, const json& device) {
    const auto name = device.value("device", "");
    const bool reads_host = device.value("type", "") == "cpu";
    std::string found = "FEATURE_CUDA_STREAMS is ";
    if (!facts.second_queue) {
        found += "off: " + name + " uses one queue for copies and computation.";
    } else if (reads_host) {
        found += "on, but has no effect on " + name + ", which reads the host's memory.";
    } else {
        found += "on: " + name +
                 " uses a second queue for copies; useful if `plimsoll profile --mode engine` "
                 "measures a speedup above 1.1.";
    }
    return {Grade::good, "Queues", found, ""};
}

void add_devices(const DoctorFacts& facts, std::vector<Finding>& findings) {
    const std::string about = "OpenCL";
    if (!facts.probe) {
        findings.push_back(
            {Grade::bad, about, facts.probe.error().message,
             "plimsoll-engine must be in the same folder as plimsoll: build or install both."});
        return;
    }
    const json report = json::parse(*facts.probe, nullptr, false);
    if (!report.is_object()) {
        findings.push_back({Grade::bad, about, "plimsoll-engine probe returned no report.",
                            "Run it by hand and check the drivers' output."});
        return;
    }
    bool ready = false;
    for (const auto& device : report.at("devices")) {
        const auto name = device.value("device", "") + " (" + device.value("name", "") +
                          ", driver " + device.value("driver_version", "unknown") + ")";
        if (device.value("state", "") == "ready") {
            ready = true;
            findings.push_back({Grade::good, about, name + " passed its self-tests.", ""});
            findings.push_back(queues(facts, device));
        } else {
            findings.push_back({Grade::remark, about,
                                name + " is not used: " + device.value("state", "failed") + ", " +
                                    reason_of(device) + ".",
                                "Update its driver, or remove it from /etc/OpenCL/vendors."});
        }
    }
    for (const auto& problem : report.at("problems")) {
        findings.push_back({Grade::remark, about, problem.get<std::string>(),
                            "Check the drivers in /etc/OpenCL/vendors."});
    }
    if (ready) return;
    findings.push_back({Grade::remark, about,
                        "No device is ready: only jobs with a published model need one.",
                        "Install your GPU's OpenCL driver; for the CPU, pip install "
                        "'plimsoll[cpu]' or Debian's pocl-opencl-icd."});
}

Finding space(const char* about, const std::string& where, std::optional<std::uint64_t> free,
              std::uint64_t little, const char* advice) {
    if (!free) return {Grade::remark, about, "The free space is unknown" + where + ".", ""};
    const auto found = gigabytes(*free) + " is free" + where + ".";
    if (*free >= little) return {Grade::good, about, found, ""};
    return {Grade::bad, about, found, advice};
}

// A server that was started with other data is easily mistaken for the one of these settings.
void add_servers(const DoctorFacts& facts, std::vector<Finding>& findings) {
    for (const auto& server : facts.servers) {
        const auto process =
            "A server is running on this machine (process " + std::to_string(server.id) + ")";
        if (server.data_directory.empty() || !facts.embedded_database ||
            server.data_directory == facts.data_directory) {
            findings.push_back({Grade::good, "Server", process + ".", ""});
        } else {
            findings.push_back({Grade::remark, "Server",
                                process + " with data in " + server.data_directory + ", not in " +
                                    facts.data_directory + ".",
                                "To check that server, add --data " + server.data_directory + "."});
        }
    }
}

Finding sign_in(const DoctorFacts& facts) {
    if (facts.signed_in_to.empty())
        return {Grade::good, "Sign-in", "This command line is not signed in to any server.", ""};
    if (!facts.sign_in_problem)
        return {Grade::good, "Sign-in", "Signed in to " + facts.signed_in_to + ".", ""};
    const bool away = facts.sign_in_problem->code == Errc::unavailable;
    return {Grade::remark, "Sign-in",
            facts.signed_in_to + "The current server " +
                (away ? "does not respond." : "rejects the saved token."),
            away ? "Start it, or choose another one with `plimsoll use`."
                 : "Sign in again: plimsoll login LINK (plimsoll admin sign-in-link creates one)."};
}

const char* word_of(Grade grade) {
    if (grade == Grade::good) return "good";
    return grade == Grade::bad ? "bad" : "remark";
}

void print(const terminal::Terminal& terminal, const std::vector<Finding>& findings) {
    std::vector<std::vector<std::string>> rows = {{"", "ABOUT", "FOUND"}};
    for (const auto& finding : findings) {
        rows.push_back({finding.grade == Grade::good ? "ok" : word_of(finding.grade), finding.about,
                        finding.found});
        if (!finding.advice.empty()) rows.push_back({"", "->", finding.advice});
    }
    terminal.line(format_table(terminal, rows));
}

namespace asio = boost::asio;
namespace fs = std::filesystem;

// Looking for a private database that was never created would create its folders.
bool private_database_exists(const std::string& folder) {
    std::error_code error;
    return fs::exists(fs::path(folder) / "postgres/PG_VERSION", error);
}

void look_at_database(DoctorFacts& facts, const app::Settings& settings) {
    if (settings.database.url.empty() && !private_database_exists(facts.data_directory)) {
        facts.database_problem = Error{Errc::not_found, "It has not been created yet.", ""};
        return;
    }
    const auto database = app::Database::attach(settings);
    auto unsuitable = database ? postgres::examine((*database)->app())
                               : Result<std::vector<postgres::Unsuitable>>(fail(database.error()));
    if (unsuitable)
        facts.unsuitable = std::move(*unsuitable);
    else
        facts.database_problem = unsuitable.error();
}

// By listening there for a moment.
std::optional<Error> try_address(const app::Settings::Http& http) {
    using asio::ip::tcp;
    boost::system::error_code error;
    asio::io_context io(1);
    const auto found = tcp::resolver(io).resolve(http.host, std::to_string(http.port), error);
    if (error) return Error{Errc::invalid_input, "unknown host: " + error.message(), ""};
    const auto endpoint = found.begin()->endpoint();
    tcp::acceptor acceptor(io);
    acceptor.open(endpoint.protocol(), error);
    if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor.bind(endpoint, error);
    if (!error) acceptor.listen(1, error);
    if (!error) return std::nullopt;
    return Error{Errc::unavailable, error.message() + ".", ""};
}

// Drivers are loaded by the other program only, and by children of that.
Result<std::string> probe() {
    const auto program = sibling_program("plimsoll-engine");
    if (access(program.c_str(), X_OK) != 0)
        return fail(Errc::not_found, program + " cannot be run: " + std::strerror(errno) + ".");
    TRY(auto probed, run_program({.path = program,
                                  .arguments = {"probe", "--json"},
                                  .environment = current_environment(),
                                  .redirections = {{ChildCommand::kNothing, STDERR_FILENO}}}));
    return std::move(probed.output);
}

std::optional<std::uint64_t> available_memory() {
    std::ifstream in("/proc/meminfo");
    std::string name;
    std::uint64_t kibibytes = 0;
    std::string unit;
    while (in >> name >> kibibytes) {
        if (name == "MemAvailable:") return kibibytes * 1024;
        std::getline(in, unit);
    }
    return std::nullopt;
}

// Of the file system that the folder is on, or will be.
std::optional<std::uint64_t> free_space(fs::path folder) {
    std::error_code error;
    while (!fs::exists(folder, error) && folder.has_relative_path()) folder = folder.parent_path();
    const auto space = fs::space(folder, error);
    if (error) return std::nullopt;
    return space.available;
}

void look_at_sign_in(DoctorFacts& facts) {
    const auto credentials = client::load_credentials();
    if (!credentials) return;
    facts.signed_in_to = credentials->server;
    client::ApiClient api(credentials->server, credentials->token);
    if (const auto me = api.send("GET", "/v1/users/me"); !me) facts.sign_in_problem = me.error();
}

}  // namespace

std::vector<Finding> findings_of_kinds(const app::Settings& settings) {
    jobs::KindSettings given;
    given.values = settings.kinds;
    std::vector<Finding> all;
    for (const auto& kind : jobs::commands()) {
        if (kind.examine == nullptr) continue;
        const auto found = kind.examine(given);
        all.insert(all.end(), found.begin(), found.end());
    }
    return all;
}

std::vector<Finding> judge(const DoctorFacts& facts) {
    std::vector<Finding> findings{{Grade::good, "Plimsoll", "Version " + facts.version + ".", ""}};
    findings.push_back(database(facts));
    for (const auto& [what, fatal] : facts.unsuitable) {
        findings.push_back({fatal ? Grade::bad : Grade::remark, "PostgreSQL", what,
                            "Change it for the role or the database, or in postgresql.conf."});
    }
    if (facts.has_object_store) findings.push_back(object_store(facts));
    findings.push_back(address(facts));
    add_servers(facts, findings);
    findings.push_back(sign_in(facts));
    add_devices(facts, findings);
    findings.push_back(space("Memory", "", facts.memory_free_bytes, kLittleMemory,
                             "Free some memory, or raise the limit of the container."));
    findings.push_back(space("Disk", " for " + facts.data_directory, facts.disk_free_bytes,
                             kLittleDisk, "Free some space, or set database.data_directory."));
    findings.insert(findings.end(), facts.of_kinds.begin(), facts.of_kinds.end());
    return findings;
}

json findings_json(const std::vector<Finding>& findings) {
    json list = json::array();
    for (const auto& finding : findings) {
        list.push_back({{"grade", word_of(finding.grade)},
                        {"about", finding.about},
                        {"found", finding.found},
                        {"advice", finding.advice}});
    }
    return list;
}

namespace {

// 0: nothing prevents the server from starting.
int run_doctor(const CommandContext& context, const app::Settings& settings,
               const std::string& bundle) {
    const auto facts = gather_facts(settings);
    const auto findings = judge(facts);
    if (!bundle.empty()) {
        need(write_bundle(bundle, bundle_text(facts, findings, settings)),
             terminal::ExitStatus::usage);
    }
    if (context.json)
        context.terminal.line(json{{"findings", findings_json(findings)}}.dump(2));
    else
        print(context.terminal, findings);
    if (!bundle.empty()) context.terminal.note("For a bug report, without secrets: " + bundle);
    return std::ranges::any_of(findings, [](const Finding& f) { return f.grade == Grade::bad; })
               ? 1
               : 0;
}

}  // namespace

void add_doctor(CLI::App& app, CommandContext& context) {
    const auto flags = std::make_shared<SettingsFlags>(jobs::kDoctor);
    auto* command = app.add_subcommand("doctor", "Check this machine and explain what to fix");
    flags->add_to(*command);
    const auto bundle = std::make_shared<std::string>();
    command->add_option("--bundle", *bundle,
                        "Also write a bundle for a bug report to this file, without secrets");
    command->callback([&context, flags, bundle] {
        context.exit_code = run_doctor(context, flags->load(), *bundle);
    });
}

DoctorFacts gather_facts(const app::Settings& settings) {
    DoctorFacts facts;
    facts.version = PLIMSOLL_VERSION;
    facts.embedded_database = settings.database.url.empty();
    facts.postgres_servers = postgres::installed_servers(settings.database.postgres);
    facts.address = settings.http.host + ":" + std::to_string(settings.http.port);
    facts.address_problem = try_address(settings.http);
    facts.probe = probe();
    facts.second_queue = settings.devices.second_queue;
    facts.memory_free_bytes = available_memory();
    facts.data_directory = settings.database.data_directory;
    if (!facts.data_directory.empty())
        facts.data_directory = fs::absolute(facts.data_directory).lexically_normal().string();
    if (facts.data_directory.empty()) {
        if (const auto folder = postgres::default_data_directory())
            facts.data_directory = folder->string();
    }
    look_at_database(facts, settings);
    facts.has_object_store = !settings.objects.url.empty();
    if (facts.has_object_store)
        facts.object_store_problem = outbound::try_object_store(settings.objects);
    facts.servers = serving_processes();
    look_at_sign_in(facts);
    facts.of_kinds = findings_of_kinds(settings);
    facts.disk_free_bytes = free_space(fs::absolute(facts.data_directory));
    return facts;
}

}  // namespace plimsoll::cli

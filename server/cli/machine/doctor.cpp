#include "server/cli/machine/doctor.hpp"

#include "server/cli/commands.hpp"
#include "server/cli/machine/bundle.hpp"
#include "server/cli/machine/settings_flags.hpp"
#include "server/terminal/command_context.hpp"

#include <algorithm>
#include <cstdio>
#include <memory>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace plimsoll::cli {
namespace {

using nlohmann::json;
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
        if (!facts.database_problem) {
            return {Grade::good, "PostgreSQL", "The configured database responds.", ""};
        }
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

Finding address(const DoctorFacts& facts) {
    if (!facts.address_problem) {
        return {Grade::good, "Port", facts.address + " is free.", ""};
    }
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
                        "No device is ready: this machine runs host tasks only.",
                        "Install pocl-opencl-icd for the CPU, or your GPU's OpenCL driver."});
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
    if (facts.signed_in_to.empty()) {
        return {Grade::good, "Sign-in", "This command line is not signed in to any server.", ""};
    }
    if (!facts.sign_in_problem) {
        return {Grade::good, "Sign-in", "Signed in to " + facts.signed_in_to + ".", ""};
    }
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

}  // namespace

std::vector<Finding> judge(const DoctorFacts& facts) {
    std::vector<Finding> findings{{Grade::good, "Plimsoll", "Version " + facts.version + ".", ""}};
    findings.push_back(database(facts));
    for (const auto& [what, fatal] : facts.unsuitable) {
        findings.push_back({fatal ? Grade::bad : Grade::remark, "PostgreSQL", what,
                            "Change it for the role or the database, or in postgresql.conf."});
    }
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
    if (context.json) {
        context.terminal.line(json{{"findings", findings_json(findings)}}.dump(2));
    } else {
        print(context.terminal, findings);
    }
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

}  // namespace plimsoll::cli

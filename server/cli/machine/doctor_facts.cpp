#include "server/app/database.hpp"
#include "server/base/programs/run_program.hpp"
#include "server/base/programs/sibling_program.hpp"
#include "server/cli/machine/doctor.hpp"
#include "server/client/api_client.hpp"
#include "server/client/credentials.hpp"
#include "server/jobs/command.hpp"
#include "server/jobs/settings.hpp"
#include "server/postgres/cluster/embedded_layout.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <unistd.h>

namespace plimsoll::cli {
namespace {

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
    if (unsuitable) {
        facts.unsuitable = std::move(*unsuitable);
    } else {
        facts.database_problem = unsuitable.error();
    }
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
    if (access(program.c_str(), X_OK) != 0) {
        return fail(Errc::not_found, program + " cannot be run: " + std::strerror(errno) + ".");
    }
    auto probed = run_program({.path = program,
                               .arguments = {"probe", "--json"},
                               .environment = own_environment(),
                               .redirections = {{ChildCommand::kNothing, STDERR_FILENO}}});
    if (!probed) return fail(std::move(probed.error()));
    return std::move(probed->output);
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

std::vector<Finding> of_kinds(const app::Settings& settings) {
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

void look_at_sign_in(DoctorFacts& facts) {
    const auto credentials = client::load_credentials();
    if (!credentials) return;
    facts.signed_in_to = credentials->server;
    client::ApiClient api(credentials->server, credentials->token);
    if (const auto me = api.send("GET", "/v1/users/me"); !me) facts.sign_in_problem = me.error();
}

}  // namespace

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
        if (const auto folder = postgres::default_data_directory()) {
            facts.data_directory = folder->string();
        }
    }
    look_at_database(facts, settings);
    facts.servers = serving_processes();
    look_at_sign_in(facts);
    facts.of_kinds = of_kinds(settings);
    facts.disk_free_bytes = free_space(fs::absolute(facts.data_directory));
    return facts;
}

}  // namespace plimsoll::cli

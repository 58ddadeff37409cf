// plimsoll-engine: the worker program, separate from plimsoll so that no driver is ever loaded into
// the server. Its composition root: the only file of engine that includes the server.

#include "engine/cli/command_line.hpp"
#include "engine/opencl/devices/inventory.hpp"
#include "engine/opencl/runtime/cache_directory.hpp"
#include "server/base/log.hpp"
#include "server/base/programs/spawn.hpp"
#include "server/jobs/registry.hpp"
#include "server/outbound/object_store.hpp"
#include "server/outbound/span_exporter.hpp"
#include "server/postgres/pool/listener.hpp"
#include "server/postgres/pool/pool.hpp"
#include "server/postgres/workers/worker_store.hpp"
#include "server/worker/base/worker_info.hpp"
#include "server/worker/device/device_opener.hpp"
#include "server/worker/device/device_settings.hpp"
#include "server/worker/loop/worker_process.hpp"
#include "server/worker/supervisor/supervisor_process.hpp"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <CLI/CLI.hpp>

namespace plimsoll {
namespace {

constexpr int kUsage = 2;
// A fallback for notifications, which may be lost.
constexpr std::chrono::milliseconds kPoll{1000};

struct Options {
    std::filesystem::path cache = opencl::default_kernel_cache();
    std::function<int()> library_command;  // one that needs no server
    std::string device;
    bool until_idle = false;
    worker::SupervisorFds fds;
    std::string last_exit;
    std::string probed;
};

int refuse(const Error& error) {
    std::fprintf(stderr, "plimsoll-engine: %s%s\n", error.message.c_str(),
                 error.where.empty() ? "" : (" (" + error.where + ")").c_str());
    return kUsage;
}

// From the environment, never from an argument: every user can read arguments.
Result<std::string> database_url() {
    for (const auto* name : {"PLIMSOLL_DATABASE_WORKER_URL", "PLIMSOLL_DATABASE_URL"}) {
        const char* value = std::getenv(name);
        if (value != nullptr && *value != '\0') return value;
    }
    return fail(Errc::invalid_input, "No database is configured.",
                "PLIMSOLL_DATABASE_WORKER_URL or PLIMSOLL_DATABASE_URL");
}

worker::KnownKinds known_kinds() {
    worker::KnownKinds kinds;
    for (const auto& run : jobs::runs()) {
        kinds.all.push_back(std::string(run.name) + ":" + std::to_string(run.version));
        if (run.any_device) kinds.helped.push_back(kinds.all.back());
    }
    return kinds;
}

std::uint64_t release_all(opencl::Device* device) {
    std::uint64_t bytes = 0;
    for (const auto& run : jobs::runs())
        if (run.release != nullptr) bytes += run.release(device);
    return bytes;
}

jobs::Prepared prepare_all(jobs::RunContext& context) {
    jobs::Prepared prepared;
    for (const auto& run : jobs::runs()) {
        if (run.prepare == nullptr) continue;
        const auto more = run.prepare(context, SystemClock().now());
        prepared.worked |= more.worked;
        prepared.keeps_ready |= more.keeps_ready;
    }
    return prepared;
}

// The queue of a database, and the connections that it works with.
struct Queue {
    Queue(const boost::asio::any_io_executor& executor, const std::string& url,
          std::shared_ptr<outbound::ObjectStore> object_store = {})
        : pool(executor, {.conninfo = url, .user = {}}),
          listener(executor, {.conninfo = url, .user = {}}, kPoll),
          objects(std::move(object_store)),
          store(executor, pool, listener, objects.get()) {
        pool.start();
        listener.start();
    }

    postgres::Pool pool;
    postgres::Listener listener;
    const std::shared_ptr<outbound::ObjectStore> objects;  // may be null
    postgres::WorkerStore store;
};

worker::ConnectQueue connect_to(std::string url,
                                std::shared_ptr<outbound::ObjectStore> objects = {}) {
    return [url = std::move(url), objects](const boost::asio::any_io_executor& executor) {
        const auto queue = std::make_shared<Queue>(executor, url, objects);
        return std::shared_ptr<queue::WorkerStore>(queue, &queue->store);
    };
}

int run_worker(const Options& options) {
    const auto settings = worker::device_settings();
    if (!settings) return refuse(settings.error());
    worker::limit_process_memory(settings->process_bytes);
    auto kinds = worker::kind_settings(jobs::runs(), options.cache);
    if (!kinds) return refuse(kinds.error());
    auto opener = worker::device_opener(options.device, known_kinds(), *settings, options.probed);
    if (!opener) return refuse(opener.error());
    const auto url = database_url();
    if (!url) return refuse(url.error());
    const char* collector = std::getenv("PLIMSOLL_TRACING_ENDPOINT");
    const auto exporter = outbound::SpanExporter::start(
        collector == nullptr ? "" : collector, 0,
        {"plimsoll-engine", worker::node_name() + "/" + options.device});
    if (!exporter) return refuse(exporter.error());
    auto objects = outbound::ObjectStore::open(outbound::object_settings_of_environment());
    if (!objects) return refuse(objects.error());
    const auto describe = [kinds = *kinds](queue::WorkerInfo& info) {
        worker::describe_capabilities(jobs::runs(), kinds, info);
    };
    return worker::run_worker_process(connect_to(*url, std::move(*objects)), std::move(*opener),
                                      jobs::find_run, std::move(*kinds),
                                      {.release = release_all,
                                       .release_after = settings->clean_when_idle,
                                       .prepare = prepare_all},
                                      options.fds,
                                      {.last_exit = options.last_exit,
                                       .log_readings = settings->log_readings,
                                       .describe = describe});
}

int run_supervisor(const Options& options) {
    const auto url = database_url();
    if (!url) return refuse(url.error());
    worker::SupervisorProcess process{*url, options.cache, {}};
    if (options.until_idle) {
        process.until_idle = [url = *url](const boost::asio::any_io_executor& executor) {
            return [queue = std::make_shared<Queue>(executor, url)](std::string node) {
                return queue->store.is_idle(std::move(node));
            };
        };
    }
    return worker::run_supervisor_process(connect_to(*url), process);
}

// Same setting as the server's, which rejects invalid values; here they mean the default.
log::Level log_level() {
    const char* value = std::getenv("PLIMSOLL_LOG_LEVEL");
    const std::string_view name = value == nullptr ? "" : value;
    if (name == "debug") return log::Level::debug;
    if (name == "warn") return log::Level::warn;
    if (name == "error") return log::Level::error;
    return log::Level::info;
}

log::Format log_format() {
    const char* value = std::getenv("PLIMSOLL_LOG_FORMAT");
    return log::parse_format(value == nullptr ? "" : value).value_or(log::Format::text);
}

// Jobs must run on a read-only file system, too: kernels that are not cached are compiled again.
void work_without(std::filesystem::path& cache, const Error& why) {
    auto temporary = opencl::use_temporary_kernel_cache();
    log::warn("the folder for compiled kernels cannot be used",
              {{"folder", cache.string()},
               {"reason", why.message},
               {"instead", temporary ? temporary->string() : "none"}});
    if (temporary) cache = std::move(*temporary);
}

int run(int argc, char** argv) {
    Options options;
    CLI::App app("Run Plimsoll's tasks on this machine's devices", "plimsoll-engine");
    app.require_subcommand(1);
    app.add_option("--cache", options.cache, "Folder for compiled kernels")->capture_default_str();

    cli::add_commands(app, options.cache, options.library_command);
    auto* worker = app.add_subcommand("worker", "Run a worker for one device");
    worker->add_option("--device", options.device, "host or opencl:<platform>:<index>")->required();
    worker->add_option("--heartbeat-fd", options.fds.heartbeat,
                       "File descriptor to write heartbeats to");
    worker->add_option("--running-fd", options.fds.running,
                       "File descriptor of the record of running tasks");
    worker->add_option("--last-exit", options.last_exit, "How the previous worker exited");
    worker->add_option("--probed", options.probed, "Report of `probe --json` on the device");
    app.add_subcommand("supervise", "Run a worker for the host and every device")
        ->add_flag("--until-idle", options.until_idle, "Stop when nothing is left to do");
    app.footer("Set the database with PLIMSOLL_DATABASE_WORKER_URL or PLIMSOLL_DATABASE_URL.");
    CLI11_PARSE(app, argc, argv);

    const std::string process = worker->parsed() ? "worker " + options.device : "engine";
    std::signal(SIGPIPE, SIG_IGN);  // whoever reads the log may leave
    log::set_format(log_format());
    log::start(process, log_level());
    // A wheel installs this program to PREFIX/bin.
    opencl::use_packaged_driver(
        std::filesystem::path(sibling_program("plimsoll-engine")).parent_path().parent_path());
    const auto made = opencl::use_kernel_cache(options.cache);
    if (!made && options.library_command) return refuse(made.error());
    if (!made) work_without(options.cache, made.error());
    if (options.library_command) return options.library_command();
    return worker->parsed() ? run_worker(options) : run_supervisor(options);
}

}  // namespace
}  // namespace plimsoll

int main(int argc, char** argv) {
    try {
        return plimsoll::run(argc, argv);
    } catch (const std::exception& e) {
        plimsoll::log::error("engine failed", {{"reason", e.what()}});
        return EXIT_FAILURE;
    }
}

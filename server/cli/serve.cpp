#include "engine/training/guides/gpu_profiles_guide.hpp"
#include "server/app/engine_process.hpp"
#include "server/app/server.hpp"
#include "server/base/log.hpp"
#include "server/base/log_format.hpp"
#include "server/cli/commands.hpp"
#include "server/postgres/schema/migrator.hpp"

#include <cstdio>

namespace plimsoll::app {
namespace {

log::Level level_of(const std::string& name) {
    if (name == "debug") return log::Level::debug;
    if (name == "warn") return log::Level::warn;
    return name == "error" ? log::Level::error : log::Level::info;
}

int refuse(const Error& error) {
    std::fprintf(stderr, "Error: %s%s\n", error.message.c_str(),
                 error.where.empty() ? "" : (" (" + error.where + ")").c_str());
    return 1;
}

void log_gpu_profile(const std::string& id) {
    const auto profile = training::gpu_guide::resolve(id);
    const auto& guide = profile->guide;  // the settings were checked
    log::info("default GPU profile",
              {{"gpu_profile", id}, {"workers", guide ? std::to_string(guide->max_workers) : "1"}});
}

}  // namespace

int serve(const Settings& settings) {
    log::set_format(*log::parse_format(settings.log.format));
    log::start("serve", level_of(settings.log.level), log::Lines::gathered);
    export_worker_env(settings);
    // Where the job kind looks for its default.
    setenv("GPU_PROFILE", settings.training.gpu_profile.c_str(), 1);
    log_gpu_profile(settings.training.gpu_profile);
    auto database = Database::open(settings);
    if (!database) return refuse(database.error());
    if ((*database)->can_migrate()) {
        const auto report = postgres::migrate((*database)->migrator());
        if (!report) return refuse(report.error());
        if (report->before != report->after || report->functions > 0) {
            log::info("schema migrated", {{"from", std::to_string(report->before)},
                                          {"to", std::to_string(report->after)},
                                          {"functions", std::to_string(report->functions)}});
        }
        if (report->newer_functions) {
            log::warn("the database's functions are of a newer plimsoll, and were left alone");
        }
    }
    Server server(settings, **database);
    const auto served = server.run();
    (*database)->close();
    if (!served) return refuse(served.error());
    log::info("stopped");
    return 0;
}

}  // namespace plimsoll::app

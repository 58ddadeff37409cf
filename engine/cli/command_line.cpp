#include "engine/cli/command_line.hpp"

#include "engine/cli/commands.hpp"

#include <memory>

#include <CLI/CLI.hpp>

namespace plimsoll::cli {

void add_commands(CLI::App& app, const std::filesystem::path& cache, std::function<int()>& chosen) {
    const auto json = std::make_shared<bool>(false);
    auto* probing = app.add_subcommand("probe", "Find OpenCL devices and try them out");
    probing->add_flag("--json", *json, "One line of JSON");
    probing->callback([json, &chosen] { chosen = [json] { return probe(*json); }; });

    const auto benched = std::make_shared<BenchOptions>();
    auto* benching = app.add_subcommand("bench", "Measure how fast a device is");
    benching->add_option("--device", benched->device, "opencl:<platform>:<index>; the first");
    benching->add_flag("--json", benched->json, "A line of JSON for each number");
    benching->add_flag("--sweep", benched->sweep,
                       "Measure all batch sizes, too, and compare the search with it");
    benching->callback([benched, &cache, &chosen] {
        chosen = [benched, &cache] {
            benched->cache = cache;
            return bench(*benched);
        };
    });

    const auto tuned = std::make_shared<TuneOptions>();
    auto* tuning = app.add_subcommand("tune", "Find the fastest ways to multiply, and keep them");
    tuning->add_option("--device", tuned->device, "opencl:<platform>:<index>; the first");
    tuning->add_option("--seconds", tuned->seconds, "For each size and method")
        ->check(CLI::Range(0.1, 600.0))
        ->capture_default_str();
    tuning->callback([tuned, &cache, &chosen] {
        chosen = [tuned, &cache] {
            tuned->cache = cache;
            return tune(*tuned);
        };
    });
}

}  // namespace plimsoll::cli

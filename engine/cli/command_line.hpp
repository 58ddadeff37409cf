#pragma once

#include <filesystem>
#include <functional>

namespace CLI {
class App;
}

namespace plimsoll::cli {

// Adds the subcommands probe, bench and tune. When one is given, `chosen` is set to a function that
// runs it with the value `cache` has by then, and returns the exit code.
void add_commands(CLI::App& app, const std::filesystem::path& cache, std::function<int()>& chosen);

}  // namespace plimsoll::cli

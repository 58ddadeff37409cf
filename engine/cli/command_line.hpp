#pragma once

#include <filesystem>
#include <functional>
#include <optional>

namespace CLI {
class App;
}

namespace plimsoll::commands {

// Adds probe, bench and tune to a command line. When one of them was given, `chosen` is set to what
// runs it, with the cache folder that was named by then.
void add_commands(CLI::App& app, const std::filesystem::path& cache, std::function<int()>& chosen);

}  // namespace plimsoll::commands

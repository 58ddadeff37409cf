// plimsoll-engine built without the server: the commands that only need the library.

#include "engine/cli/command_line.hpp"
#include "engine/opencl/runtime/cache_directory.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>

#include <CLI/CLI.hpp>

namespace plimsoll {
namespace {

int run(int argc, char** argv) {
    std::filesystem::path cache = opencl::default_kernel_cache();
    std::function<int()> chosen;
    CLI::App app("Test, measure and tune OpenCL devices", "plimsoll-engine");
    app.require_subcommand(1);
    app.add_option("--cache", cache, "Folder for compiled kernels")->capture_default_str();
    cli::add_commands(app, cache, chosen);
    CLI11_PARSE(app, argc, argv);
    if (const auto made = opencl::use_kernel_cache(cache); !made) {
        std::fprintf(stderr, "plimsoll-engine: %s\n", made.error().message.c_str());
        return 2;
    }
    return chosen();
}

}  // namespace
}  // namespace plimsoll

int main(int argc, char** argv) {
    try {
        return plimsoll::run(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "plimsoll-engine: %s\n", error.what());
        return EXIT_FAILURE;
    }
}

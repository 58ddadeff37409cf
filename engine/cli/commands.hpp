#pragma once

#include <filesystem>
#include <string>

// The commands of plimsoll-engine that need no server: what others who use the library can run.
namespace plimsoll::commands {

// Prints what devices there are, and what came of trying them.
int probe(bool as_json);

struct BenchOptions {
    std::string device;  // address; empty: the first that is ready
    std::filesystem::path cache;
    bool json = false;   // a line for each number
    bool sweep = false;  // measure every batch size, too, and hold the knee search against it
};
// Prints how fast the device is. 0: all was measured.
int bench(const BenchOptions& options);

struct TuneOptions {
    std::string device;
    std::filesystem::path cache;
    double seconds = 8;  // for each product and method
};
// Searches for the fastest plans of common products, and keeps them in the cache folder.
int tune(const TuneOptions& options);

}  // namespace plimsoll::commands

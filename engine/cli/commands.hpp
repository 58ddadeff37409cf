#pragma once

#include <filesystem>
#include <string>

// The commands of plimsoll-engine that need no server.
namespace plimsoll::cli {

// Prints the devices found and the result of testing each.
int probe(bool as_json);

struct BenchOptions {
    std::string device;  // address; empty: the first ready device
    std::filesystem::path cache;
    bool json = false;   // one JSON line per measurement
    bool sweep = false;  // also measure every batch size and compare the knee search with it
};
// Prints the device's speed. Returns 0 when every measurement succeeded.
int bench(const BenchOptions& options);

struct TuneOptions {
    std::string device;
    std::filesystem::path cache;
    double seconds = 8;  // time budget per product and method
};
// Searches for the fastest plans of common matrix products and saves them in the cache folder.
int tune(const TuneOptions& options);

}  // namespace plimsoll::cli

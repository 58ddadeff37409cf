#pragma once

#include <filesystem>
#include <string>
#include <vector>

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

struct ProveOptions {
    std::string model;                     // its name
    std::string form;                      // bf16 or int8; empty: both, where the device has them
    std::filesystem::path texts;           // CSV or JSON lines; empty: texts of our own
    std::filesystem::path labels;          // the same with a column "label", instead
    std::vector<std::string> label_names;  // own=positive
    std::filesystem::path models;  // the folder of models; empty: as workers of this machine
    std::string device;
    std::filesystem::path cache;
};
// Compares forms of an installed model with fp32, and keeps with the model which may be used; of
// labelled texts also how often each is right.
int prove(const ProveOptions& options);

}  // namespace plimsoll::cli

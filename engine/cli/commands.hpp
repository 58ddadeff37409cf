#pragma once

#include "engine/base/result.hpp"

#include <filesystem>
#include <string>
#include <vector>

// The commands of plimsoll-engine that need no server. Each returns its exit status, or the error
// to print.
namespace plimsoll::cli {

struct ProbeOptions {
    bool json = false;
    std::filesystem::path cache;
};
// Prints the devices found and the result of testing each.
Result<int> probe(const ProbeOptions& options);

struct BenchOptions {
    std::string device;  // address; empty: the first ready device
    std::filesystem::path cache;
    bool json = false;   // one JSON line per measurement
    bool sweep = false;  // also measure every batch size and compare the knee search with it
};
// Prints the device's speed. Returns 0 when every measurement succeeded.
Result<int> bench(const BenchOptions& options);

struct TuneOptions {
    std::string device;
    std::filesystem::path cache;
    double seconds = 8;  // time budget per product and method
};
// Searches for the fastest plans of common matrix products and saves them in the cache folder.
Result<int> tune(const TuneOptions& options);

struct ProveOptions {
    std::string model;                     // its name
    std::string form;                      // bf16 or int8; empty: both, where the device has them
    std::filesystem::path texts;           // CSV or JSON lines; empty: built-in texts
    std::filesystem::path labels;          // labelled texts instead: with a column "label"
    std::vector<std::string> label_names;  // own=positive
    std::filesystem::path models;          // model folder; empty: as for this machine's workers
    std::string device;
    std::filesystem::path cache;
};
// Compares forms of an installed model with fp32 and records with the model which of them may be
// used. With labelled texts, also measures the accuracy of each form.
Result<int> prove(const ProveOptions& options);

struct EmbedOptions {
    std::string model;             // its name
    std::filesystem::path texts;   // CSV or JSON lines
    std::filesystem::path models;  // model folder; empty: as for this machine's workers
    std::string device;
    std::filesystem::path cache;
};
// Prints the embedding of every text by an installed model without a head, one JSON line for each.
Result<int> embed(const EmbedOptions& options);

}  // namespace plimsoll::cli

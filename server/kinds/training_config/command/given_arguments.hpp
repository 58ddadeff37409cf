#pragma once

#include "engine/base/result.hpp"
#include "server/http/contract/argument_flags.hpp"
#include "server/jobs/kind.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace CLI {
class App;
}

namespace plimsoll::jobs::training_config {

// "training.padded", as --set takes it.
std::string dotted(std::string_view pointer);

// How a command line gives a value there: "--lora 8", "--checkpointing", "--set
// cluster.offload=none".
std::string as_flag(std::string_view pointer, const nlohmann::json& value);

// JSON as Python writes it: Infinity and NaN, which JSON lacks, become null. Discarded: it is none.
nlohmann::json parse_python_json(std::string text);

// A file of arguments, or a model's config.json.
Result<nlohmann::json> read_json(const std::string& path);

// The arguments of a run as a command line gives them: on top of those of files, by a flag for
// every option with x-flag in openapi.yaml, and by --set.
class GivenArguments {
  public:
    // The command's options refer to this object.
    void add_flags(CLI::App& command);
    void add_set(CLI::App& command);
    void give(std::string_view flag, std::vector<std::string> values);
    // {"--batch": ["8"]}, of a program. Errors: there is no such flag.
    Result<void> give_all(const nlohmann::json& flags);

    bool has(std::string_view flag) const { return values_.contains(flag); }
    // Of a flag with one value; empty if it is not given.
    std::string value(std::string_view flag) const;
    // The first flag that is given besides these.
    std::string other_than(std::initializer_list<std::string_view> flags) const;

    // `args` with what is given. Errors name the file or the flag.
    Result<nlohmann::json> on_top_of(nlohmann::json args) const;

    // Where the value at a place of the arguments was given: "--batch", "--set training.padded" or
    // "args.json (training.padded)". `file` has the others; empty: there is none.
    std::string source_of(std::string_view pointer, const std::string& file) const;
    // All errors, each with its source.
    Error in_sources(const FieldErrors& errors, const std::string& file) const;

  private:
    void add_known_names(CLI::App& command);
    const http::ArgumentFlag* flag_at(std::string_view pointer) const;
    Result<void> check_settings_once() const;

    std::map<std::string_view, std::vector<std::string>> values_;  // by flag
    std::vector<std::string> settings_;                            // training.padded=true
};

}  // namespace plimsoll::jobs::training_config

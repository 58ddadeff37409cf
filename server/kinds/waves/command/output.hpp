#pragma once

#include "engine/waves/report/scan.hpp"
#include "engine/waves/settings/keys.hpp"
#include "server/terminal/command_context.hpp"

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace plimsoll::jobs::waves {

struct Options {
    std::vector<std::string> files;  // .csv, .jsonl or .ndjson
    std::string preset = "whole";
    std::string config;                    // YAML or JSON file of settings
    std::vector<std::string> assignments;  // key=value, after preset and config
    std::vector<std::string>
        symbols;  // only these: names, or .txt files that list some; empty: all
    std::vector<std::string> columns;  // member=column of the files
    std::string format = "text";       // text, json, jsonl or csv
    std::string output;                // file; empty: standard output
    std::string check;                 // "PATTERN up|down END,END,…": check this count instead
    int replay = 0;                    // report the changes by each of the last N bars
    bool follow = false;               // and the changes by every appended bar
    std::string images;                // image format of save_images: svg (empty), png or both
    std::string time_zone;             // empty: as in the files, else UTC
    bool list_keys = false;
};

// The reports in the format options.format; `notes` are settings without effect.
std::string render(const std::vector<::plimsoll::waves::SymbolReport>& reports,
                   const Options& options, const ::plimsoll::waves::Settings& settings,
                   const std::vector<::plimsoll::waves::KeyNote>& notes);

// To the file; to standard output if the name is empty.
void write(const std::string& file, const std::string& text);

// Pictures of each symbol's best counts, if the settings request them.
void write_images(const std::vector<::plimsoll::waves::SymbolReport>& reports,
                  const Options& options, const ::plimsoll::waves::Settings& settings);

// The times of the search, as profile_waves.txt next to the pictures, if the settings request it.
void write_profile(const terminal::CommandContext& context,
                   const std::vector<::plimsoll::waves::SymbolReport>& reports,
                   const ::plimsoll::waves::Settings& settings);

// A report's summary for a terminal: the ranking with each best count and its significance, then
// what was searched. `width` is that of its table (0: unlimited).
std::string summary_text(const nlohmann::json& summary, std::size_t width);

}  // namespace plimsoll::jobs::waves

#pragma once

#include <string>
#include <vector>

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

}  // namespace plimsoll::jobs::waves

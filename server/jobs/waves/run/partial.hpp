#pragma once

#include "engine/waves/report/report.hpp"

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::waves {

// What a task tells the merge of its symbols.
struct Partial {
    nlohmann::json symbols = nlohmann::json::array();   // a line of the ranking each
    nlohmann::json errors = nlohmann::json::array();    // the first failed symbols
    nlohmann::json computed = nlohmann::json::array();  // who searched how many symbols, and why
    ::plimsoll::waves::Coverage coverage;
    std::uint64_t bars = 0;
    std::uint64_t failed = 0;
    double seconds = 0;  // of processor time, searching

    void add(std::int64_t index, const ::plimsoll::waves::SymbolReport& report);
    // Of a later task.
    void add(Partial other);

    void add_computed(const std::string& by, const std::string& why, std::uint64_t symbols);

    // For storage between a task and the merge: below 64 KiB.
    std::string to_json() const;
    static Result<Partial> from_json(std::string_view text);
};

}  // namespace plimsoll::jobs::waves

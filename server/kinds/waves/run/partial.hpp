#pragma once

#include "engine/waves/report/chance_judge.hpp"

#include <map>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::waves {

// A task's results about its symbols, for the merge.
struct Partial {
    nlohmann::json symbols = nlohmann::json::array();   // one line of the ranking each
    nlohmann::json errors = nlohmann::json::array();    // the first failed symbols
    nlohmann::json computed = nlohmann::json::array();  // what searched which symbols, and why
    // For tasks that share the surrogates of symbols: their judgements, by the index of the symbol,
    // and rows without them.
    std::map<std::int64_t, ::plimsoll::waves::Judgement> judgements;
    nlohmann::json rows = nlohmann::json::array();
    ::plimsoll::waves::Coverage coverage;
    std::uint64_t bars = 0;
    std::uint64_t failed = 0;
    double seconds = 0;  // of CPU time, searching

    // All of it except what searched.
    void add(std::int64_t index, const ::plimsoll::waves::SymbolReport& report);
    // `node`: the machine. `symbols`: 1, or 0 if the symbol is counted elsewhere, and this is for
    // surrogates only.
    void add_computed(const ::plimsoll::waves::SymbolReport& report, std::string_view node,
                      std::uint64_t symbols);
    // Adds a later task's.
    void add(Partial other);
    // After all were added: writes the judgements into symbols and rows.
    void judge();

    // For storage between a task and the merge: below 64 KiB except for rows, which compress to
    // about a tenth of kBytesOfDrafts.
    std::string packed() const;
    static Result<Partial> unpacked(std::string_view packed);

  private:
    struct Searcher {
        std::string by;  // the CPU, or a device
        std::string node;
        std::string why;
    };
    void add_computed(const Searcher& searcher, std::uint64_t symbols, std::uint64_t surrogates);
};

}  // namespace plimsoll::jobs::waves

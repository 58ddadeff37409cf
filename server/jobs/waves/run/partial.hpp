#pragma once

#include "engine/waves/report/judgement.hpp"

#include <map>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::waves {

// What a task tells the merge of its symbols.
struct Partial {
    nlohmann::json symbols = nlohmann::json::array();   // a line of the ranking each
    nlohmann::json errors = nlohmann::json::array();    // the first failed symbols
    nlohmann::json computed = nlohmann::json::array();  // who searched what, and why
    // Where tasks share the surrogates of symbols: what they say, by the index of the symbol, and
    // rows that do not know it yet.
    std::map<std::int64_t, ::plimsoll::waves::Judgement> judgements;
    nlohmann::json rows = nlohmann::json::array();
    ::plimsoll::waves::Coverage coverage;
    std::uint64_t bars = 0;
    std::uint64_t failed = 0;
    double seconds = 0;  // of processor time, searching

    // All of it but who searched.
    void add(std::int64_t index, const ::plimsoll::waves::SymbolReport& report);
    // `node`: the machine. `symbols`: 1, or 0 where somebody else is named for the symbol, and this
    // for surrogates alone.
    void add_computed(const ::plimsoll::waves::SymbolReport& report, std::string_view node,
                      std::uint64_t symbols);
    // Of a later task.
    void add(Partial other);
    // When all are added: writes the judgements into symbols and rows.
    void judge();

    // For storage between a task and the merge: below 64 KiB but for rows, which are compressed to
    // about a tenth of kBytesOfDrafts.
    std::string packed() const;
    static Result<Partial> unpacked(std::string_view packed);

  private:
    struct Searcher {
        std::string by;  // the processor, or a device
        std::string node;
        std::string why;
    };
    void add_computed(const Searcher& searcher, std::uint64_t symbols, std::uint64_t surrogates);
};

}  // namespace plimsoll::jobs::waves

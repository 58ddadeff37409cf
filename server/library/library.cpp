#include "server/library/library.hpp"

#include "engine/base/json.hpp"
#include "server/base/gzip.hpp"
#include "server/http/contract/contract.hpp"
#include "server/http/contract/contract_text.hpp"
#include "server/http/contract/json_body.hpp"
#include "server/jobs/registry.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string_view>
#include <vector>

namespace plimsoll::library {
namespace {

Error described(const jobs::FieldErrors& errors) {
    std::string message;
    for (const auto& error : errors) {
        const auto place = error.pointer.substr(error.pointer.empty() ? 0 : 1);
        message +=
            (message.empty() ? "" : "\n") + (place.empty() ? "" : place + ": ") + error.message;
    }
    return {Errc::invalid_input, message, {}};
}

Result<json> checked_args(std::string_view kind, std::string_view text) {
    auto args = http::parse_json(text);
    if (!args) return fail(Errc::invalid_input, args.error().detail);
    static const http::Contract contract(http::contract_json());
    jobs::FieldErrors errors;
    for (const auto& violation :
         contract.find("createJob")->body->check({{"kind", kind}, {"args", *args}})) {
        const bool inside = violation.pointer.starts_with("/args");
        errors.push_back(
            {inside ? violation.pointer.substr(5) : violation.pointer, "", violation.message});
    }
    if (!errors.empty()) return fail(described(errors));
    return std::move(*args);
}

// A job's report in a line, then its rows.
Result<std::string> run(const jobs::Contract& contract, const json& args) {
    const auto plan = contract.plan(args, {});
    if (!plan) return fail(described(plan.error()));
    const auto* run = jobs::find_run(contract.name, contract.version);
    TRY(const auto parsed, run->parse(plan->args));
    std::vector<std::string> rows;
    std::vector<std::string> partials;
    Progress progress;
    for (const auto& task : plan->tasks) {
        jobs::RunContext context{.progress = progress, .stop = {}};
        TRY(auto output, run->run(parsed, task.input, context));
        rows.push_back(std::move(output.results));
        partials.push_back(std::move(output.partial));
    }
    TRY(auto merged, run->merge(parsed, partials));
    if (!merged.results.empty()) rows.back() = std::move(merged.results);
    std::string out = merged.summary + "\n";
    for (const auto& packed : rows) {
        TRY(auto some, gunzip(packed, std::numeric_limits<std::uint32_t>::max()));
        out += some;
    }
    return out;
}

}  // namespace

void give(const std::string& text, Bytes& out) {
    out = {static_cast<char*>(std::malloc(std::max<std::size_t>(1, text.size()))), text.size()};
    if (out.data == nullptr) throw std::bad_alloc();
    std::memcpy(out.data, text.data(), text.size());
}

}  // namespace plimsoll::library

using namespace plimsoll;

PLIMSOLL_EXPORT void plimsoll_free(char* data) { std::free(data); }

// Runs a job of the kind with these arguments (JSON) on the host's processors.
PLIMSOLL_EXPORT int plimsoll_run(const char* kind, const char* args, std::size_t size,
                                 library::Bytes* out) {
    return library::answer(*out, [&]() -> Result<std::string> {
        const auto* contract = jobs::find_contract(kind);
        if (contract == nullptr) return fail(Errc::not_found, "There is no such kind.", kind);
        TRY(const auto checked, library::checked_args(kind, {args, size}));
        return library::run(*contract, checked);
    });
}

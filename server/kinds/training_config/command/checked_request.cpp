#include "engine/base/json.hpp"
#include "server/http/contract/contract.hpp"
#include "server/http/contract/contract_text.hpp"
#include "server/kinds/training_config/command/commands.hpp"

namespace plimsoll::jobs::training_config {
namespace {

FieldErrors schema_errors(const json& args) {
    static const http::Contract contract(http::contract_json());
    const json spec = {{"kind", "training-config"}, {"args", args}};
    FieldErrors errors;
    for (const auto& violation : contract.find("createEstimate")->body->check(spec)) {
        // The place within the arguments, as everywhere on the command line.
        errors.push_back({violation.pointer.substr(std::string_view("/args").size()), "schema",
                          violation.message});
    }
    return errors;
}

}  // namespace

tl::expected<Request, FieldErrors> checked_request(const json& args) {
    if (auto errors = schema_errors(args); !errors.empty())
        return tl::unexpected(std::move(errors));
    return accept_request(args);
}

tl::expected<Request, FieldErrors> checked_run(const json& args) {
    if (auto errors = schema_errors(args); !errors.empty())
        return tl::unexpected(std::move(errors));
    return parse_request(args);
}

}  // namespace plimsoll::jobs::training_config

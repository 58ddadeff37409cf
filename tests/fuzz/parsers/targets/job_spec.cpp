// The body of a submit: JSON, its schema, and the arguments of its kind.
#include "server/http/contract/contract.hpp"
#include "server/http/contract/contract_text.hpp"
#include "server/http/contract/json_body.hpp"
#include "server/http/messages/limits.hpp"
#include "server/jobs/registry.hpp"
#include "tests/fuzz/parsers/targets.hpp"

namespace plimsoll::fuzz {

void give_job_spec(std::string_view text) {
    static const http::Contract contract(http::contract_json());
    static const auto& schema = *contract.find("createJob")->body;
    ensure(http::parsed_size(text) >= text.size() / 64);
    const auto body = http::parse_json(text);
    if (!body) {
        ensure(body.error().status == 400);
        return;
    }
    ensure(!http::invalid_utf8(text));
    const auto again = http::parse_json(body->dump());
    ensure(again && *again == *body);
    const auto violations = schema.check(*body);
    ensure(violations.size() <= http::limits::kFieldErrors);
    if (!violations.empty()) return;
    const auto* kind = jobs::find_contract(body->at("kind").get<std::string>());
    ensure(kind != nullptr);
    const auto plan = kind->plan(body->at("args"), {});
    ensure(plan ? !plan->tasks.empty() : !plan.error().empty());
}

}  // namespace plimsoll::fuzz

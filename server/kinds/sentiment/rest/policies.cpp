// Policies that choose models: those of the team, that of the server's settings, and what they
// choose.
//
// The usage of the models that policies chose over the last N hours, compared with one fixed model.
#include "engine/base/json.hpp"
#include "server/http/endpoints/edits.hpp"
#include "server/http/endpoints/page.hpp"
#include "server/http/endpoints/query.hpp"
#include "server/kinds/sentiment/contract/policy_preview.hpp"
#include "server/kinds/sentiment/contract/policy_report.hpp"
#include "server/kinds/sentiment/contract/settings.hpp"
#include "server/kinds/sentiment/contract/texts.hpp"
#include "server/kinds/sentiment/rest/rest.hpp"
#include "server/queue/share_store.hpp"

#include <algorithm>
#include <memory>
#include <set>

namespace plimsoll::jobs::sentiment {

using http::Call;
using http::need;
using http::Problem;
using http::Refused;
using http::Response;
using http::endpoints::author_of;

namespace {

constexpr int kDefaultDays = 7;

std::string id_of(const Call& call) { return call.parameters.text("policy_id").value_or(""); }

Problem invalid(const FieldErrors& errors, const std::string& below = {}) {
    Problem problem(422, "The policy is invalid.");
    for (const auto& error : errors)
        problem.errors.push_back({below + error.pointer, {}, error.message});
    return problem;
}

// Models that a definition names and no worker has. The definition has passed its schema.
json missing_of(const json& definition, const std::vector<Manifest>& models) {
    std::set<std::string> names = definition.value("fallback", std::set<std::string>());
    names.insert(definition.at("model").get<std::string>());
    for (const json& rule : definition.value("rules", json::array()))
        names.insert(rule.at("model").get<std::string>());
    auto missing = json::array();
    for (const auto& name : names) {
        const bool is_there = std::ranges::find(models, name, &Manifest::name) != models.end();
        if (name != kVader && !is_there) missing.push_back(name);
    }
    return missing;
}

json policy_json(const std::string& id, const json& definition, std::optional<Timestamp> updated_at,
                 const std::vector<Manifest>& models) {
    return {{"id", id},
            {"builtin", id == kServerPolicy},
            {"missing", missing_of(definition, models)},
            {"version", http::endpoints::content_version(definition)},
            {"updated_at", updated_at ? json(to_rfc3339(*updated_at)) : json(nullptr)},
            {"definition", definition}};
}

class Policies {
  public:
    explicit Policies(Services services) : services_(std::move(services)) {}

    awaitable<Response> list(const Call& call) const {
        const auto stored = need(co_await records_of(call));
        const auto devices = need(co_await services_.stores.jobs.devices());
        const auto models = models_of(devices, call.principal.team.id);
        auto items = json::array({built_in(models)});
        for (const auto& record : stored) items.push_back(json_of(record, models));
        co_return http::endpoints::list_response(call, std::move(items), [](const json& item) {
            return item.at("builtin").get<bool>() ? "" : item.at("id").get<std::string>();
        });
    }

    awaitable<Response> get(const Call& call) const {
        const auto stored = need(co_await records_of(call));
        const auto devices = need(co_await services_.stores.jobs.devices());
        const auto models = models_of(devices, call.principal.team.id);
        if (id_of(call) == kServerPolicy) co_return shown(built_in(models));
        const auto found = std::ranges::find(stored, id_of(call), &TeamRecord::id);
        if (found == stored.end()) throw unknown();
        co_return shown(json_of(*found, models));
    }

    awaitable<Response> put(const Call& call) const {
        if (id_of(call) == kServerPolicy) throw of_server();
        if (const auto policy = parse_policy(call.body); !policy)
            throw Refused(invalid(policy.error()));
        const auto author = co_await http::endpoints::editor_of(
            call, present(call), +[](const json& definition) { return definition; });
        TeamRecord record;
        record.name = id_of(call);
        record.data = call.body.dump();
        const auto stored =
            need(co_await services_.stores.records.put(kPolicies, author, std::move(record)));
        const auto devices = need(co_await services_.stores.jobs.devices());
        co_return shown(json_of(stored, models_of(devices, call.principal.team.id)));
    }

    awaitable<Response> remove(const Call& call) const {
        if (id_of(call) == kServerPolicy) throw of_server();
        need(co_await services_.stores.records.remove(kPolicies, author_of(call), id_of(call)));
        co_return http::empty_response(204);
    }

    awaitable<Response> preview(const Call& call) const {
        const json& body = call.body;
        if (body.contains("policy_id") == body.contains("definition")) {
            throw Refused(
                invalid({{"", "one_of", "Give exactly one of \"policy_id\" and \"definition\"."}}));
        }
        auto definition = body.value("definition", json());
        const auto id = body.value("policy_id", std::string());
        if (id == kServerPolicy) definition = server_policy(services_.settings);
        if (definition.is_null()) {
            const auto stored = need(co_await records_of(call));
            const auto found = std::ranges::find(stored, id, &TeamRecord::id);
            if (found == stored.end()) throw unknown();
            definition = json::parse(found->data);
        }
        const auto devices = need(co_await services_.stores.jobs.devices());
        const auto at = body.contains("at") ? *parse_rfc3339(body["at"]) : services_.clock.now();
        const auto answer = preview_policy(definition, models_of(devices, call.principal.team.id),
                                           {.at = at,
                                            .days = body.value("days", kDefaultDays),
                                            .source = body.value("source", "")});
        if (!answer) throw Refused(invalid(answer.error()));
        co_return http::json_response(200, *answer);
    }

  private:
    static Response shown(const json& policy) {
        return http::endpoints::with_version(http::json_response(200, policy),
                                             policy.at("definition"));
    }
    // The definition of the policy in the path; null if the team has none of this ID.
    awaitable<json> present(const Call& call) const {
        const auto stored = need(co_await records_of(call));
        const auto found = std::ranges::find(stored, id_of(call), &TeamRecord::id);
        co_return found == stored.end() ? json() : json::parse(found->data);
    }
    static Refused unknown() { return Refused(404, "The team's policy was not found."); }
    static Refused of_server() {
        return Refused(409, "The policy \"server\" comes from the server's settings.");
    }
    static json json_of(const TeamRecord& record, const std::vector<Manifest>& models) {
        return policy_json(record.id, json::parse(record.data), record.updated_at, models);
    }
    json built_in(const std::vector<Manifest>& models) const {
        return policy_json(std::string(kServerPolicy), server_policy(services_.settings), {},
                           models);
    }
    awaitable<Result<std::vector<TeamRecord>>> records_of(const Call& call) const {
        co_return co_await services_.stores.records.list(kPolicies, call.principal.team.id);
    }

    Services services_;
};

constexpr int kDefaultHours = 24;
constexpr int kMaxModels = 100;  // in an hour

awaitable<Response> report(const Call& call, const Services& services) {
    PolicyReportQuestion question;
    question.hours = static_cast<int>(call.parameters.integer("hours").value_or(kDefaultHours));
    question.against =
        call.parameters.text("against").value_or(std::string(services.settings.text(kModelName)));
    // The current hour is one of them.
    const auto now = std::chrono::floor<std::chrono::hours>(services.clock.now());
    question.from = now - std::chrono::hours(question.hours - 1);
    const auto rows = need(co_await services.stores.shares.usage(
        {.team = call.principal.team.id,
         .from = question.from,
         .to = question.from + std::chrono::hours(question.hours),
         .by = {"hour", "kind", "model"},
         .limit = question.hours * kMaxModels}));
    const auto devices = need(co_await services.stores.jobs.devices());
    std::vector<UseOfHour> use;
    for (const auto& row : rows) {
        if (row.kind != kName || !row.start) continue;
        use.push_back({*row.start, row.model, row.device_seconds, row.items});
    }
    co_return http::json_response(
        200, policy_report(use, models_of(devices, call.principal.team.id), question));
}

}  // namespace

void add_policies(http::Handlers& handlers, const Services& services) {
    const http::Members on(handlers, std::make_shared<const Policies>(services));
    on("listPolicies", &Policies::list);
    on("getPolicy", &Policies::get);
    on("setPolicy", &Policies::put);
    on("deletePolicy", &Policies::remove);
    on("createPolicyPreview", &Policies::preview);
}

void add_policy_report(http::Handlers& handlers, const Services& services) {
    const auto kept = std::make_shared<const Services>(services);
    handlers["getPolicyReport"] = [kept](const Call& call) { return report(call, *kept); };
}

}  // namespace plimsoll::jobs::sentiment

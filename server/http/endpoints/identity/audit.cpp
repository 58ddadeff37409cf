// Who changed what, and when: as pages, and as a file.
#include "engine/base/json.hpp"
#include "server/http/access/authentication.hpp"
#include "server/http/endpoints/endpoints.hpp"
#include "server/http/endpoints/json_values.hpp"
#include "server/http/endpoints/page.hpp"
#include "server/http/endpoints/query.hpp"
#include "server/jobs/records/results_converter.hpp"

#include <array>
#include <charconv>

namespace plimsoll::http::endpoints {

using identity::AuditEvent;
using identity::AuditEventId;
using identity::AuditQuery;

namespace {

constexpr int kExportedAtOnce = 1000;

// The type of ID that an action's target is, by the action's noun. The targets of other nouns are
// names.
struct TargetKind {
    std::string_view noun;
    std::string_view prefix;
};
constexpr std::array kTargetKinds = {
    TargetKind{"job", "job"},           TargetKind{"dataset", "data"},
    TargetKind{"schedule", "sched"},    TargetKind{"webhook", "hook"},
    TargetKind{"team", "team"},         TargetKind{"user", "user"},
    TargetKind{"member", "user"},       TargetKind{"link", "user"},
    TargetKind{"token", "tok"},         TargetKind{"service_account", "user"},
    TargetKind{"session", "sess"},      TargetKind{"baseline", "base"},
    TargetKind{"hold", "hold"},         TargetKind{"report_link", "link"},
    TargetKind{"password", "user"},     TargetKind{"password_link", "user"},
    TargetKind{"invitation", "inv"},    TargetKind{"second_factor", "user"},
    TargetKind{"recovery_code", "user"}};

// The members of an event's data that are IDs, as rows hold them.
constexpr std::array kDataIds = {TargetKind{"job", "job"}, TargetKind{"user", "user"},
                                 TargetKind{"actor_team", "team"}, TargetKind{"from_team", "team"}};

constexpr std::array<jobs::Column, 11> kAuditColumns = {{{"id"},
                                                         {"at"},
                                                         {"action"},
                                                         {"target"},
                                                         {"user_id"},
                                                         {"user"},
                                                         {"team_id"},
                                                         {"team"},
                                                         {"address"},
                                                         {"request_id"},
                                                         {"data"}}};

std::string shown_target(const AuditEvent& event) {
    const auto noun = std::string_view(event.action).substr(0, event.action.find('.'));
    for (const auto& kind : kTargetKinds) {
        if (kind.noun != noun) continue;
        std::int64_t id = 0;
        const auto* end = event.target.data() + event.target.size();
        const auto read = std::from_chars(event.target.data(), end, id);
        if (read.ec == std::errc() && read.ptr == end) return public_id(kind.prefix, id);
    }
    return event.target;
}

// The meaning of an ID in a query: its number in the rows, and the actions it may belong to.
void set_target(AuditQuery& query, const std::string& text) {
    query.target = text;
    for (const auto& kind : kTargetKinds) {
        const auto id = parse_public_id(kind.prefix, text);
        if (!id) continue;
        query.target = std::to_string(*id);
        query.nouns.emplace_back(kind.noun);
    }
}

json audit_json(const AuditEvent& event) {
    json shown = {{"id", to_public(event.id)},
                  {"at", to_rfc3339(event.at)},
                  {"action", event.action},
                  {"target", text_or_null(shown_target(event))},
                  {"user_id", nullptr},
                  {"user", text_or_null(event.user_name)},
                  {"team_id", nullptr},
                  {"team", text_or_null(event.team_name)},
                  {"address", text_or_null(event.address)},
                  {"request_id", text_or_null(event.request_id)},
                  {"data", json::parse(event.data)}};
    for (const auto& [name, prefix] : kDataIds) {
        const auto id = shown["data"].find(name);
        if (id != shown["data"].end() && id->is_number_integer())
            *id = public_id(prefix, id->get<std::int64_t>());
    }
    if (event.action == "job.create" && event.target.empty())
        for (auto& job : shown["data"]["jobs"])
            job = plimsoll::to_public(JobId{std::stoll(job.get_ref<const std::string&>())});
    if (event.user) shown["user_id"] = plimsoll::to_public(*event.user);
    if (event.team) shown["team_id"] = plimsoll::to_public(*event.team);
    return shown;
}

AuditQuery audit_query(const Call& call) {
    AuditQuery query;
    if (!call.parameters.flag("all_teams"))
        query.team = call.principal.team.id;
    else if (!has_scope(call.principal, "sys:admin"))
        throw Refused(403, "Reading all teams' events needs the scope sys:admin.");
    query.action = call.parameters.text("action").value_or("");
    if (const auto user = call.parameters.text("user_id")) {
        const auto id = parse_public_id("user", *user);
        query.user = UserId{id.value_or(0)};  // matches no user if the ID is malformed
    }
    if (const auto target = call.parameters.text("target")) set_target(query, *target);
    query.from = time_parameter(call, "from");
    query.until = time_parameter(call, "to");
    return query;
}

class AuditTable final : public BodyStream {
  public:
    AuditTable(identity::AuditStore& store, AuditQuery query)
        : store_(store), query_(std::move(query)) {
        query_.limit = kExportedAtOnce;
    }

    awaitable<Result<std::optional<std::string>>> next() override {
        if (ended_) co_return std::nullopt;
        std::string out;
        if (!query_.before) jobs::append_csv_header(out, kAuditColumns);
        CO_TRY(const auto events, co_await store_.list(query_));
        for (const auto& event : events) {
            jobs::append_csv_row(out, kAuditColumns, {}, audit_json(event));
            query_.before = event.id;
        }
        ended_ = events.size() < static_cast<std::size_t>(query_.limit);
        co_return out;
    }

  private:
    identity::AuditStore& store_;
    AuditQuery query_;
    bool ended_ = false;
};

awaitable<Response> list_audit(const Call& call, identity::AuditStore& store) {
    auto query = audit_query(call);
    query.before = page_cursor<AuditEventId>(call, "audit");
    query.limit = peek_limit(call);
    auto events = need(co_await store.list(std::move(query)));
    co_return page_response(call, std::move(events), audit_json, place_by_id<AuditEvent>);
}

awaitable<Response> export_audit(const Call& call, identity::AuditStore& store) {
    auto query = audit_query(call);
    Response response;
    response.with("Content-Type", "text/csv")
        .with("Content-Disposition", "attachment; filename=\"audit-events.csv\"");
    response.stream = std::make_unique<AuditTable>(store, std::move(query));
    co_return response;
}

}  // namespace

void add_audit(Handlers& handlers, identity::AuditStore& store) {
    handlers["listAuditEvents"] = [&store](const Call& call) { return list_audit(call, store); };
    handlers["exportAuditEvents"] = [&store](const Call& call) {
        return export_audit(call, store);
    };
}

}  // namespace plimsoll::http::endpoints

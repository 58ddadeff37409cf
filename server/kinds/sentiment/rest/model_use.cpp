// What depends on a model.
#include "server/kinds/sentiment/contract/server_policy.hpp"
#include "server/kinds/sentiment/contract/texts.hpp"
#include "server/kinds/sentiment/rest/rest.hpp"

#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace plimsoll::jobs::sentiment {

using boost::asio::awaitable;
using http::Call;
using http::need;
using http::Refused;
using http::Response;
using nlohmann::json;
using queue::Users;
using queue::Uses;

namespace {

json users_json(const Users& users) {
    auto items = json::array();
    for (const auto& [id, name] : users.first) {
        items.push_back({{"id", id}, {"name", name.empty() ? json(nullptr) : json(name)}});
    }
    return {{"count", users.own}, {"items", std::move(items)}, {"elsewhere", users.elsewhere}};
}

std::string counted(std::int64_t count, const std::string& one, const std::string& many) {
    return std::to_string(count) + " " + (count == 1 ? one : many);
}

// "the jobs 17 and 18", "the policy desk", "3 jobs of other teams".
void add_users(std::vector<std::string>& parts, const Users& users, const std::string& one,
               const std::string& many) {
    constexpr std::size_t kShown = 5;
    if (users.own > 0) {
        std::vector<std::string> shown;
        for (const auto& [id, name] : users.first) {
            if (shown.size() < kShown) shown.push_back(one == "job" || name.empty() ? id : name);
        }
        const auto more = users.own - static_cast<std::int64_t>(shown.size());
        parts.push_back(fmt::format("the {} {}{}", users.own == 1 ? one : many,
                                    fmt::join(shown, ", "),
                                    more > 0 ? fmt::format(" and {} more", more) : ""));
    }
    if (users.elsewhere > 0)
        parts.push_back(counted(users.elsewhere, one, many) + " of other teams");
}

std::string detail(const std::string& model, Uses& uses, const std::vector<std::string>& settings) {
    std::vector<std::string> parts;
    add_users(parts, uses["job"], "job", "jobs");
    add_users(parts, uses["policy"], "policy", "policies");
    add_users(parts, uses["schedule"], "schedule", "schedules");
    if (!settings.empty())
        parts.push_back(fmt::format("the server's settings ({})", fmt::join(settings, ", ")));
    if (parts.empty()) return "Nothing uses the model " + model + ".";
    return fmt::format("The model {} is used by {}.", model, fmt::join(parts, "; "));
}

awaitable<Response> model_use(const Call& call, const Services& services) {
    const auto model = call.parameters.text("model").value_or("");
    if (model == kVader) throw Refused(404, "vader is built in and cannot be removed.");
    const auto use = need(co_await use_of(services, call.principal.team.id, model));
    co_return http::json_response(200, use);
}

}  // namespace

awaitable<Result<json>> use_of(const Services& services, TeamId team, std::string model) {
    auto uses = co_await services.stores.jobs.uses(team, "model", model);
    if (!uses) co_return fail(uses.error());
    const auto settings = settings_that_name(services.settings, model);
    const bool is_used = std::ranges::any_of(
        *uses, [](const auto& sort) { return sort.second.own + sort.second.elsewhere > 0; });
    co_return json{{"model", model},
                   {"used", is_used || !settings.empty()},
                   {"detail", detail(model, *uses, settings)},
                   {"settings", settings},
                   {"jobs", users_json((*uses)["job"])},
                   {"policies", users_json((*uses)["policy"])},
                   {"schedules", users_json((*uses)["schedule"])}};
}

void add_model_use(http::Handlers& handlers, const Services& services) {
    const auto kept = std::make_shared<const Services>(services);
    handlers["getModelUse"] = [kept](const Call& call) { return model_use(call, *kept); };
}

}  // namespace plimsoll::jobs::sentiment

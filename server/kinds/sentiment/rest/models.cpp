// The models that texts can be scored with: vader, and those that workers have.
#include "engine/base/json.hpp"
//
// What depends on a model.
#include "engine/models/store.hpp"
#include "server/base/offload.hpp"
#include "server/http/endpoints/query.hpp"
#include "server/identity/audit_store.hpp"
#include "server/jobs/records/model_requirement.hpp"
#include "server/kinds/sentiment/contract/model_choice.hpp"
#include "server/kinds/sentiment/contract/models.hpp"
#include "server/kinds/sentiment/contract/settings.hpp"
#include "server/kinds/sentiment/contract/texts.hpp"
#include "server/kinds/sentiment/rest/model_operations.hpp"
#include "server/kinds/sentiment/rest/rest.hpp"

#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace plimsoll::jobs::sentiment {

using http::Call;
using http::need;
using http::Refused;
using http::Response;
using queue::Users;
using queue::Uses;

namespace {

struct Advertisement {
    std::string device;  // node/device
    std::string text;    // of PlanningContext::advertisements
};

// What is known about the models besides the workers' offers.
struct Known {
    std::vector<Advertisement> advertisements;  // of ready devices
    std::vector<std::string> absent;            // of those that may come back
    std::vector<std::string> hosts;             // devices that run vader
    std::vector<Manifest> local;                // of this machine, with their files
    std::vector<TeamRecord> speeds;
    TeamId team;
};

void add_speed(json& speeds, json form, const Speed& speed) {
    if (speed.texts == 0) return;
    speeds.push_back({{"form", std::move(form)},
                      {"seconds_per_text", speed.seconds_per_text()},
                      {"texts", speed.texts}});
}

json speeds_of_vader(const Known& known) {
    auto speeds = json::array();
    add_speed(speeds, nullptr, speed_of(known.speeds, ""));
    return speeds;
}

json speeds_of(const Manifest& model, const Known& known) {
    auto speeds = json::array();
    for (const char* form : {"fp32", "bf16", "int8"}) {
        const auto name = resident_name(model.name, model.hash, form);
        add_speed(speeds, form, speed_of(known.speeds, name));
    }
    return speeds;
}

json vader_json(const Known& known) {
    return {{"name", kVader},
            {"hash", nullptr},
            {"family", kVader},
            {"labels", {"positive", "neutral", "negative"}},
            {"parameters", 0},
            {"longest_text", nullptr},
            {"licence", "MIT"},
            {"source", "pypi.org/project/vaderSentiment"},
            {"added_at", nullptr},
            {"added_by", nullptr},
            {"audience", "all"},
            {"bytes", nullptr},
            {"proofs", json::array()},
            {"accuracies", json::array()},
            {"speeds", speeds_of_vader(known)},
            {"devices", known.hosts},
            {"files", json::array()}};
}

bool is_same(const Manifest& one, const Manifest& other) {
    return one.name == other.name && one.hash == other.hash;
}

json devices_of(const Manifest& model, const Known& known) {
    auto devices = json::array();
    for (const auto& advertisement : known.advertisements) {
        const auto models = models_of(std::span(&advertisement.text, 1), known.team);
        if (std::ranges::any_of(models, [&](const auto& one) { return is_same(one, model); }))
            devices.push_back(advertisement.device);
    }
    return devices;
}

json files_of(const Manifest& model, const Known& known) {
    const auto here =
        std::ranges::find_if(known.local, [&](const auto& one) { return is_same(one, model); });
    return here == known.local.end() ? json::array() : json(here->files);
}

json model_json(const Manifest& model, const Known& known) {
    json shown = model;
    for (const char* member : {"layers", "hidden", "intermediate"}) shown.erase(member);
    if (model.bytes == 0) shown["bytes"] = nullptr;
    shown["audience"] = model.audience.empty() ? "all" : "team";
    shown["speeds"] = speeds_of(model, known);
    shown["devices"] = devices_of(model, known);
    shown["files"] = files_of(model, known);
    return shown;
}

json models_json(const Known& known, const std::string& standard) {
    std::vector<std::string> texts;
    for (const auto& advertisement : known.advertisements) texts.push_back(advertisement.text);
    const auto ready = models_of(texts, known.team);
    const bool is_there = std::ranges::find(ready, standard, &Manifest::name) != ready.end();
    texts.insert(texts.end(), known.absent.begin(), known.absent.end());
    auto items = json::array({vader_json(known)});
    for (const auto& model : models_of(texts, known.team))
        items.push_back(model_json(model, known));
    return {{"default", is_there ? standard : kVader}, {"items", std::move(items)}};
}

class Models {
  public:
    Models(Services services, std::shared_ptr<const ModelOperations> operations)
        : services_(std::move(services)),
          operations_(std::move(operations)),
          folder_(models_folder(services_.settings)) {}

    awaitable<Response> list(const Call& call) const {
        const auto known = need(co_await read(call.principal.team.id));
        co_return http::json_response(200, models_json(known, default_model(services_.settings)));
    }

    awaitable<Response> remove(const Call& call) const {
        const auto name = name_of(call);
        if (name == kVader) throw Refused(404, "vader is built in and cannot be removed.");
        const auto team = call.principal.team.id;
        const auto installed =
            co_await offload(services_.pool, [&] { return models::Store(folder_).find(name); });
        if (!installed || !is_for(installed->audience, team))
            throw Refused(404, "The server's machine has no model \"" + name + "\".");
        if (operations_->works_on(name)) {
            throw Refused(
                409, "The model is being verified: wait for the operation to end, or cancel it.");
        }
        const bool forced = call.parameters.flag("force");
        if (!forced) {
            const auto use = need(co_await use_of(services_, team, name));
            if (use.at("used").get<bool>()) {
                throw Refused(409, use.at("detail").get<std::string>() +
                                       " Set force to true to remove it anyway.");
            }
        }
        need(co_await services_.stores.audit.record(
            http::endpoints::author_of(call), "model.remove", name,
            json{{"hash", installed->hash}, {"forced", forced}}.dump()));
        const auto removed =
            co_await offload(services_.pool, [&] { return models::Store(folder_).remove(name); });
        if (!removed) throw Refused(removed.error());
        co_return http::empty_response(204);
    }

  private:
    static std::string name_of(const Call& call) {
        return call.parameters.text("model").value_or("");
    }

    awaitable<Result<Known>> read(TeamId team) const {
        Known known;
        known.team = team;
        CO_TRY(const auto devices, co_await services_.stores.jobs.devices());
        for (const auto& device : devices) {
            if (may_come_back(device, services_.clock.now()))
                known.absent.push_back(queue::advertisements_of(device));
            if (!is_ready(device)) continue;
            const auto name = device.node + "/" + device.device;
            if (device.device_class == "host") known.hosts.push_back(name);
            if (auto text = queue::advertisements_of(device); !text.empty())
                known.advertisements.push_back({name, std::move(text)});
        }
        CO_TRY(known.speeds,
               co_await services_.stores.records.list(kSpeeds, team, {.limit = kSpeeds.planning}));
        known.local =
            co_await offload(services_.pool, [&] { return models::Store(folder_).list(); });
        co_return known;
    }

    Services services_;
    std::shared_ptr<const ModelOperations> operations_;
    std::filesystem::path folder_;
};

json users_json(const Users& users) {
    auto items = json::array();
    for (const auto& [id, name] : users.first)
        items.push_back({{"id", id}, {"name", name.empty() ? json(nullptr) : json(name)}});
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
        for (const auto& [id, name] : users.first)
            if (shown.size() < kShown) shown.push_back(one == "job" || name.empty() ? id : name);
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

void add_models(http::Handlers& handlers, const Services& services,
                const std::shared_ptr<const ModelOperations>& operations) {
    const http::Members on(handlers, std::make_shared<const Models>(services, operations));
    on("listModels", &Models::list);
    on("removeModel", &Models::remove);
}

awaitable<Result<json>> use_of(const Services& services, TeamId team, std::string model) {
    CO_TRY(auto uses, co_await services.stores.jobs.uses(team, "model", model));
    const auto settings = settings_that_name(services.settings, model);
    const bool is_used = std::ranges::any_of(
        uses, [](const auto& sort) { return sort.second.own + sort.second.elsewhere > 0; });
    co_return json{{"model", model},
                   {"used", is_used || !settings.empty()},
                   {"detail", detail(model, uses, settings)},
                   {"settings", settings},
                   {"jobs", users_json(uses["job"])},
                   {"policies", users_json(uses["policy"])},
                   {"schedules", users_json(uses["schedule"])}};
}

void add_model_use(http::Handlers& handlers, const Services& services) {
    const auto kept = std::make_shared<const Services>(services);
    handlers["getModelUse"] = [kept](const Call& call) { return model_use(call, *kept); };
}

}  // namespace plimsoll::jobs::sentiment

// The known GPU models: the built-in ones and the team's own.
#include "server/kinds/training_config/contract/gpu_profiles.hpp"

#include "engine/base/json.hpp"
#include "server/http/endpoints/edits.hpp"
#include "server/kinds/training_config/contract/collections.hpp"
#include "server/kinds/training_config/contract/request.hpp"
#include "server/kinds/training_config/rest/rest.hpp"

#include <map>

namespace plimsoll::jobs::training_config {

using http::Call;
using http::need;
using http::Refused;
using http::Response;

namespace {

class GpuProfiles {
  public:
    explicit GpuProfiles(teams::TeamRecordStore& store) : store_(store) {}

    awaitable<Response> list(const Call& call) const {
        const auto known = co_await all(call);
        co_return http::json_response(200, known);
    }

    awaitable<Response> put(const Call& call) const {
        auto card = call.body;
        card["id"] = id_of(call);
        const auto gpu = parse_custom_gpu(card);
        if (!gpu) throw Refused(http::invalid_member(gpu.error().where, gpu.error().message));
        if (http::endpoints::only_creates(call) && is_built_in_gpu(id_of(call)))
            throw Refused(http::endpoints::exists_already());
        const auto author = co_await http::endpoints::editor_of(
            call, own_definition(call), +[](const json& definition) { return definition; });
        TeamRecord record;
        record.name = id_of(call);
        record.data = card.dump();
        need(co_await store_.put(kGpuProfiles, author, std::move(record)));
        auto shown = gpu_profile_json(*gpu);
        shown["version"] = http::endpoints::content_version(card);
        co_return http::endpoints::with_version(http::json_response(200, shown), card);
    }

    awaitable<Response> remove(const Call& call) const {
        need(co_await store_.remove(kGpuProfiles, author_of(call), id_of(call)));
        co_return http::empty_response(204);
    }

  private:
    awaitable<json> all(const Call& call) const {
        const auto stored = need(co_await store_.list(kGpuProfiles, call.principal.team.id));
        std::vector<::plimsoll::training::GpuProfile> custom;
        std::map<std::string, json> definitions;
        for (const auto& record : stored) {
            const auto& definition = definitions[record.id] = json::parse(record.data);
            if (auto gpu = parse_custom_gpu(definition)) custom.push_back(std::move(*gpu));
        }
        auto known = gpu_profiles_json(custom);
        for (auto& gpu : known.at("items"))
            gpu["version"] = http::endpoints::content_version(definitions[gpu.at("id")]);
        co_return known;
    }

    // Of the team's profile in the path; null if the team has none of this ID.
    awaitable<json> own_definition(const Call& call) const {
        const auto stored = need(co_await store_.list(kGpuProfiles, call.principal.team.id));
        for (const auto& record : stored)
            if (record.id == id_of(call)) co_return json::parse(record.data);
        co_return json();
    }

    static std::string id_of(const Call& call) {
        return call.parameters.text("gpu_profile_id").value_or("");
    }

    teams::TeamRecordStore& store_;
};

}  // namespace

void add_gpu_profiles(http::Handlers& handlers, teams::TeamRecordStore& store) {
    const http::Members on(handlers, std::make_shared<const GpuProfiles>(store));
    on("listGpuProfiles", &GpuProfiles::list);
    on("setGpuProfile", &GpuProfiles::put);
    on("deleteGpuProfile", &GpuProfiles::remove);
}

}  // namespace plimsoll::jobs::training_config

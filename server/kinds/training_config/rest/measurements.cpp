// Measurements of real training runs, compared with their predictions.
#include "engine/base/json.hpp"
#include "server/http/endpoints/jobs/job_json.hpp"
#include "server/http/endpoints/page.hpp"
#include "server/http/endpoints/query.hpp"
#include "server/kinds/training_config/contract/collections.hpp"
#include "server/kinds/training_config/contract/limits.hpp"
#include "server/kinds/training_config/contract/measurement.hpp"
#include "server/kinds/training_config/rest/rest.hpp"

#include <limits>

namespace plimsoll::jobs::training_config {

using http::Call;
using http::need;
using http::Problem;
using http::Refused;
using http::Response;
using http::endpoints::job_id_of;

namespace {

// The key by which a page is ordered: a larger id comes first.
std::string newest_first(const json& measurement) {
    const auto id = parse_public_id(kMeasurementPrefix, measurement.at("id").get<std::string>());
    return public_id("", std::numeric_limits<std::int64_t>::max() - id.value());
}

class Measurements {
  public:
    Measurements(teams::TeamRecordStore& store, queue::JobStore& jobs)
        : store_(store), jobs_(jobs) {}

    awaitable<Response> list(const Call& call) const {
        std::optional<JobId> job;
        if (const auto text = call.parameters.text("job_id")) job = job_id_of(text);
        const auto found =
            need(co_await store_.list(kMeasurements, call.principal.team.id, {.job = job}));
        co_return http::endpoints::list_response(
            call, http::endpoints::array_of(found, measurement_json), newest_first);
    }

    awaitable<Response> create(const Call& call) const {
        auto body = call.body;
        std::optional<JobId> job;
        if (body.contains("job_id")) {
            const auto found = co_await job_of(call);
            job = found.id;
            if (!body.contains("args")) body["args"] = json::parse(found.args);
        }
        if (!body.contains("args")) {
            throw Refused(
                http::invalid_member("", "Send either \"args\" or the \"job_id\" of the report."));
        }
        const auto compared = measurement_of(body);
        if (!compared) {
            Problem problem(422, "The measurement is invalid.");
            for (const auto& error : compared.error())
                problem.errors.push_back({error.pointer, {}, error.message});
            throw Refused(std::move(problem));
        }
        TeamRecord record;
        record.job = job;
        record.section = compared->at("comparison_key").get<std::string>();
        record.data = compared->dump();
        const auto added =
            need(co_await store_.put(kMeasurements, author_of(call), std::move(record)));
        const auto shown = measurement_json(added);
        co_return http::located(http::json_response(201, shown),
                                "/v1/training-measurements/" + shown.at("id").get<std::string>());
    }

    awaitable<Response> remove(const Call& call) const {
        const auto id = parse_public_id(kMeasurementPrefix,
                                        call.parameters.text("measurement_id").value_or(""));
        if (!id) throw Refused(404, "The measurement was not found.");
        need(co_await store_.remove(kMeasurements, author_of(call), std::to_string(*id)));
        co_return http::empty_response(204);
    }

  private:
    // The team's job that the measurement names.
    awaitable<queue::Job> job_of(const Call& call) const {
        const auto id = parse_public_id("job", call.body["job_id"].get_ref<const std::string&>());
        if (!id) throw Refused(http::invalid_member("/job_id", "The job was not found."));
        auto found = co_await jobs_.get(call.principal.team.id, JobId{*id});
        if (!found && found.error().code != Errc::not_found) throw Refused(found.error());
        if (!found || found->kind != kName) {
            throw Refused(
                http::invalid_member("/job_id", "The training-config job was not found."));
        }
        co_return std::move(*found);
    }

    teams::TeamRecordStore& store_;
    queue::JobStore& jobs_;
};

}  // namespace

void add_measurements(http::Handlers& handlers, teams::TeamRecordStore& store,
                      queue::JobStore& jobs) {
    const http::Members on(handlers, std::make_shared<const Measurements>(store, jobs));
    on("listTrainingMeasurements", &Measurements::list);
    on("createTrainingMeasurement", &Measurements::create);
    on("deleteTrainingMeasurement", &Measurements::remove);
}

}  // namespace plimsoll::jobs::training_config

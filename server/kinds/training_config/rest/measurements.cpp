// Measurements of real training runs, compared with their predictions.
#include "server/http/endpoints/author.hpp"
#include "server/http/endpoints/jobs/job_json.hpp"
#include "server/http/endpoints/page.hpp"
#include "server/kinds/training_config/contract/collections.hpp"
#include "server/kinds/training_config/contract/limits.hpp"
#include "server/kinds/training_config/contract/measurement.hpp"
#include "server/kinds/training_config/rest/rest.hpp"

#include <limits>

namespace plimsoll::jobs::training_config {

using boost::asio::awaitable;
using http::Call;
using http::Outcome;
using http::Problem;
using http::Response;
using http::endpoints::job_id_of;
using nlohmann::json;

namespace {

Problem refused(std::string pointer, std::string why) {
    Problem problem(422, "The measurement is invalid.");
    problem.errors.push_back({std::move(pointer), {}, std::move(why)});
    return problem;
}

// The key by which a page is ordered: a larger id comes first.
std::string newest_first(const json& measurement) {
    const auto id = parse_public_id(kMeasurementPrefix, measurement.at("id").get<std::string>());
    return public_id("", std::numeric_limits<std::int64_t>::max() - id.value());
}

class Measurements {
  public:
    Measurements(teams::TeamRecordStore& store, queue::JobStore& jobs)
        : store_(store), jobs_(jobs) {}

    awaitable<Outcome<Response>> list(const Call& call) const {
        std::optional<JobId> job;
        if (const auto text = call.parameters.text("job_id")) {
            const auto id = job_id_of(text);
            if (!id) co_return tl::unexpected(id.error());
            job = *id;
        }
        const auto found =
            co_await store_.list(kMeasurements, call.principal.team.id, {.job = job});
        if (!found) co_return tl::unexpected<Problem>(found.error());
        auto items = json::array();
        for (const auto& record : *found) items.push_back(measurement_json(record));
        co_return http::endpoints::list_response(call, std::move(items), newest_first);
    }

    awaitable<Outcome<Response>> get(const Call& call) const {
        const auto found = co_await store_.list(kMeasurements, call.principal.team.id);
        if (!found) co_return tl::unexpected<Problem>(found.error());
        for (const auto& record : *found) {
            auto shown = measurement_json(record);
            if (shown.at("id") == call.parameters.text("measurement_id").value_or("")) {
                co_return http::json_response(200, shown);
            }
        }
        co_return unknown();
    }

    awaitable<Outcome<Response>> create(const Call& call) const {
        auto body = call.body;
        std::optional<JobId> job;
        if (body.contains("job_id")) {
            const auto found = co_await job_of(call);
            if (!found) co_return tl::unexpected(found.error());
            job = found->id;
            if (!body.contains("args")) body["args"] = json::parse(found->args);
        }
        if (!body.contains("args")) {
            co_return tl::unexpected(
                refused("", "Send either \"args\" or the \"job_id\" of the report."));
        }
        const auto compared = measurement_of(body);
        if (!compared) {
            Problem problem(422, "The measurement is invalid.");
            for (const auto& error : compared.error()) {
                problem.errors.push_back({error.pointer, {}, error.message});
            }
            co_return tl::unexpected(std::move(problem));
        }
        TeamRecord record;
        record.job = job;
        record.section = compared->at("comparison_key").get<std::string>();
        record.data = compared->dump();
        const auto added = co_await store_.put(kMeasurements, author_of(call), std::move(record));
        if (!added) co_return tl::unexpected<Problem>(added.error());
        const auto shown = measurement_json(*added);
        auto response = http::json_response(201, shown);
        response.with("Location", "/v1/training-measurements/" + shown.at("id").get<std::string>());
        co_return response;
    }

    awaitable<Outcome<Response>> remove(const Call& call) const {
        const auto id = parse_public_id(kMeasurementPrefix,
                                        call.parameters.text("measurement_id").value_or(""));
        if (!id) co_return unknown();
        const auto removed =
            co_await store_.remove(kMeasurements, author_of(call), std::to_string(*id));
        if (!removed) co_return tl::unexpected<Problem>(removed.error());
        co_return http::empty_response(204);
    }

  private:
    static tl::unexpected<Problem> unknown() {
        return http::refuse(404, "The measurement was not found.");
    }

    // The team's job that the measurement names.
    awaitable<Outcome<queue::Job>> job_of(const Call& call) const {
        const auto id = parse_public_id("job", call.body["job_id"].get_ref<const std::string&>());
        if (!id) co_return tl::unexpected(refused("/job_id", "The job was not found."));
        auto found = co_await jobs_.get(call.principal.team.id, JobId{*id});
        if (!found && found.error().code != Errc::not_found) {
            co_return tl::unexpected<Problem>(found.error());
        }
        if (!found || found->kind != kName) {
            co_return tl::unexpected(refused("/job_id", "The training-config job was not found."));
        }
        co_return std::move(*found);
    }

    teams::TeamRecordStore& store_;
    queue::JobStore& jobs_;
};

}  // namespace

void add_measurements(http::Handlers& handlers, teams::TeamRecordStore& store,
                      queue::JobStore& jobs) {
    const auto measurements = std::make_shared<const Measurements>(store, jobs);
    handlers["listTrainingMeasurements"] = [measurements](const Call& call) {
        return measurements->list(call);
    };
    handlers["getTrainingMeasurement"] = [measurements](const Call& call) {
        return measurements->get(call);
    };
    handlers["createTrainingMeasurement"] = [measurements](const Call& call) {
        return measurements->create(call);
    };
    handlers["deleteTrainingMeasurement"] = [measurements](const Call& call) {
        return measurements->remove(call);
    };
}

}  // namespace plimsoll::jobs::training_config

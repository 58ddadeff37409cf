// What real training runs took, against what was predicted for them.
#include "server/http/endpoints/author.hpp"
#include "server/http/endpoints/jobs/job_json.hpp"
#include "server/http/endpoints/kinds/advice.hpp"

namespace plimsoll::http::endpoints {

using advice::Measurement;
using boost::asio::awaitable;
using nlohmann::json;

namespace {

json measurement_json(const Measurement& m) {
    json out = json::parse(m.data);
    out["id"] = to_public(m.id);
    out["job_id"] = m.job ? json(plimsoll::to_public(*m.job)) : json(nullptr);
    out["created_at"] = to_rfc3339(m.created_at);
    return out;
}

Problem refused(std::string pointer, std::string why) {
    Problem problem(422, "The measurement cannot be taken.");
    problem.errors.push_back({std::move(pointer), {}, std::move(why)});
    return problem;
}

class Measurements {
  public:
    Measurements(advice::RecordStore& store, queue::JobStore& jobs, const advice::Advisor& advisor)
        : store_(store), jobs_(jobs), advisor_(advisor) {}

    awaitable<Outcome<Response>> list(const Call& call) const {
        std::optional<JobId> job;
        if (const auto text = call.parameters.text("job_id")) {
            const auto id = job_id_of(text);
            if (!id) co_return tl::unexpected(id.error());
            job = *id;
        }
        const auto limit = static_cast<int>(call.parameters.integer("limit").value_or(50));
        const auto found = co_await store_.measurements(call.principal.team.id, job, limit);
        if (!found) co_return tl::unexpected<Problem>(found.error());
        auto items = json::array();
        for (const auto& m : *found) items.push_back(measurement_json(m));
        co_return json_response(200, {{"items", std::move(items)}});
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
                refused("", "Say what was trained: \"args\", or the \"job_id\" of its report."));
        }
        auto compared = advisor_.compare(body);
        if (!compared) {
            Problem problem(422, "The measurement cannot be taken.");
            for (const auto& error : compared.error()) {
                problem.errors.push_back({error.pointer, {}, error.message});
            }
            co_return tl::unexpected(std::move(problem));
        }
        compared->job = job;
        const auto added = co_await store_.add_measurement(author_of(call), std::move(*compared));
        if (!added) co_return tl::unexpected<Problem>(added.error());
        co_return json_response(201, measurement_json(*added));
    }

    awaitable<Outcome<Response>> remove(const Call& call) const {
        const auto id =
            parse_public_id("meas", call.parameters.text("measurement_id").value_or(""));
        if (!id) co_return refuse(404, "There is no such measurement.");
        const auto removed =
            co_await store_.remove_measurement(author_of(call), advice::MeasurementId{*id});
        if (!removed) co_return tl::unexpected<Problem>(removed.error());
        co_return empty_response(204);
    }

  private:
    // The team's job that the measurement names.
    awaitable<Outcome<queue::Job>> job_of(const Call& call) const {
        const auto id = parse_public_id("job", call.body["job_id"].get_ref<const std::string&>());
        if (!id) co_return tl::unexpected(refused("/job_id", "There is no such job."));
        auto found = co_await jobs_.get(call.principal.team.id, JobId{*id});
        if (!found && found.error().code != Errc::not_found) {
            co_return tl::unexpected<Problem>(found.error());
        }
        if (!found || !advisor_.knows(found->kind)) {
            co_return tl::unexpected(refused("/job_id", "There is no such training-config job."));
        }
        co_return std::move(*found);
    }

    advice::RecordStore& store_;
    queue::JobStore& jobs_;
    const advice::Advisor& advisor_;
};

}  // namespace

void add_training_measurements(Handlers& handlers, advice::RecordStore& store,
                               queue::JobStore& jobs, const advice::Advisor& advisor) {
    const auto measurements = std::make_shared<const Measurements>(store, jobs, advisor);
    handlers["listTrainingMeasurements"] = [measurements](const Call& call) {
        return measurements->list(call);
    };
    handlers["createTrainingMeasurement"] = [measurements](const Call& call) {
        return measurements->create(call);
    };
    handlers["deleteTrainingMeasurement"] = [measurements](const Call& call) {
        return measurements->remove(call);
    };
}

}  // namespace plimsoll::http::endpoints

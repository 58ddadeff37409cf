#include "tests/conformance/worker_process.hpp"

#include "server/postgres/cluster/embedded_settings.hpp"

#include <stdexcept>

namespace plimsoll::conformance {

People make_people(const std::string& name) {
    auto& cluster = Cluster::get();
    const auto user = cluster.execute("insert into plimsoll.app_user (name) values ('" + name +
                                      "') returning id");
    const auto team =
        cluster.execute("insert into plimsoll.team (name) values ('" + name + "') returning id");
    cluster.execute("insert into plimsoll.membership (team_id, user_id, role) values (" + team +
                    ", " + user + ", 'owner')");
    return {UserId{std::stoll(user)}, TeamId{std::stoll(team)}};
}

queue::NewJob make_job(const People& people, const std::string& kind, int tasks,
                       const std::string& device_class) {
    queue::NewJob job;
    job.team = people.team;
    job.submitter = people.user;
    job.kind = kind;
    job.name = "a job";
    job.labels = {{"desk", "energy"}};
    job.plan.args = R"({"model": "vader"})";
    job.plan.requirement.device_class = device_class;
    for (int i = 0; i < tasks; ++i) {
        // Bytes that are no text: inputs are opaque.
        job.plan.tasks.push_back({std::string("\0\xff", 2) + std::to_string(i), 10, 0.1});
    }
    return job;
}

WorkerProcess::WorkerProcess(asio::io_context& io, const std::string& kind,
                             const std::string& device_class, const std::string& device)
    : database(io.get_executor(), Cluster::get().as(postgres::kWorkerRole)) {
    info.node = kind;
    info.device = device;
    info.device_class = device_class;
    info.name = "A device";
    info.capability = R"({"self_test": "passed"})";
    info.memory_bytes = std::int64_t{4} << 30;
    info.kinds = {kind + ":1"};
    auto registered = await(io, database.worker().register_worker(info));
    if (!registered) throw std::runtime_error(registered.error().message);
    handle = *registered;
    // It sends no heartbeats: on a slow machine its leases must not expire during a test.
    Cluster::get().execute(
        "update plimsoll.worker set seen_at = seen_at + interval '1 day' where id = " +
        std::to_string(handle.id));
}

std::vector<queue::TaskReport> done(const queue::Claim& claim) {
    std::vector<queue::TaskReport> reports;
    for (const auto& task : claim.tasks) {
        queue::TaskReport report;
        report.job = task.job;
        report.seq = task.seq;
        report.merge = task.merge;
        report.device_seconds = 0.1;
        if (task.merge) {
            report.report = R"({"partials": )" + std::to_string(task.partials.size()) + "}";
        } else {
            report.output.results = "results of " + task.input;
            report.output.items_ok = task.items - 1;
            report.output.items_failed = 1;
            report.output.partial =
                task.whole == 1 ? R"({"partials": 1})" : "partial " + std::to_string(task.seq);
        }
        reports.push_back(std::move(report));
    }
    return reports;
}

}  // namespace plimsoll::conformance

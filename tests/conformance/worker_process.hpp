#pragma once

#include "server/queue/store.hpp"
#include "server/queue/worker_store.hpp"
#include "tests/conformance/cluster/cluster.hpp"
#include "tests/conformance/cluster/worker_stores.hpp"

#include <string>
#include <vector>

namespace plimsoll::conformance {

struct People {
    UserId user;
    TeamId team;
};

// A user and a team of this name, which the user owns. Created by SQL, so that tests of the queue
// do not need the identity store.
People make_people(const std::string& name);

// A job of opaque inputs, 10 items per task.
queue::NewJob make_job(const People& people, const std::string& kind, int tasks,
                       const std::string& device_class = "cpu");

// A registered worker process of the class that runs this kind, on a node of the kind's name.
struct WorkerProcess {
    WorkerProcess(asio::io_context& io, const std::string& kind, const std::string& device_class,
                  const std::string& device);
    queue::WorkerStore& store() { return database.worker(); }
    WorkerStores database;
    queue::WorkerInfo info;
    queue::WorkerHandle handle;
};

// Reports of tasks that succeeded, except for one item each.
std::vector<queue::TaskReport> done(const queue::Claim& claim);

}  // namespace plimsoll::conformance

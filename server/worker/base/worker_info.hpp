#pragma once

#include "engine/opencl/probing/capability.hpp"
#include "server/queue/worker_store.hpp"

#include <string>
#include <vector>

// Who a worker is to the queue.
namespace plimsoll::worker {

// PLIMSOLL_NODE, else the host name.
std::string node_name();

// This machine since it started, and its network namespace in it: what workers that go by the same
// name do not share unless one is the other's successor. See SupervisorPlace.
std::string home();

// What a worker runs, by name and version ("word-count:3").
struct KnownKinds {
    std::vector<std::string> all;
    std::vector<std::string> helped;  // those of which it also runs tasks of other device classes
};

// Of an OpenCL device, usable or not.
queue::WorkerInfo worker_info(const opencl::Capability& capability, KnownKinds kinds);

}  // namespace plimsoll::worker

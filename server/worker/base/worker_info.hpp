#pragma once

#include "engine/opencl/probing/capability.hpp"
#include "server/jobs/kind.hpp"
#include "server/queue/worker_store.hpp"

#include <span>
#include <string>
#include <vector>

// The identity of a worker in the queue.

namespace plimsoll::worker {

// PLIMSOLL_NODE, else the host name.
std::string node_name();

// Identifies this machine's boot and network namespace. Two workers with the same node name share
// it only if one succeeds the other. See SupervisorPlace.
std::string home();

// The kinds that a worker runs, by name and version ("kind:3").
struct KnownKinds {
    std::vector<std::string> all;
    std::vector<std::string> helped;  // those it also runs for other device classes
};

// For an OpenCL device, usable or not.
queue::WorkerInfo worker_info(const opencl::Capability& capability, KnownKinds kinds);

// Sets the kinds' current capabilities on the device that `info` describes.
void describe_capabilities(std::span<const jobs::Run> kinds, const jobs::KindSettings& settings,
                           queue::WorkerInfo& info);

}  // namespace plimsoll::worker

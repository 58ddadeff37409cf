#pragma once

#include "server/client/session.hpp"

#include <optional>
#include <string>

namespace plimsoll::client {

struct ProfileOptions {
    std::string mode = "full";
    std::string sentiment_model = "vader";
    std::string llm_endpoint;  // empty, as the model: the server's first
    std::string llm_model;
    std::string output_folder = "out/profiling";
    std::string device_class;  // empty: the server chooses
    std::string device;        // "node/device"; empty: any
    std::optional<int> largest_batch;
    std::optional<double> latency_ms;
    std::optional<double> memory_mb;
    std::string baseline;  // file of an earlier report; empty: the team's, if it pinned one
    bool pin = false;      // makes the report the team's baseline
};

// Runs a job of kind `profile`, writes its summary to gpu_profile_YYYYmmdd_HHMMSS.json (local time)
// in the folder, which is made, and shows it with the changes since the baseline.
int profile(const Session& session, const ProfileOptions& options);

}  // namespace plimsoll::client

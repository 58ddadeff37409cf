#pragma once

#include "server/client/session.hpp"

#include <string>

// The commands on schedules. Each returns the process's exit code (see session.hpp).
namespace plimsoll::client {

struct ScheduleOptions {
    std::string id;
    std::string name;
    std::string cron;
    std::string time_zone;
    std::string misfire;    // skip, once, all
    int misfire_limit = 0;  // 0: the server's default, or what it was
    std::string overlap;    // allow, skip, cancel, queue
    std::string job_file;   // a JobSpec as JSON; - for standard input
    int limit = 20;
};

int list_schedules(const Session& session);
int show_schedule(const Session& session, const ScheduleOptions& options);
int add_schedule(const Session& session, const ScheduleOptions& options);
// Changes what is given and leaves the rest.
int edit_schedule(const Session& session, const ScheduleOptions& options);
int pause_schedule(const Session& session, const ScheduleOptions& options);
int resume_schedule(const Session& session, const ScheduleOptions& options);
int remove_schedule(const Session& session, const ScheduleOptions& options);
int run_schedule(const Session& session, const ScheduleOptions& options);
int list_schedule_runs(const Session& session, const ScheduleOptions& options);

}  // namespace plimsoll::client

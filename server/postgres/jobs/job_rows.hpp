#pragma once

#include "server/postgres/driver/rows.hpp"
#include "server/queue/job.hpp"
#include "server/queue/store.hpp"
#include "server/queue/wait.hpp"

namespace plimsoll::postgres {

// From a row of jobs.get, jobs.search or jobs.list.
queue::Job to_job(const Row& row);

// From a row of jobs.redrive.
queue::Redriven to_redriven(const Row& row);

// From a row of jobs.wait.
queue::Wait to_wait(const Row& row);

// The error for a missing job and for another team's job.
Error no_such_job();

// From a row of events.after.
queue::JobEvent to_event(const Row& row);

// From a row of jobs.attempts.
queue::Attempt to_attempt(const Row& row);

// From rows of jobs.tasks.
queue::FoundTasks to_found_tasks(const Rows& rows);

// From a row of results.chunks or report_links.chunks.
// Of a result: empty if the task is done.
std::string why_quarantined(const Row& row);
queue::ChunkInfo to_chunk_info(const Row& row);

// From the rows of results.end, of which there is one at least; contents as they are stored.
queue::Ended to_ended(JobId id, const Rows& rows);

// From a row of results.chunk or report_links.chunk.
std::string to_content(const Row& row);

// From a row of devices.list.
queue::DeviceStatus to_device(const Row& row);

std::string to_json(const queue::Labels& labels);

// Errors of tasks and jobs as stored: {"message": …}; and the message in it.
std::string error_to_json(const std::string& message);
std::string error_message(const std::string& json);
// A text as it stands in such an error, without the quotes.
std::string within_json(const std::string& text);

}  // namespace plimsoll::postgres

#pragma once

#include "server/client/session.hpp"

#include <optional>
#include <string>
#include <vector>

// The user commands, one file each. Each returns the process's exit code (see session.hpp).
namespace plimsoll::client {

struct LoginOptions {
    std::string link;    // http://host:port/#/sign-in/plm_signin_…
    std::string server;  // with `token`, instead of a link
    std::string token;
};
int login(const Session& session, const LoginOptions& options);
int whoami(const Session& session);

struct SubmitOptions {
    std::string kind;
    std::string file;  // .jsonl, .csv, or .json for complete arguments; - for standard input
    std::string name;
    std::vector<std::string> labels;    // key=value
    std::vector<std::string> settings;  // member=value of "args"
    std::vector<std::string> columns;   // member=column of the file
    std::string idempotency_key;
    int priority = 0;
    std::string run_at;  // RFC 3339, as the deadline
    std::string deadline;
    double timeout_seconds = 0;  // 0: none
    std::string unique_key;
    bool watch = false;
};
int submit(const Session& session, const SubmitOptions& options);

// Follows the job to its end; 0 when it succeeded.
int watch(const Session& session, const std::string& job_id);
// Submits the jobs of a file, a JobSpec a line; - reads the standard input. 0 when all were taken.
int submit_bundle(const Session& session, const std::string& file, bool per_item);

struct JobListOptions {
    std::string kind;
    std::string state;
    std::string label;  // key or key=value
    int limit = 50;
};
int list_jobs(const Session& session, const JobListOptions& options);
int show_wait(const Session& session, const std::string& job_id);
int cancel(const Session& session, const std::string& job_id);
struct RedriveOptions {
    std::vector<std::string> jobs;  // none: all that failed, of `kind` and with `label`
    std::string kind;
    std::string label;
};
// 0 when all were redriven.
int redrive(const Session& session, const RedriveOptions& options);
int show_report(const Session& session, const std::string& job_id);
int download_results(const Session& session, const std::string& job_id, const std::string& format,
                     const std::string& file);
// With `watch`, again every two seconds until the process is ended; with --json a line each time.
int list_devices(const Session& session, bool watch);
// Has a device let go of what it keeps between tasks, waits for it and says what was freed.
int clean_device(const Session& session, const std::string& node, const std::string& device);

int show_queue(const Session& session);
struct UsageOptions {
    std::string from;  // RFC 3339; a week before `to`
    std::string to;    // now
    std::string by = "day";
    std::string team;
    bool csv = false;
};
int show_usage(const Session& session, const UsageOptions& options);
struct HoldOptions {
    std::string mode;  // pause or drain
    std::string team;  // one of these three
    std::string device_class;
    std::string node;
    std::string device;  // of the node
    std::string reason;
};
int hold(const Session& session, const HoldOptions& options);
int resume(const Session& session, const std::string& hold_id);
struct ShareOptions {
    std::string team;
    std::string device_class;
    double weight = 1;
    std::optional<int> cap;
    std::optional<double> quota_seconds;
    std::string quota_period = "day";
};
int set_share(const Session& session, const ShareOptions& options);
// No number: as many as it likes.
struct LimitOptions {
    std::string team;
    std::optional<int> queued_jobs;
    std::optional<int> jobs_per_minute;
};
int set_limits(const Session& session, const LimitOptions& options);
int set_device_class(const Session& session, const std::string& device_class,
                     double half_life_seconds, double entry_limit_seconds);

int list_webhooks(const Session& session);
int add_webhook(const Session& session, const std::string& name, const std::string& url);
int remove_webhook(const Session& session, const std::string& webhook_id);
int list_deliveries(const Session& session, const std::string& webhook_id);
int test_webhook(const Session& session, const std::string& webhook_id);

struct DatasetOptions {
    std::string id;
    std::string file;    // .csv or .jsonl
    std::string name;    // the file's when left out
    std::string resume;  // the dataset whose upload goes on
    std::string format = "csv";
};
int list_datasets(const Session& session);
int upload_dataset(const Session& session, const DatasetOptions& options);
int show_dataset(const Session& session, const DatasetOptions& options);
int show_dataset_errors(const Session& session, const DatasetOptions& options);
int delete_dataset(const Session& session, const DatasetOptions& options);

}  // namespace plimsoll::client

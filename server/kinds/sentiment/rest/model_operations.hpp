#pragma once

#include "server/base/awaitable.hpp"
#include "server/base/id.hpp"
#include "server/base/programs/child_program.hpp"
#include "server/base/time.hpp"
#include "server/http/api/services.hpp"

#include <deque>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/any_io_executor.hpp>
#include <nlohmann/json_fwd.hpp>

namespace plimsoll::jobs::sentiment {

using ModelOperationId = Id<struct ModelOperationTag>;

inline std::string to_public(ModelOperationId id) { return public_id("modelop", id.value); }

// What is done with a model of this machine: `plimsoll model pull` or `verify`.
struct ModelWork {
    std::string action;    // "pull", "verify"
    std::string model;     // the name that jobs use
    std::string source;    // of a pull
    std::string revision;  // of a pull; empty: main
    std::string audience;  // see models::Manifest
    std::string started_by;
};

struct ModelOperation {
    ModelOperationId id;
    ModelWork work;
    Timestamp started_at;
    std::optional<Timestamp> ended_at = {};
    std::string state = "running";  // cancelling, succeeded, failed, cancelled
    std::string stage = {};
    std::int64_t bytes_done = 0;
    std::int64_t bytes_total = 0;
    std::string error = {};
};

nlohmann::json to_json(const ModelOperation& operation);

// The pulls and verifications of this server, one at a time, each in a process of its own, so that
// the server does not parse untrusted files. For the I/O thread; keeps itself alive while one runs.
class ModelOperations : public std::enable_shared_from_this<ModelOperations> {
  public:
    // `folder`: where the models of this machine are. References must outlive it.
    ModelOperations(std::filesystem::path folder, const Clock& clock,
                    const http::Draining& draining);

    // Errc::conflict: another one runs; Errc::unavailable: the server is stopping.
    Result<ModelOperation> start(const boost::asio::any_io_executor& executor, ModelWork work);
    // The operations that the team may see, newest first.
    std::vector<ModelOperation> list(TeamId team) const;
    std::optional<ModelOperation> find(TeamId team, std::string_view id) const;
    // Does nothing if it has ended.
    void cancel(ModelOperationId id);
    bool works_on(std::string_view model) const;

  private:
    static constexpr std::size_t kKept = 20;

    awaitable<void> run(std::shared_ptr<ModelOperation> operation);
    awaitable<void> end_on_time(std::shared_ptr<ModelOperation> operation);

    std::filesystem::path folder_;
    const Clock& clock_;
    const http::Draining& draining_;
    std::deque<std::shared_ptr<ModelOperation>> operations_;  // newest first
    std::unique_ptr<ChildProgram> child_;                     // none: nothing runs
};

}  // namespace plimsoll::jobs::sentiment

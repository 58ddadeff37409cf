// What PyTorch recorded of a run, beside the estimate of a job. The snapshot is in a temporary file
// without a name, and a program of its own reads it: `plimsoll compare-memory`.
#include "engine/base/json.hpp"
#include "server/base/log.hpp"
#include "server/base/offload.hpp"
#include "server/base/programs/child_program.hpp"
#include "server/http/access/caller_limits.hpp"
#include "server/http/endpoints/jobs/job_json.hpp"
#include "server/kinds/training_config/contract/limits.hpp"
#include "server/kinds/training_config/contract/settings.hpp"
#include "server/kinds/training_config/rest/rest.hpp"

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <memory>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace plimsoll::jobs::training_config {

using http::Call;
using http::need;
using http::Problem;
using http::Refused;
using http::Response;

namespace {

constexpr FairBudget::Limits kAtOnce{.total = 2, .team = 1, .caller = 1};
constexpr std::chrono::minutes kUpload{15};   // for all of a snapshot
constexpr std::chrono::seconds kReading{60};  // 2 GiB take 5 s and less
constexpr std::uint64_t kMiB = 1 << 20;
constexpr std::uint64_t kDiskLeft = 512 * kMiB;   // for everything else on it
constexpr std::uint64_t kOwnMemory = 256 * kMiB;  // of the reader, besides a snapshot's size
constexpr std::size_t kLargestAnswer = 1024 * 1024;
constexpr int kNiceness = 10;

// Freed with the last descriptor: also if this program is killed.
class UnnamedFile {
  public:
    explicit UnnamedFile(int descriptor) : descriptor_(descriptor) {}
    UnnamedFile(const UnnamedFile&) = delete;
    UnnamedFile& operator=(const UnnamedFile&) = delete;
    ~UnnamedFile() {
        if (descriptor_ >= 0) ::close(descriptor_);
    }
    int get() const { return descriptor_; }

    Result<void> write(std::string_view bytes) const {
        while (!bytes.empty()) {
            const auto done = ::write(descriptor_, bytes.data(), bytes.size());
            if (done < 0 && errno == EINTR) continue;
            if (done <= 0) return too_little_room();
            bytes.remove_prefix(static_cast<std::size_t>(done));
        }
        return {};
    }

    // As `write`, and leaves kDiskLeft.
    Result<void> write_with_room(std::string_view bytes) const {
        struct statvfs disk{};
        if (::fstatvfs(descriptor_, &disk) == 0 && disk.f_bavail * disk.f_frsize < kDiskLeft)
            return too_little_room();
        return write(bytes);
    }

  private:
    static tl::unexpected<Error> too_little_room() {
        return fail(Errc::unavailable, "The server has too little room for temporary files.");
    }
    int descriptor_;
};

// Where temporary files are, /var/tmp rather than /tmp: that may be in memory.
int open_unnamed_file() {
    const char* const chosen = std::getenv("TMPDIR");
    for (const char* folder : {chosen, "/var/tmp", "/tmp"}) {
        if (folder == nullptr) continue;
        int file = ::open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
        if (file < 0 && errno == EOPNOTSUPP) {  // by this sort of file system
            auto name = std::string(folder) + "/plimsoll-XXXXXX";
            file = ::mkostemp(name.data(), O_CLOEXEC);
            if (file >= 0) ::unlink(name.c_str());
        }
        if (file >= 0) return file;
    }
    return -1;
}

// The run of one batch on one of the job's GPUs, without what has no effect on that.
json recorded_run(const queue::Job& job, const Call& call) {
    auto args = json::parse(job.args);
    const auto gpu = call.parameters.text("gpu").value_or(args.at("gpus").at(0));
    args["gpus"] = {gpu};
    if (args.contains("custom_gpus")) {
        auto& custom = args["custom_gpus"];
        for (auto one = custom.begin(); one != custom.end();)
            one = one->value("id", "") == gpu ? one + 1 : custom.erase(one);
        if (custom.empty()) args.erase("custom_gpus");
    }
    for (const char* name : {"goal", "stages", "probe"}) args.erase(name);
    args["what_ifs"] = false;
    args["training"]["batch"] = *call.parameters.integer("batch");
    return args;
}

class MemoryComparisons {
  public:
    explicit MemoryComparisons(const http::Services& services)
        : services_(services),
          largest_(std::stoull(std::string(services.settings.text(kSnapshotMib))) * kMiB) {}

    awaitable<Response> create(const Call& call) {
        if (services_.draining.begun()) throw Refused(http::overloaded("The server is stopping."));
        const auto id = http::endpoints::job_id_of(call.parameters.text("job_id"));
        const auto job = need(co_await services_.stores.jobs.get(call.principal.team.id, id));
        if (job.kind != kName)
            throw Refused(404, "Jobs of kind " + job.kind + " predict no memory.");
        const auto announced = call.request.header("content-length").value_or("0");
        check_size(std::strtoull(std::string(announced).c_str(), nullptr, 10));
        const auto place = places_.reserve(http::holder_of(call.principal), 1);
        if (!place)
            throw Refused(http::overloaded("Other snapshots are being read. Try again soon."));
        const UnnamedFile snapshot(open_unnamed_file());
        const auto size = co_await take(*call.stream, snapshot);
        const UnnamedFile arguments(::memfd_create("arguments", MFD_CLOEXEC));
        need(arguments.write(recorded_run(job, call).dump()));
        co_return co_await compare(snapshot, size, arguments);
    }

  private:
    void check_size(std::uint64_t bytes) const {
        if (largest_ == 0)
            throw Refused(413,
                          "This server reads no memory snapshots: its operator has set "
                          "training.snapshot_mib to 0. `plimsoll compare-memory` reads them "
                          "anywhere.");
        if (bytes > largest_)
            throw Refused(413, "A memory snapshot may have at most " +
                                   std::to_string(largest_ / kMiB) +
                                   " MiB here; `plimsoll compare-memory` reads larger ones.");
    }

    awaitable<std::uint64_t> take(http::BodySource& body, const UnnamedFile& file) const {
        const auto end = std::chrono::steady_clock::now() + kUpload;
        for (std::uint64_t size = 0;;) {
            auto piece = co_await body.next();
            const bool late = std::chrono::steady_clock::now() > end;
            if (late || (!piece && piece.error().code == Errc::timeout))
                throw Refused(408, "The snapshot took too long to arrive.");
            const auto bytes = need(std::move(piece));
            if (!bytes) co_return size;
            size += bytes->size();
            check_size(size);
            const auto write = [&] { return file.write_with_room(*bytes); };
            need(co_await offload(services_.computing, write));
        }
    }

    awaitable<Response> compare(const UnnamedFile& snapshot, std::uint64_t size,
                                const UnnamedFile& arguments) const {
        const auto reader = std::make_shared<ChildProgram>();
        boost::asio::steady_timer patience(co_await boost::asio::this_coro::executor, kReading);
        patience.async_wait([reader](boost::system::error_code stopped) {
            if (stopped) return;
            for (int i = 0; i < 2; ++i) reader->stop();  // the second time it is killed
        });
        std::string told;
        const auto ended = need(co_await reader->run(
            {.path = sibling_program("plimsoll"),
             .arguments = {"compare-memory", "/proc/self/fd/0", "/proc/self/fd/3", "--json"},
             .environment = {},
             .redirections = {{snapshot.get(), STDIN_FILENO}, {arguments.get(), 3}},
             .niceness = kNiceness,
             .memory_limit = size + kOwnMemory},
            [&](std::string_view line) {
                if (told.size() < kLargestAnswer) told += line;
            }));
        const auto answer = json::parse(told, nullptr, false);
        if (ended == 0 && answer.is_object()) co_return http::json_response(200, answer);
        const auto error = answer.is_object() ? answer.value("error", json::object()) : json();
        const auto code = error.is_object() ? error.value("code", "internal") : "internal";
        if (code == "internal") {
            log::warn("a memory snapshot was not read",
                      {{"bytes", std::to_string(size)}, {"end", describe_end(ended)}});
            throw Refused(413, "The snapshot takes too much memory or time to read.");
        }
        Problem problem(code == to_string(Errc::too_large) ? 413 : 422, error.at("message"));
        if (problem.status == 422) problem.slug = "unreadable-file";
        throw Refused(std::move(problem));
    }

    const http::Services& services_;
    const std::uint64_t largest_;  // bytes
    FairBudget places_{kAtOnce};
};

}  // namespace

void add_memory_comparisons(http::Handlers& handlers, const Services& services) {
    const http::Members on(handlers, std::make_shared<MemoryComparisons>(services));
    on("createMemoryComparison", &MemoryComparisons::create);
}

}  // namespace plimsoll::jobs::training_config

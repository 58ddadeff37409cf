#pragma once

#include <chrono>
#include <cstddef>

// Every bound of the HTTP front in one place. What exceeds one is refused early and said clearly.
namespace plimsoll::http::limits {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t kHeaderBytes = 16 * 1024;  // request line and fields together
constexpr std::size_t kTargetBytes = 8 * 1024;
constexpr std::size_t kHeaderFields = 100;
constexpr std::size_t kJsonDepth = 64;
// Where the contract names no x-max-body-bytes of its own.
constexpr std::size_t kBodyBytes = 64 * 1024;
// Bodies of all requests together. A parsed body takes several times its size.
constexpr std::size_t kBodyBytesInFlight = 64 * 1024 * 1024;
// A body that is taken while it comes in: a piece of it, and what an upload may hold in memory all
// in all, which counts as a body in flight.
constexpr std::size_t kBodyPieceBytes = 256 * 1024;
constexpr std::size_t kUploadBytes = 8 * 1024 * 1024;
// What is still read and thrown away after a refusal, so that the client gets to read the answer.
constexpr std::size_t kDiscardBytes = 64 * 1024 * 1024;
// Above this, parsing and converting leave the I/O thread.
constexpr std::size_t kInlineBytes = 64 * 1024;
constexpr std::size_t kFieldErrors = 50;  // named in one answer

constexpr std::size_t kEstimatesInFlight = 16;  // computed or waiting for the pool

constexpr std::size_t kConnections = 1024;
constexpr std::size_t kConnectionsPerAddress = 256;
constexpr std::size_t kStreamsPerUser = 16;  // event streams
// Downloads of results. Each holds a chunk of rows in memory, a few MiB at most.
constexpr std::size_t kDownloads = 64;
constexpr std::size_t kDownloadsPerUser = 16;
// Converting all rows of a job to find out where a range of it begins.
constexpr std::size_t kMeasuresInFlight = 2;
constexpr std::size_t kMeasuredResults = 256;  // remembered, some KiB each
// What is written to a client at once: with Timeouts::write, what its slowness may cost.
constexpr std::size_t kWriteBytes = 64 * 1024;
// Remembered at a time, so that rate limits take bounded memory: tokens and sessions of one team,
// and addresses from which signing in failed.
constexpr std::size_t kCallersPerTeam = 4096;
constexpr std::size_t kFailingAddresses = 65536;
constexpr std::size_t kGoodCredentials = 65536;

// Of one address: what fails within a window before it has to wait until the window is over.
constexpr int kFailedSignIns = 10;
constexpr int kFailedCredentials = 60;
constexpr seconds kFailureWindow{60};
// For so long a credential that was good is looked up whatever else came from its address.
constexpr seconds kGoodCredential{3600};

// Added to the time for a body, per byte announced.
constexpr std::size_t kBodyBytesPerSecond = 16 * 1024;

constexpr seconds kHeartbeat{15};           // of an event stream
constexpr milliseconds kStreamPace{250};    // least time between two snapshots of a job
constexpr milliseconds kStreamRetry{2000};  // what an event stream's client waits to reconnect
// The longest sleep on a job's signal: a lost notification delays nobody for longer.
constexpr seconds kSignalWait{1};

constexpr int kRetryAfterSeconds = 5;  // of a 503

}  // namespace plimsoll::http::limits

namespace plimsoll::http {

// How long a connection waits for its client.
struct Timeouts {
    std::chrono::milliseconds idle = std::chrono::seconds(60);    // between requests
    std::chrono::milliseconds header = std::chrono::seconds(10);  // from a request's first byte
    std::chrono::milliseconds body = std::chrono::seconds(30);    // see kBodyBytesPerSecond
    std::chrono::milliseconds write = std::chrono::seconds(30);   // for one piece of an answer
    std::chrono::milliseconds discard = std::chrono::seconds(5);  // reading on after a refusal
};

}  // namespace plimsoll::http

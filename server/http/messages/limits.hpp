#pragma once

#include "server/base/fair_budget.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>

// Every limit of the HTTP layer. Exceeding one is refused early with a clear problem.
namespace plimsoll::http::limits {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t kHeaderBytes = 16 * 1024;  // request line and fields together
// Read from a socket and not yet parsed; more than a chunk header or a trailer may have.
constexpr std::size_t kUnparsedBytes = 64 * 1024;
constexpr std::size_t kChunkExtensionBytes = 1024;  // of all chunks of a body together
constexpr std::size_t kIdleBytes = 2 * 1024;  // buffer of a connection that waits for a request
constexpr std::size_t kTargetBytes = 8 * 1024;
constexpr std::size_t kHeaderFields = 100;
constexpr std::size_t kJsonDepth = 64;
// Default when the contract has no x-max-body-bytes.
constexpr std::size_t kBodyBytes = 64 * 1024;
constexpr std::size_t kMiB = 1024 * 1024;
// After a body of this size, as sent or as parsed, freed memory is returned to the system.
constexpr std::size_t kLargeBodyBytes = 2 * kMiB;
// Bytes of the request bodies in memory.
constexpr TieredBudget::Limits kBodies{
    .small = 64 * 1024,
    .of_small = {.total = 16 * kMiB, .team = 4 * kMiB, .caller = 2 * kMiB},
    .of_large = {.total = 48 * kMiB, .team = 24 * kMiB, .caller = 16 * kMiB}};
// Estimated bytes of memory of parsed bodies: JSON of many small values takes many times its size.
constexpr TieredBudget::Limits kParsedBodies{
    .small = 256 * 1024,
    .of_small = {.total = 16 * kMiB, .team = 4 * kMiB, .caller = 2 * kMiB},
    .of_large = {.total = 96 * kMiB, .team = 72 * kMiB, .caller = 72 * kMiB}};
// Streamed bodies: one piece, and the total memory of an upload, which counts as a body in flight.
constexpr std::size_t kBodyPieceBytes = 256 * 1024;
constexpr std::size_t kUploadBytes = 8 * 1024 * 1024;
// Read and discarded after a refusal, so that the client gets to read the response.
constexpr std::size_t kDiscardBytes = 64 * 1024 * 1024;
// Above this, parsing and converting leave the I/O thread.
constexpr std::size_t kInlineBytes = 64 * 1024;
constexpr std::size_t kFieldErrors = 50;  // named in one response

// Answers computed without a job, running or waiting, for each kind of answer separately.
constexpr FairBudget::Limits kComputedAnswers{.total = 16, .team = 6, .caller = 3};
// Passwords being checked or hashed, or waiting for it; callers are networks. At about 25 ms each,
// nobody waits longer than half a second.
constexpr FairBudget::Limits kPasswordWork{.total = 16, .team = 16, .caller = 4};
// Besides, for networks where somebody has signed in with a password.
constexpr FairBudget::Limits kKnownPasswordWork{.total = 16, .team = 16, .caller = 4};
constexpr std::size_t kKnownNetworks = 65536;

// Sign-ins that wait for the identity provider; callers are networks.
constexpr FairBudget::Limits kProviderSignIns{.total = 64, .team = 64, .caller = 16};

// Defaults of limits.connections and limits.connections_per_network.
constexpr std::size_t kConnections = 4096;
constexpr std::size_t kConnectionsPerNetwork = 256;
constexpr std::size_t kStreamsPerUser = 16;  // event streams
// Result downloads. Each holds one chunk of rows in memory, a few MiB at most.
constexpr FairBudget::Limits kDownloads{.total = 64, .team = 16, .caller = 8};
// Those by report links; callers are links.
constexpr FairBudget::Limits kLinkedDownloads{.total = 32, .team = 8, .caller = 4};
// Conversions of all rows of a job to locate a byte range.
constexpr std::size_t kMeasuresInFlight = 2;
constexpr std::size_t kMeasuredResults = 256;  // remembered, some KiB each
// Bytes of a response in the system's buffer of a socket beyond those that the network took: else a
// client that does not read costs some MiB, and the I/O thread the time to copy them.
constexpr int kUnsentBytes = 128 * 1024;
constexpr std::size_t kWriteBytes = 64 * 1024;  // per call of the system
// Bytes of responses in memory; callers without credentials are networks. Small responses are
// bounded by the number of connections.
constexpr FairBudget::Limits kResponses{.total = 64 * kMiB, .team = 24 * kMiB, .caller = 12 * kMiB};
constexpr std::size_t kSmallResponseBytes = 16 * 1024;
constexpr seconds kStalledReader{1};  // after this without progress it may be made to make room
// After responses of this size together, freed memory is returned to the system.
constexpr std::size_t kFreedResponseBytes = 16 * kMiB;
// Entries kept by rate limits, which bounds their memory: tokens and sessions of a user in a team,
// and failing networks.
constexpr std::size_t kCallersPerUser = 256;
constexpr std::size_t kFailingAddresses = 65536;

// Failures per address within a window before it must wait for the window to end.
constexpr int kFailedSignIns = 10;
constexpr int kFailedCredentials = 60;
constexpr seconds kFailureWindow{60};

// Minimum rate of a body, over each Timeouts::body, and of its response, over each Timeouts::write.
constexpr std::size_t kBodyBytesPerSecond = 16 * 1024;
constexpr std::int64_t kResponseBytesPerSecond = 4 * 1024;

constexpr seconds kHeartbeat{15};         // of an event stream
constexpr milliseconds kStreamPace{250};  // minimum time between two snapshots of a job
constexpr milliseconds kStreamRetry{
    2000};  // how long the client of an event stream waits before it reconnects
// Longest wait for a job's signal: bounds the delay of a lost notification.
constexpr seconds kSignalWait{1};

constexpr int kRetryAfterSeconds = 5;  // of a 503

}  // namespace plimsoll::http::limits

namespace plimsoll::http {

// Timeouts of a connection.
struct Timeouts {
    std::chrono::milliseconds idle = std::chrono::seconds(60);    // between requests
    std::chrono::milliseconds header = std::chrono::seconds(10);  // from a request's first byte
    std::chrono::milliseconds body = std::chrono::seconds(10);    // see kBodyBytesPerSecond
    std::chrono::milliseconds write = std::chrono::seconds(30);   // see kResponseBytesPerSecond
    std::chrono::milliseconds discard =
        std::chrono::seconds(5);  // discarding the body after a refusal
};

}  // namespace plimsoll::http

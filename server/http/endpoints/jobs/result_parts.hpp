#pragma once

#include "server/http/messages/response.hpp"
#include "server/jobs/records/results_converter.hpp"
#include "server/queue/store.hpp"

#include <cstdint>
#include <limits>

#include <boost/asio/thread_pool.hpp>

namespace plimsoll::http::endpoints {

// Which rows of the results are wanted, counted from 0.
struct RowRange {
    std::int64_t first = 0;
    std::int64_t end = std::numeric_limits<std::int64_t>::max();

    bool whole() const { return first == 0 && end == std::numeric_limits<std::int64_t>::max(); }
};

// The sizes of a download's chunks where they are known, as they come out of the conversion.
using PartSizes = std::vector<std::optional<std::uint64_t>>;

// What a download of a job's results consists of: a head, a part for each chunk of rows, a tail.
// Parts are made from stored chunks one at a time and in any order. No database connection is held
// between them.
class ResultParts {
  public:
    // `sizes` are shared by downloads of the same results in the same format, and learned from
    // every part that is made. All of them are known at once but for CSV, whose rows have to be
    // converted first.
    ResultParts(queue::JobStore& store, boost::asio::thread_pool& pool, queue::Job job,
                std::vector<queue::ChunkInfo> chunks, RowRange rows, jobs::ResultsFormat format,
                const jobs::Contract& kind, std::shared_ptr<PartSizes> sizes);

    std::size_t count() const { return chunks_.size() + 2; }
    // Errc::corrupt when it does not have the size that it had before.
    boost::asio::awaitable<Result<std::string>> part(std::size_t number);
    std::optional<std::uint64_t> size(std::size_t number) const;
    // Of all; nothing while one of them is unknown.
    std::optional<std::uint64_t> total() const;
    // Makes the parts whose sizes are unknown, and forgets them again.
    boost::asio::awaitable<Result<void>> measure();

  private:
    boost::asio::awaitable<Result<std::string>> rows_of(std::size_t chunk);
    Result<std::string> unpack(const queue::ChunkInfo& chunk, const std::string& packed) const;
    Result<std::string> convert(std::size_t chunk, std::string rows) const;

    queue::JobStore& store_;
    boost::asio::thread_pool& pool_;
    queue::Job job_;
    std::vector<queue::ChunkInfo> chunks_;  // those that have some of the rows
    RowRange rows_;                         // counted from the first of these chunks
    jobs::ResultsFormat format_;
    const jobs::Contract& kind_;
    std::shared_ptr<PartSizes> sizes_;
    std::string head_;
    std::string tail_;
};

// All parts one after the other.
std::unique_ptr<BodyStream> whole_body(std::shared_ptr<ResultParts> parts);
// Bytes `first` to `last` of them; their sizes must be known.
std::unique_ptr<BodyStream> body_slice(std::shared_ptr<ResultParts> parts, std::uint64_t first,
                                       std::uint64_t last);

}  // namespace plimsoll::http::endpoints

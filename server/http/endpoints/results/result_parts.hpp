#pragma once

#include "server/http/endpoints/results/row_search.hpp"
#include "server/http/messages/response.hpp"
#include "server/jobs/records/results_converter.hpp"
#include "server/queue/store.hpp"

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>

#include <boost/asio/thread_pool.hpp>

namespace plimsoll::http::endpoints {

// The requested rows of the results, counted from 0, and what they must have.
struct RowSelection {
    std::int64_t first = 0;
    std::int64_t end = std::numeric_limits<std::int64_t>::max();
    RowFilter filter = {};

    bool whole() const {
        return first == 0 && end == std::numeric_limits<std::int64_t>::max() && filter.empty();
    }
};

// Reads a job's stored results. `input` is that of a quarantined task; Errc::not_found: it has been
// deleted, or the reader may not see it.
struct ResultSource {
    std::function<awaitable<Result<std::string>>(int seq)> chunk;
    std::function<awaitable<Result<queue::TaskInput>>(int seq)> input;
};

// Converted sizes of a download's chunks, where known, in bytes.
using PartSizes = std::vector<std::optional<std::uint64_t>>;

// The parts of a results download: a head, one part per chunk of rows, a tail. Parts are made from
// stored chunks, one at a time, in any order. No database connection is held between them.
class ResultParts {
  public:
    // `sizes` are shared by downloads of the same results in the same format, and filled in as
    // parts are made. All are known in advance except for CSV, whose rows must be converted first.
    ResultParts(ResultSource source, boost::asio::thread_pool& pool, queue::Job job,
                std::vector<queue::ChunkInfo> chunks, RowSelection rows, jobs::ResultsFormat format,
                const jobs::Contract& kind, std::shared_ptr<PartSizes> sizes);

    std::size_t count() const { return chunks_.size() + 2; }
    // Errc::corrupt if its size differs from an earlier download.
    awaitable<Result<std::string>> part(std::size_t number);
    std::optional<std::uint64_t> size(std::size_t number) const;
    // Total size; nullopt while any size is unknown.
    std::optional<std::uint64_t> total() const;
    // Makes and discards the parts of unknown size, to learn their sizes.
    awaitable<Result<void>> measure();

  private:
    awaitable<Result<std::string>> rows_of(std::size_t chunk);
    awaitable<Result<std::string>> failed_rows_of(std::size_t chunk);
    Result<std::string> convert(std::size_t chunk, std::string rows);

    ResultSource source_;
    boost::asio::thread_pool& pool_;
    queue::Job job_;
    std::vector<queue::ChunkInfo> chunks_;  // those with some of the rows
    RowSelection rows_;                     // counted from the first of these chunks
    jobs::ResultsFormat format_;
    const jobs::Contract& kind_;
    // For CSV.
    std::vector<jobs::Column> columns_;
    std::vector<std::string> kept_;  // columns of the member `kept`
    std::shared_ptr<PartSizes> sizes_;
    std::optional<RowSearch> search_;
    bool first_ = true;  // no row has been made yet
    std::string head_;
    std::string tail_;
};

// Streams all parts in order.
std::unique_ptr<BodyStream> whole_body(std::shared_ptr<ResultParts> parts);
// Streams bytes `first` to `last`; all sizes must be known.
std::unique_ptr<BodyStream> body_slice(std::shared_ptr<ResultParts> parts, std::uint64_t first,
                                       std::uint64_t last);

}  // namespace plimsoll::http::endpoints

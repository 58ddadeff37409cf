#pragma once

#include "engine/base/result.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

struct z_stream_s;

namespace plimsoll {

// One whole gzip member. Members may be concatenated: together they decompress to the concatenation
// of their contents. The output depends on `data` alone (no time stamp, no name).
std::string gzip(std::string_view data);

// One gzip member of a content that comes in pieces.
class GzipStream {
  public:
    GzipStream();
    ~GzipStream();
    GzipStream(const GzipStream&) = delete;
    GzipStream& operator=(const GzipStream&) = delete;

    // Appends what is compressed so far; some of it waits for what comes.
    void add(std::string_view data, std::string& out);
    // Appends the rest. Call once, last.
    void finish(std::string& out);

  private:
    void deflate_into(std::string& out, int flush);

    std::unique_ptr<z_stream_s> stream_;
};

// What a member that ends with `last_bytes` holds, in bytes modulo 2^32 (RFC 1952); 0 when there
// are fewer than four.
std::uint32_t gzip_content_bytes(std::string_view last_bytes);

// Everything that one or more concatenated members hold. Errc::too_large beyond max_bytes,
// Errc::corrupt when the data are damaged or end early.
Result<std::string> gunzip(std::string_view compressed, std::size_t max_bytes);

}  // namespace plimsoll

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

// Compresses content that arrives in pieces into one gzip member.
class GzipStream {
  public:
    GzipStream();
    ~GzipStream();
    GzipStream(const GzipStream&) = delete;
    GzipStream& operator=(const GzipStream&) = delete;

    // Appends the output available so far; zlib may hold some back until more input arrives.
    void add(std::string_view data, std::string& out);
    // Appends the remaining output. Call once, at the end.
    void finish(std::string& out);

  private:
    void deflate_into(std::string& out, int flush);

    std::unique_ptr<z_stream_s> stream_;
};

// Uncompressed size, in bytes modulo 2^32 (RFC 1952), of a member that ends with `last_bytes`; 0 if
// there are fewer than four.
std::uint32_t gzip_content_bytes(std::string_view last_bytes);

// Decompresses one or more concatenated members. Errc::too_large: more than max_bytes;
// Errc::corrupt: damaged or truncated data.
Result<std::string> gunzip(std::string_view compressed, std::size_t max_bytes);

}  // namespace plimsoll

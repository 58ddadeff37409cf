#pragma once

#include "server/http/messages/limits.hpp"

#include <cstdint>

#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>

namespace plimsoll::http {

// Refuses a chunked body whose chunk extensions exceed limits::kChunkExtensionBytes: nothing reads
// them, and no other limit covers them. Must outlive the parser that it watches.
class ChunkGuard {
  public:
    ChunkGuard() = default;
    ChunkGuard(const ChunkGuard&) = delete;
    ChunkGuard& operator=(const ChunkGuard&) = delete;

    // Call this before any byte of the body is parsed.
    template <class Body>
    void watch(boost::beast::http::request_parser<Body>& parser) {
        extension_bytes_ = 0;
        parser.on_chunk_header(*this);
    }

    void operator()(std::uint64_t, boost::beast::string_view extensions,
                    boost::system::error_code& error) {
        extension_bytes_ += extensions.size();
        if (extension_bytes_ > limits::kChunkExtensionBytes)
            error = boost::beast::http::error::bad_chunk_extension;
    }

  private:
    std::size_t extension_bytes_ = 0;
};

}  // namespace plimsoll::http

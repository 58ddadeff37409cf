#include "server/base/gzip.hpp"

#include <algorithm>
#include <bit>
#include <new>

#include <zlib.h>

namespace plimsoll {
namespace {

// Takes a quarter to a half of the default level's time, for 15 to 30 % more bytes of texts and
// rows.
constexpr int kLevel = 1;
constexpr int kGzipFrame = 16;                // gzip instead of zlib framing, added to windowBits
constexpr int kGzipWindow = 15 + kGzipFrame;  // 32 KiB

// Up to this many bytes are stored uncompressed: deflate saves little there, and setting it up was
// 6 % of the server's cost for the submit of a small job.
constexpr std::size_t kStoredBytes = 128;

// zlib's pointers lack a const: it does not write to its input.
Bytef* bytes(std::string_view data) {
    return reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
}

void append_little_endian(std::string& out, std::uint32_t number, int count) {
    for (; count > 0; --count, number >>= 8) out += static_cast<char>(number);
}

// RFC 1952's frame around one stored block of RFC 1951.
std::string store(std::string_view data) {
    constexpr std::string_view kHead("\x1f\x8b\x08\0\0\0\0\0\x04\x03", 10);  // as zlib's at level 1
    constexpr char kLastAndStored = 1;
    const auto size = static_cast<std::uint32_t>(data.size());
    std::string out;
    out.reserve(kHead.size() + 5 + data.size() + 8);
    out += kHead;
    out += kLastAndStored;
    append_little_endian(out, size, 2);
    append_little_endian(out, ~size, 2);
    out += data;
    append_little_endian(out, static_cast<std::uint32_t>(crc32(0, bytes(data), size)), 4);
    append_little_endian(out, size, 4);
    return out;
}

struct Inflater {
    z_stream stream{};
    Inflater() {
        if (inflateInit2(&stream, kGzipWindow) != Z_OK) throw std::bad_alloc();
    }
    ~Inflater() { inflateEnd(&stream); }
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;
};

}  // namespace

std::string gzip(std::string_view data) {
    if (data.size() <= kStoredBytes) return store(data);
    z_stream stream{};
    // A window, and tables, no larger than the data: otherwise 256 KiB would be allocated and
    // cleared for the few bytes that most jobs have as input.
    const int window = std::clamp(static_cast<int>(std::bit_width(data.size())), 9, 15);
    const int memory = window - 7;
    if (deflateInit2(&stream, kLevel, Z_DEFLATED, window + kGzipFrame, memory,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
        throw std::bad_alloc();
    }
    std::string out(deflateBound(&stream, data.size()), '\0');
    stream.next_in = bytes(data);
    stream.avail_in = static_cast<uInt>(data.size());
    stream.next_out = bytes(out);
    stream.avail_out = static_cast<uInt>(out.size());
    deflate(&stream, Z_FINISH);  // one call suffices: the output has room for the worst case
    out.resize(stream.total_out);
    deflateEnd(&stream);
    return out;
}

GzipStream::GzipStream() : stream_(std::make_unique<z_stream>()) {
    if (deflateInit2(stream_.get(), kLevel, Z_DEFLATED, kGzipWindow, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        throw std::bad_alloc();
}

GzipStream::~GzipStream() { deflateEnd(stream_.get()); }

void GzipStream::add(std::string_view data, std::string& out) {
    stream_->next_in = bytes(data);
    stream_->avail_in = static_cast<uInt>(data.size());
    deflate_into(out, Z_NO_FLUSH);
}

void GzipStream::finish(std::string& out) {
    stream_->avail_in = 0;
    deflate_into(out, Z_FINISH);
}

void GzipStream::deflate_into(std::string& out, int flush) {
    constexpr std::size_t kStep = 64 * 1024;
    do {
        const auto filled = out.size();
        out.resize(filled + kStep);
        stream_->next_out = bytes(out) + filled;
        stream_->avail_out = kStep;
        deflate(stream_.get(), flush);
        out.resize(out.size() - stream_->avail_out);
    } while (stream_->avail_out == 0);
}

std::uint32_t gzip_content_bytes(std::string_view last_bytes) {
    if (last_bytes.size() < 4) return 0;
    std::uint32_t size = 0;
    for (int place = 1; place <= 4; ++place) {
        size = size << 8 | static_cast<unsigned char>(
                               last_bytes[last_bytes.size() - static_cast<std::size_t>(place)]);
    }
    return size;
}

Result<std::string> gunzip(std::string_view compressed, std::size_t max_bytes) {
    const auto damaged = [] { return fail(Errc::corrupt, "The compressed data is corrupt."); };
    Inflater inflater;
    z_stream& stream = inflater.stream;
    stream.next_in = bytes(compressed);
    stream.avail_in = static_cast<uInt>(compressed.size());
    std::string out;
    std::size_t filled = 0;
    while (true) {
        if (filled == out.size()) {
            if (filled > max_bytes) {
                return fail(Errc::too_large, "The decompressed data is larger than " +
                                                 std::to_string(max_bytes) + " bytes.");
            }
            // One byte more than allowed is enough to detect an excess.
            out.resize(std::min(max_bytes + 1, std::max(filled * 2, compressed.size() * 4 + 64)));
        }
        stream.next_out = bytes(out) + filled;
        stream.avail_out = static_cast<uInt>(out.size() - filled);
        const int status = inflate(&stream, Z_NO_FLUSH);
        filled = out.size() - stream.avail_out;
        if (status == Z_STREAM_END) {
            if (stream.avail_in == 0) break;
            inflateReset(&stream);
        } else if (status != Z_OK || (stream.avail_in == 0 && stream.avail_out != 0)) {
            return damaged();
        }
    }
    if (filled > max_bytes) {
        return fail(Errc::too_large, "The decompressed data is larger than " +
                                         std::to_string(max_bytes) + " bytes.");
    }
    out.resize(filled);
    return out;
}

}  // namespace plimsoll

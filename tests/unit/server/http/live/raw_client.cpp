#include "tests/unit/server/http/live/raw_client.hpp"

#include <algorithm>

#include <boost/asio/write.hpp>

namespace plimsoll::http::test {

using boost::asio::ip::tcp;
using boost::system::error_code;

std::string RawResponse::header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? "" : found->second;
}

RawClient::RawClient(unsigned short port) : socket_(io_) {
    socket_.connect({boost::asio::ip::address_v4::loopback(), port});
}

void RawClient::send(std::string_view bytes) {
    error_code ignored;  // a server may have closed already: what it said is read by the test
    boost::asio::write(socket_, boost::asio::buffer(bytes), ignored);
}

bool RawClient::read_more() {
    char piece[16384];
    error_code error;
    const auto count = socket_.read_some(boost::asio::buffer(piece), error);
    buffer_.append(piece, count);
    return !error;
}

std::string RawClient::receive_until(std::string_view end) {
    for (;;) {
        if (const auto at = buffer_.find(end); at != std::string::npos) {
            auto text = buffer_.substr(0, at + end.size());
            buffer_.erase(0, text.size());
            return text;
        }
        if (!read_more()) return std::exchange(buffer_, {});
    }
}

RawResponse RawClient::receive(bool head) {
    RawResponse response;
    auto text = receive_until("\r\n\r\n");
    if (!text.starts_with("HTTP/1.")) return response;
    response.status = std::stoi(text.substr(9, 3));
    for (auto line = text.find("\r\n"); line + 4 < text.size();) {
        const auto next = text.find("\r\n", line + 2);
        const auto field = text.substr(line + 2, next - line - 2);
        const auto colon = field.find(": ");
        auto name = field.substr(0, colon);
        std::ranges::transform(name, name.begin(), [](char c) { return std::tolower(c); });
        if (colon != std::string::npos) response.headers.emplace(name, field.substr(colon + 2));
        line = next;
    }
    if (head || response.status == 204 || response.status == 304 || response.status == 100)
        return response;
    if (response.header("transfer-encoding") == "chunked") {
        for (;;) {
            const auto size = std::stoul(receive_until("\r\n"), nullptr, 16);
            while (buffer_.size() < size + 2 && read_more()) {
            }
            response.body += buffer_.substr(0, size);
            buffer_.erase(0, size + 2);
            if (size == 0) return response;
        }
    }
    const auto length = response.header("content-length");
    if (length.empty()) {
        while (read_more()) {
        }
        response.body = std::exchange(buffer_, {});
        return response;
    }
    while (buffer_.size() < std::stoul(length) && read_more()) {
    }
    response.body = buffer_.substr(0, std::stoul(length));
    buffer_.erase(0, response.body.size());
    return response;
}

void RawClient::finish_sending() { socket_.shutdown(boost::asio::ip::tcp::socket::shutdown_send); }

bool RawClient::closed() {
    buffer_.clear();
    while (read_more()) {
    }
    return true;
}

}  // namespace plimsoll::http::test

#pragma once

#include "engine/base/result.hpp"

#include <cstddef>
#include <exception>
#include <string>

// libplimsoll: kinds in the caller's process, without a server, as C functions that Python calls by
// ctypes (deploy/clients/python), which releases its lock meanwhile. Each kind's functions are in
// its folder `library`.
namespace plimsoll::library {

#define PLIMSOLL_EXPORT extern "C" __attribute__((visibility("default")))

// What a function returns: bytes that the caller frees by plimsoll_free. A failure's are its
// message.
struct Bytes {
    char* data = nullptr;
    std::size_t size = 0;
};

void give(const std::string& text, Bytes& out);

// The status for the caller, 0 or 1, of a function that returns Result<std::string>.
template <class Function>
int answer(Bytes& out, const Function& function) {
    try {
        const Result<std::string> done = function();
        const auto where = [&] { return done.error().where; };
        give(done ? *done : done.error().message + (where().empty() ? "" : " (" + where() + ")"),
             out);
        return done ? 0 : 1;
    } catch (const std::exception& error) {
        give(error.what(), out);
        return 1;
    }
}

}  // namespace plimsoll::library

#pragma once

#include "engine/base/result.hpp"
#include "server/base/awaitable.hpp"
#include "server/base/time.hpp"
#include "server/outbound/aws_signature.hpp"
#include "server/outbound/caller.hpp"
#include "server/outbound/object_settings.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::outbound {

struct StoredObject {
    std::string name;
    Timestamp changed;  // by the store's clock
};

// A bucket of an S3-compatible store. Names consist of a-z, 0-9, "-" and "/"; the prefix is added
// to them here. Each request is signed (AWS Signature Version 4), is tried again after a passing
// failure, and ends after a minute at most. Single-threaded, on its caller's executor.
//
// Errc::unavailable: the store does not respond, or refuses the request; the message says why and
// which settings to check.
class ObjectStore {
  public:
    // nullptr without a URL. Errc::invalid_input names a setting whose file cannot be used.
    static Result<std::unique_ptr<ObjectStore>> open(const ObjectSettings& settings);

    // A name below `folder` ("results/1/2/") that no other call of any process returns.
    std::string unique_name(std::string_view folder);

    awaitable<Result<void>> put(std::string name, std::string content);
    // Errc::not_found: there is no such object.
    awaitable<Result<std::string>> get(std::string name);
    // Also succeeds if there is no such object.
    awaitable<Result<void>> remove(std::string name);
    // In the order of their names, those after `after`, a thousand at most; empty: no more.
    awaitable<Result<std::vector<StoredObject>>> list(std::string after);

  private:
    struct Answer {
        int status = 0;
        std::string body;
    };

    ObjectStore(Target bucket, std::string prefix, AwsKey key, Caller caller);
    awaitable<Result<Answer>> send(std::string method, std::string path, std::string query,
                                   std::string body);

    Target bucket_;
    std::string prefix_;
    AwsKey key_;
    Caller caller_;
    std::string process_;
    std::uint64_t names_ = 0;
};

// Why the store cannot be written, read, listed and deleted from; nullopt: it can. Blocks.
std::optional<Error> try_object_store(const ObjectSettings& settings);

}  // namespace plimsoll::outbound

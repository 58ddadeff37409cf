#include "server/outbound/object_store.hpp"

#include "server/base/backoff.hpp"
#include "server/base/hex.hpp"

#include <algorithm>
#include <random>
#include <sstream>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>

namespace plimsoll::outbound {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using namespace std::chrono_literals;

constexpr auto kTryTime = 20s;  // of one try
constexpr int kTries = 3;
constexpr auto kFirstPause = 100ms;
constexpr auto kLongestPause = 1s;
constexpr std::uint64_t kLargestAnswer = 64 << 20;
// Of no job: what stays there is collected.
constexpr std::string_view kTrialFolder = "results/0/0/";

tl::unexpected<Error> unavailable(const std::string& why) {
    return fail(Errc::unavailable, "The object store (objects.url) " + why + ".");
}

std::string reason_of(const Caller::Failure& failure) {
    using Obstacle = Caller::Obstacle;
    if (failure.obstacle == Obstacle::time) return "does not respond in time";
    if (failure.obstacle == Obstacle::size) return "returns more than was stored";
    return "does not respond: " + failure.reason;
}

// S3's code of an error, which says more than the status.
std::string refusal(int status, std::string_view body) {
    std::string code;
    const auto begin = body.find("<Code>");
    const auto end = body.find("</Code>");
    if (begin != body.npos && end != body.npos && end > begin)
        code = std::string(body.substr(begin + 6, end - begin - 6)) + ", ";
    auto text = "refuses the request (" + code + "HTTP " + std::to_string(status) + ")";
    if (status == 403) {
        text +=
            ": check objects.access_key, objects.secret_key, objects.region, the key's rights "
            "and this machine's clock";
    }
    return text;
}

// "20130524T000000Z"
std::string basic_time(Timestamp time) {
    auto text = to_rfc3339(time).substr(0, 19) + "Z";
    std::erase_if(text, [](char c) { return c == '-' || c == ':'; });
    return text;
}

bool passes(int status) { return status == 429 || status >= 500; }

// As signatures of version 4 want it: names of other programs may hold any character.
std::string in_query(std::string_view text) {
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    constexpr std::string_view kPlain =
        "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-._~";
    std::string encoded;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (kPlain.find(c) != kPlain.npos)
            encoded += c;
        else
            encoded += {'%', kDigits[byte / 16], kDigits[byte % 16]};
    }
    return encoded;
}

}  // namespace

Result<std::unique_ptr<ObjectStore>> ObjectStore::open(const ObjectSettings& settings) {
    if (settings.url.empty()) return nullptr;
    TRY(auto bucket, parse_target(settings.url));
    if (bucket.path.ends_with('/')) bucket.path.pop_back();
    TRY(auto secret,
        secret_of(settings.secret_key, settings.secret_key_file, "objects.secret_key_file"));
    auto tls = verifying_context(settings.ca_file);
    if (!tls)
        return fail(tls.error().code, "objects.ca_file: " + tls.error().message, tls.error().where);
    // The operator chose it: it may be anywhere.
    TRY(auto allowed, AllowList::parse(bucket.origin(), "0.0.0.0/0,::/0"));
    constexpr std::size_t kLookups = 2;
    return std::unique_ptr<ObjectStore>(new ObjectStore(
        std::move(bucket), settings.prefix,
        {.id = settings.access_key, .secret = std::move(secret), .region = settings.region},
        Caller(std::move(allowed), std::move(*tls), kLookups)));
}

ObjectStore::ObjectStore(Target bucket, std::string prefix, AwsKey key, Caller caller)
    : bucket_(std::move(bucket)),
      prefix_(std::move(prefix)),
      key_(std::move(key)),
      caller_(std::move(caller)) {
    std::random_device random;
    std::string bits(8, '\0');
    for (char& byte : bits) byte = static_cast<char>(random());
    process_ = hex(bits);
}

std::string ObjectStore::unique_name(std::string_view folder) {
    return std::string(folder) + process_ + "-" + std::to_string(++names_);
}

awaitable<Result<void>> ObjectStore::put(std::string name, std::string content) {
    CO_TRY(const auto answer,
           co_await send("PUT", "/" + prefix_ + std::move(name), "", std::move(content)));
    if (answer.status / 100 != 2) co_return unavailable(refusal(answer.status, answer.body));
    co_return Result<void>{};
}

awaitable<Result<std::string>> ObjectStore::get(std::string name) {
    CO_TRY(auto answer, co_await send("GET", "/" + prefix_ + name, "", ""));
    // A bucket that does not exist is a mistake in the settings.
    if (answer.status == 404 && answer.body.find("NoSuchBucket") == std::string::npos)
        co_return fail(Errc::not_found, "The object store has no object " + prefix_ + name + ".");
    if (answer.status / 100 != 2) co_return unavailable(refusal(answer.status, answer.body));
    co_return std::move(answer.body);
}

awaitable<Result<void>> ObjectStore::remove(std::string name) {
    CO_TRY(const auto answer, co_await send("DELETE", "/" + prefix_ + std::move(name), "", ""));
    if (answer.status / 100 != 2 && answer.status != 404)
        co_return unavailable(refusal(answer.status, answer.body));
    co_return Result<void>{};
}

awaitable<Result<std::vector<StoredObject>>> ObjectStore::list(std::string after) {
    std::string query = "list-type=2&prefix=" + in_query(prefix_);
    if (!after.empty()) query += "&start-after=" + in_query(prefix_ + after);
    CO_TRY(const auto answer, co_await send("GET", "", std::move(query), ""));
    if (answer.status / 100 != 2) co_return unavailable(refusal(answer.status, answer.body));
    std::vector<StoredObject> found;
    try {
        std::istringstream text(answer.body);
        boost::property_tree::ptree tree;
        read_xml(text, tree);
        for (const auto& [tag, object] : tree.get_child("ListBucketResult")) {
            if (tag != "Contents") continue;
            const auto changed = parse_rfc3339(object.get<std::string>("LastModified"));
            auto name = object.get<std::string>("Key");
            if (!changed || !name.starts_with(prefix_)) continue;
            found.push_back({name.substr(prefix_.size()), *changed});
        }
    } catch (const boost::property_tree::ptree_error&) {
        co_return unavailable("returns no list of objects");
    }
    co_return found;
}

awaitable<Result<ObjectStore::Answer>> ObjectStore::send(std::string method, std::string path,
                                                         std::string query, std::string body) {
    auto target = bucket_;
    target.path += path;
    if (target.path.empty()) target.path = "/";
    const auto signed_path = target.path;
    if (!query.empty()) target.path += "?" + query;
    const auto host = target.authority();
    const auto hash = sha256_hex(body);
    Request request{http::string_to_verb(method), target.path, 11};
    request.set("x-amz-content-sha256", hash);
    request.body() = std::move(body);
    request.prepare_payload();
    if (method == "PUT") request.set(http::field::content_type, "application/octet-stream");
    asio::steady_timer timer(co_await asio::this_coro::executor);
    Backoff backoff(kFirstPause, kLongestPause);
    for (int tries = 1;; ++tries) {
        const auto time = basic_time(SystemClock().now());
        request.set("x-amz-date", time);
        request.set(http::field::authorization,
                    aws_authorization({method, signed_path, query, host, hash, time}, key_));
        Answer answer;
        const Receiver receiver{.wants_body = [](int) { return true; },
                                .body = [&](std::string_view piece) -> Result<void> {
                                    answer.body += piece;
                                    return {};
                                },
                                .max_bytes = kLargestAnswer};
        const auto status = co_await caller_.send(target, request, receiver, kTryTime);
        const bool last =
            tries == kTries || (!status && status.error().obstacle == Caller::Obstacle::time);
        if (!status && last) co_return unavailable(reason_of(status.error()));
        if (status && (last || !passes(*status))) {
            answer.status = *status;
            co_return answer;
        }
        timer.expires_after(backoff.next());
        co_await timer.async_wait(asio::use_awaitable);
    }
}

std::optional<Error> try_object_store(const ObjectSettings& settings) {
    auto store = ObjectStore::open(settings);
    if (!store) return store.error();
    const auto name = (*store)->unique_name(kTrialFolder);
    const auto work = [&]() -> awaitable<Result<void>> {
        CO_TRY_DO(co_await (*store)->put(name, name));
        CO_TRY(const auto read, co_await (*store)->get(name));
        if (read != name) co_return unavailable("returns something else than was written");
        CO_TRY_DO(co_await (*store)->list(""));
        co_return co_await (*store)->remove(name);
    };
    asio::io_context io(1);
    Result<void> done = unavailable("cannot be used");
    asio::co_spawn(io, work(), [&](const std::exception_ptr& thrown, Result<void> result) {
        if (!thrown) done = std::move(result);
    });
    io.run();
    return done ? std::nullopt : std::optional(done.error());
}

}  // namespace plimsoll::outbound

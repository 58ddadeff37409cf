// Health, versions and the contract itself.
#include "engine/base/json.hpp"
#include "server/base/gzip.hpp"
#include "server/http/contract/contract_text.hpp"
#include "server/http/endpoints/endpoints.hpp"
#include "server/http/endpoints/jobs/job_json.hpp"
#include "server/http/messages/accept.hpp"
#include "server/http/messages/fingerprint.hpp"

namespace plimsoll::http::endpoints {

namespace {

awaitable<Response> status(std::string_view word) {
    co_return json_response(200, {{"status", word}});
}

awaitable<Response> readiness(queue::JobStore& store, const Draining& draining) {
    if (draining.begun()) throw Refused(overloaded("The server is stopping."));
    const auto ready = co_await store.ready();
    if (!ready) throw Refused(overloaded(ready.error().message));
    co_return json_response(200, {{"status", "ready"}});
}

awaitable<Response> version(Versions versions) {
    co_return json_response(
        200,
        {{"version", versions.server}, {"api_version", versions.api}, {"kinds", versions.kinds}});
}

struct Document {
    std::string text;
    std::string compressed;
    std::string etag;
};

awaitable<Response> document(const Call& call, const Document& source) {
    const auto known = call.request.header("If-None-Match").value_or("");
    // A part is one of the text.
    const bool compress =
        !call.request.header("Range") &&
        accepts_encoding(call.request.header("Accept-Encoding").value_or(""), "gzip");
    Response response;
    if (names_version(known, source.etag)) {
        response = empty_response(304);
    } else {
        response.with("Content-Type", call.operation.produces.front());
        response.document = compress ? source.compressed : source.text;
        if (compress) response.with("Content-Encoding", "gzip");
    }
    response.with("ETag", source.etag)
        .with("Vary", "Accept-Encoding")
        .with("Cache-Control", "no-cache");
    co_return response;
}

Handler document_handler(std::string_view text) {
    const auto source = std::make_shared<const Document>(
        Document{std::string(text), gzip(text), content_etag(text)});
    return [source](const Call& call) { return document(call, *source); };
}

}  // namespace

void add_operations(Handlers& handlers, queue::JobStore& store, const Draining& draining,
                    const Versions& versions) {
    handlers["getHealth"] = [](const Call&) { return status("ok"); };
    handlers["getReadiness"] = [&store, &draining](const Call&) {
        return readiness(store, draining);
    };
    handlers["getVersion"] = [versions](const Call&) { return version(versions); };
    handlers["getContractJson"] = document_handler(contract_json());
    handlers["getContract31"] = document_handler(contract_json_31());
    handlers["getContractYaml"] = document_handler(contract_yaml());
}

}  // namespace plimsoll::http::endpoints

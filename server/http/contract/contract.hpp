#pragma once

#include "server/http/contract/schema.hpp"
#include "server/http/messages/request.hpp"

#include <string>
#include <string_view>
#include <vector>

// The API contract, openapi.yaml, read once at startup.
namespace plimsoll::http {

struct Parameter {
    enum class In { path, query, header };
    std::string name;
    In in = In::query;
    bool required = false;
    const Schema* schema = nullptr;
};

// Accepted for operations without a body, because some clients send one with every POST.
inline constexpr std::string_view kEmptyBody = "{}";

struct Operation {
    std::string id;      // operationId
    std::string method;  // "GET"
    std::string path;    // template: "/v1/jobs/{job_id}"
    std::vector<Parameter> parameters;
    std::string scope;                  // empty: any caller that is signed in
    bool open = false;                  // needs no credentials
    const Schema* body = nullptr;       // of JSON
    std::string stream_type;            // instead: the media type of a streamed body
    std::size_t body_limit = 0;         // bytes
    std::vector<std::string> produces;  // media types of its successes; the first is the default
    // Of every response, if it is deprecated: Deprecation (RFC 9745) with the time x-deprecated-at,
    // and Sunset (RFC 8594) with x-sunset-at, if it will be removed.
    std::vector<Header> deprecation;
    bool is_paged = false;  // takes a cursor
    // What is kept of a response for calls that repeat an Idempotency-Key; none: the operation
    // handles keys itself.
    enum class Keeps { none, location, whole };
    Keeps keeps = Keeps::none;
};

class Contract {
  public:
    // Throws std::runtime_error that names the place in the document that cannot be served.
    explicit Contract(std::string_view json_text);
    Contract(const Contract&) = delete;
    Contract& operator=(const Contract&) = delete;

    const std::vector<Operation>& operations() const { return operations_; }
    const Operation* find(std::string_view operation_id) const;
    // The job kinds in JobSpec's discriminator.
    std::vector<std::string> kinds() const;
    const std::string& version() const { return version_; }
    // The schema of a JSON response; null if the contract has none.
    const Schema* answer(const Operation& operation, int status, const std::string& media_type);

  private:
    void add_operation(const std::string& path, const nlohmann::json& item,
                       const std::string& method);
    void add_media_types(Operation& operation, const nlohmann::json& responses);
    void add_parameters(Operation& operation, const nlohmann::json& list);
    const nlohmann::json& resolve(const nlohmann::json& node, const std::string& where) const;

    nlohmann::json document_;
    SchemaSet schemas_;
    std::vector<Operation> operations_;
    std::string version_;
};

}  // namespace plimsoll::http

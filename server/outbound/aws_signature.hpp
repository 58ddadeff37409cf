#pragma once

#include <string>
#include <string_view>

namespace plimsoll::outbound {

struct AwsKey {
    std::string id;
    std::string secret;
    std::string region;
};

// A request to S3 as it is signed. Its header also has x-amz-content-sha256 and x-amz-date.
struct AwsRequest {
    std::string_view method;
    std::string_view path;   // encoded, without the query
    std::string_view query;  // encoded, its parameters in alphabetical order
    std::string_view host;
    std::string_view hash;  // sha256_hex of the body
    std::string_view time;  // UTC, "20130524T000000Z"
};

std::string sha256_hex(std::string_view text);

// The field Authorization of AWS Signature Version 4 for the service s3.
std::string aws_authorization(const AwsRequest& request, const AwsKey& key);

}  // namespace plimsoll::outbound

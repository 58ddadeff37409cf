#include "server/outbound/aws_signature.hpp"

#include <gtest/gtest.h>

namespace plimsoll::outbound {
namespace {

// The examples of the Amazon S3 API reference, "Authenticating Requests: Using the Authorization
// Header".
const AwsKey kExample{.id = "AKIAIOSFODNN7EXAMPLE",
                      .secret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
                      .region = "us-east-1"};

std::string signature_of(std::string_view query) {
    const auto hash = sha256_hex("");
    const auto field = aws_authorization({.method = "GET",
                                          .path = "/",
                                          .query = query,
                                          .host = "examplebucket.s3.amazonaws.com",
                                          .hash = hash,
                                          .time = "20130524T000000Z"},
                                         kExample);
    EXPECT_TRUE(
        field.starts_with("AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/"
                          "us-east-1/s3/aws4_request,"));
    return field.substr(field.rfind('=') + 1);
}

TEST(AwsSignature, IsThatOfThePublishedExamples) {
    EXPECT_EQ(signature_of("lifecycle="),
              "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543");
    EXPECT_EQ(signature_of("max-keys=2&prefix=J"),
              "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7");
}

}  // namespace
}  // namespace plimsoll::outbound

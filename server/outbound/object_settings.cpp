#include "server/outbound/object_settings.hpp"

#include "server/outbound/target.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace plimsoll::outbound {
namespace {

std::string broken_bucket_rule(const std::string& url) {
    const auto target = parse_target(url);
    const bool is_url = target && target->path.find_first_of("?%") == std::string::npos;
    return url.empty() || is_url ? "" : "must be https://host/bucket or https://bucket.host";
}

std::string broken_prefix_rule(const std::string& prefix) {
    constexpr std::string_view kPlain =
        "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ._-/";
    const bool is_plain = prefix.find_first_not_of(kPlain) == prefix.npos;
    return is_plain && !prefix.starts_with('/')
               ? ""
               : "must consist of letters, digits and . _ - /, and not begin with /";
}

using S = ObjectSettings;

constexpr ObjectSetting kSettings[] = {
    {"objects.url", "PLIMSOLL_OBJECTS_URL", "https://host/bucket or https://bucket.host",
     "Bucket of an S3-compatible store that keeps the larger chunks of datasets and results; "
     "empty: "
     "PostgreSQL keeps them",
     &S::url, "", false, broken_bucket_rule},
    {"objects.prefix", "PLIMSOLL_OBJECTS_PREFIX", "text",
     "Prefix of all names in the bucket; what is below it belongs to this installation alone",
     &S::prefix, "", false, broken_prefix_rule},
    {"objects.region", "PLIMSOLL_OBJECTS_REGION", "name", "Region of the bucket", &S::region,
     "us-east-1"},
    {"objects.access_key", "PLIMSOLL_OBJECTS_ACCESS_KEY", "text", "ID of the store's access key",
     &S::access_key},
    {"objects.secret_key", "PLIMSOLL_OBJECTS_SECRET_KEY", "text", "Secret of the access key",
     &S::secret_key, "", true},
    {"objects.secret_key_file", "PLIMSOLL_OBJECTS_SECRET_KEY_FILE", "file",
     "File that holds the secret, instead of objects.secret_key", &S::secret_key_file},
    {"objects.ca_file", "PLIMSOLL_OBJECTS_CA_FILE", "file, PEM",
     "Certificate authorities to trust for the store, besides the system's", &S::ca_file},
};

}  // namespace

std::span<const ObjectSetting> object_settings() { return kSettings; }

ObjectSettings object_settings_of_environment() {
    ObjectSettings settings;
    for (const auto& one : kSettings) {
        const char* value = std::getenv(std::string(one.variable).c_str());
        settings.*one.member = value != nullptr ? value : one.fallback;
    }
    return settings;
}

Result<std::string> secret_of(const std::string& value, const std::string& file,
                              const std::string& setting) {
    if (file.empty()) return value;
    std::ifstream in(file, std::ios::binary);
    std::string secret((std::istreambuf_iterator<char>(in)), {});
    while (secret.ends_with('\n') || secret.ends_with('\r')) secret.pop_back();
    if (!in || secret.empty())
        return fail(Errc::invalid_input, setting + " cannot be read, or is empty.", file);
    return secret;
}

}  // namespace plimsoll::outbound

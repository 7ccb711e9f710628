// What OpenSSL 3 has in place of these functions looks the algorithm up by name each time, which takes
// longer than a short message does.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

static inline void staffbook_sha256(const void *message, size_t count, unsigned char *digest) {
  SHA256_CTX context;
  SHA256_Init(&context);
  SHA256_Update(&context, message, count);
  SHA256_Final(digest, &context);
}

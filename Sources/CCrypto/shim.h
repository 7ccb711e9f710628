// What OpenSSL 3 has in place of these functions looks the algorithm up by name each time, which takes
// longer than a short message does.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/pem.h>
#include <openssl/sha.h>
#include <openssl/x509.h>
#include <stdio.h>

static inline void staffbook_sha256(const void *message, size_t count, unsigned char *digest) {
  SHA256_CTX context;
  SHA256_Init(&context);
  SHA256_Update(&context, message, count);
  SHA256_Final(digest, &context);
}

// Whether a private key is that of a certificate, the first one of its file; both are in PEM.
static inline int staffbook_key_belongs(const char *key_path, const char *certificate_path) {
  FILE *key_file = fopen(key_path, "re"), *certificate_file = fopen(certificate_path, "re");
  EVP_PKEY *key = key_file ? PEM_read_PrivateKey(key_file, NULL, NULL, (void *)"") : NULL;
  X509 *certificate =
      certificate_file ? PEM_read_X509(certificate_file, NULL, NULL, (void *)"") : NULL;
  int belongs = key && certificate && X509_check_private_key(certificate, key) == 1;
  EVP_PKEY_free(key);
  X509_free(certificate);
  if (key_file) fclose(key_file);
  if (certificate_file) fclose(certificate_file);
  return belongs;
}

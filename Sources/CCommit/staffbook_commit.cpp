// The commit that is checked out, taken from the checkout by the compiler.
//
// Whatever moves HEAD adds a line to .git/logs/HEAD: the commit before, the commit now, who, when and
// why (git-reflog(1)). The compiler notes the file as one that this one is made of, so that another
// commit compiles these few lines anew, links, and does nothing else. SwiftPM's own answer,
// Context.gitInformation, is that of the last time the manifest was changed. Only the digits get into
// the program.

#include "staffbook_commit.h"

#include <stddef.h>

namespace {

#pragma clang diagnostic ignored "-Wc23-extensions"
constexpr unsigned char log[] = {
#if __has_embed("../../.git/logs/HEAD") == __STDC_EMBED_FOUND__
#embed "../../.git/logs/HEAD" suffix(, )
#endif
    '\n'};

struct Commit {
  char digits[13];
};

constexpr Commit lastCommit() {
  Commit commit = {};
  size_t end = sizeof log - 1;
  while (end > 0 && log[end - 1] == '\n') end--;
  size_t start = end;
  while (start > 0 && log[start - 1] != '\n') start--;
  while (start < end && log[start] != ' ') start++;
  for (size_t count = 0; count < sizeof commit.digits - 1; count++) {
    size_t place = start + 1 + count;
    unsigned char digit = place < end ? log[place] : 0;
    if (!((digit >= '0' && digit <= '9') || (digit >= 'a' && digit <= 'f'))) return Commit{};
    commit.digits[count] = static_cast<char>(digit);
  }
  return commit;
}

constexpr Commit commit = lastCommit();

}  // namespace

const char *staffbook_commit(void) { return commit.digits; }

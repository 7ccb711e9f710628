#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/// The commit that the program was built from, as the first digits of its number; "" outside a checkout.
const char *_Nonnull staffbook_commit(void);

#ifdef __cplusplus
}
#endif

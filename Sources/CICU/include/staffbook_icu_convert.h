// Text in other encodings, by ICU's converters.

#ifndef STAFFBOOK_ICU_CONVERT_H
#define STAFFBOOK_ICU_CONVERT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct staffbook_decoder staffbook_decoder;

typedef enum staffbook_decoder_state {
  // All that was given has been taken.
  STAFFBOOK_DECODER_HUNGRY = 0,
  // The output is full; call again with what is left.
  STAFFBOOK_DECODER_FULL,
  // The bytes that end where the input was taken to are none of the encoding's characters.
  STAFFBOOK_DECODER_MALFORMED,
  // Memory is short, or ICU failed in another way.
  STAFFBOOK_DECODER_FAILED,
} staffbook_decoder_state;

// Opens the decoder of an encoding by any name that ICU knows (IANA's, and many vendors'), or
// returns NULL.
staffbook_decoder *staffbook_decoder_open(const char *name);

void staffbook_decoder_close(staffbook_decoder *decoder);

// ICU's own name of the encoding; lives as long as the decoder.
const char *staffbook_decoder_name(const staffbook_decoder *decoder);

// Decodes into UTF-8. `capacity` is at least 4. `is_last` says that nothing follows the input.
// Afterwards `taken` bytes of the input are done with, `written` bytes of the output are filled,
// and of malformed input `malformed` is the number of its bytes, the last ones that were taken.
staffbook_decoder_state staffbook_decoder_decode(
    staffbook_decoder *decoder, const void *input, size_t count, bool is_last, void *output,
    size_t capacity, size_t *taken, size_t *written, size_t *malformed);

#endif

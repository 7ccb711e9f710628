#include "staffbook_icu_convert.h"

#include <stdint.h>
#include <stdlib.h>

#include <unicode/ucnv.h>
#include <unicode/utf16.h>
#include <unicode/utf8.h>

enum { unit_capacity = 4096 };

struct staffbook_decoder {
  UConverter *converter;
  // UTF-16 that is not written yet: from `start` to `end`.
  UChar units[unit_capacity];
  size_t start;
  size_t end;
};

staffbook_decoder *staffbook_decoder_open(const char *name) {
  // ICU takes an empty name for the system's own encoding.
  if (name[0] == '\0') return NULL;
  UErrorCode error = U_ZERO_ERROR;
  UConverter *converter = ucnv_open(name, &error);
  if (U_FAILURE(error)) return NULL;
  ucnv_setToUCallBack(converter, UCNV_TO_U_CALLBACK_STOP, NULL, NULL, NULL, &error);
  staffbook_decoder *decoder = U_FAILURE(error) ? NULL : calloc(1, sizeof *decoder);
  if (decoder == NULL) {
    ucnv_close(converter);
    return NULL;
  }
  decoder->converter = converter;
  return decoder;
}

void staffbook_decoder_close(staffbook_decoder *decoder) {
  ucnv_close(decoder->converter);
  free(decoder);
}

const char *staffbook_decoder_name(const staffbook_decoder *decoder) {
  UErrorCode error = U_ZERO_ERROR;
  const char *name = ucnv_getName(decoder->converter, &error);
  return U_SUCCESS(error) && name != NULL ? name : "";
}

// Writes units as UTF-8 while there is room. Half of a pair at the end waits for the other half.
static size_t write_units(
    staffbook_decoder *decoder, uint8_t *output, size_t capacity, bool *is_full) {
  size_t written = 0;
  *is_full = false;
  while (decoder->start < decoder->end) {
    UChar32 scalar = decoder->units[decoder->start];
    size_t length = 1;
    if (U16_IS_LEAD(scalar)) {
      if (decoder->start + 1 == decoder->end) break;
      scalar = U16_GET_SUPPLEMENTARY(scalar, decoder->units[decoder->start + 1]);
      length = 2;
    }
    if (capacity - written < (size_t)U8_LENGTH(scalar)) {
      *is_full = true;
      break;
    }
    U8_APPEND_UNSAFE(output, written, scalar);
    decoder->start += length;
  }
  return written;
}

staffbook_decoder_state staffbook_decoder_decode(
    staffbook_decoder *decoder, const void *input, size_t count, bool is_last, void *output,
    size_t capacity, size_t *taken, size_t *written, size_t *malformed) {
  *taken = *written = *malformed = 0;
  for (;;) {
    bool is_full;
    *written += write_units(decoder, (uint8_t *)output + *written, capacity - *written, &is_full);
    if (is_full) return STAFFBOOK_DECODER_FULL;
    size_t rest = decoder->end - decoder->start;
    if (rest > 0) decoder->units[0] = decoder->units[decoder->start];
    decoder->start = 0;
    decoder->end = rest;

    const char *source = (const char *)input + *taken;
    const char *source_end = (const char *)input + count;
    UChar *target = decoder->units + decoder->end;
    UErrorCode error = U_ZERO_ERROR;
    ucnv_toUnicode(
        decoder->converter, &target, decoder->units + unit_capacity, &source, source_end, NULL,
        is_last, &error);
    *taken = (size_t)(source - (const char *)input);
    decoder->end = (size_t)(target - decoder->units);
    if (error == U_BUFFER_OVERFLOW_ERROR) continue;
    if (U_SUCCESS(error)) {
      if (decoder->start == decoder->end) return STAFFBOOK_DECODER_HUNGRY;
      if (decoder->end == 1 && U16_IS_LEAD(decoder->units[0])) return STAFFBOOK_DECODER_HUNGRY;
      // What is left is written in the next round, in which ICU has nothing more to add.
      continue;
    }
    if (error != U_INVALID_CHAR_FOUND && error != U_ILLEGAL_CHAR_FOUND &&
        error != U_TRUNCATED_CHAR_FOUND && error != U_ILLEGAL_ESCAPE_SEQUENCE) {
      return STAFFBOOK_DECODER_FAILED;
    }
    *written += write_units(decoder, (uint8_t *)output + *written, capacity - *written, &is_full);
    char bytes[64];
    int8_t length = sizeof bytes;
    UErrorCode lookup = U_ZERO_ERROR;
    ucnv_getInvalidChars(decoder->converter, bytes, &length, &lookup);
    *malformed = U_SUCCESS(lookup) && length > 0 ? (size_t)length : 1;
    return STAFFBOOK_DECODER_MALFORMED;
  }
}

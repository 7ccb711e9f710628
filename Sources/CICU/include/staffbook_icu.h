// An opaque window on ICU. ICU's own headers are included in staffbook_icu.c only: they clash with
// the copy that Foundation carries.

#ifndef STAFFBOOK_ICU_H
#define STAFFBOOK_ICU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Collation.

typedef struct staffbook_collator staffbook_collator;

typedef enum staffbook_collator_problem {
  STAFFBOOK_COLLATOR_OPENED = 0,
  STAFFBOOK_COLLATOR_MALFORMED_TAG,
  STAFFBOOK_COLLATOR_UNKNOWN_LANGUAGE,
  STAFFBOOK_COLLATOR_UNKNOWN_SCRIPT,
  STAFFBOOK_COLLATOR_UNKNOWN_REGION,
  STAFFBOOK_COLLATOR_UNKNOWN_TYPE,
  STAFFBOOK_COLLATOR_UNKNOWN_OPTION,
  STAFFBOOK_COLLATOR_FAILED,
} staffbook_collator_problem;

// Opens the collation of a BCP 47 tag, or returns NULL and says why; `failure` then points to
// ICU's name of the error, a constant.
staffbook_collator *staffbook_collator_open(
    const char *tag, staffbook_collator_problem *problem, const char **failure);

void staffbook_collator_close(staffbook_collator *collator);

// The version of rules and root data together (ucol_getVersion).
void staffbook_collator_version(const staffbook_collator *collator, uint8_t version[4]);

// Makes the sort key of UTF-8 text in a buffer of the collator's and hands it out until the next
// call. Returns its length without terminator, or -1 when memory is short or the text is longer
// than ICU counts. Ill-formed UTF-8 is read as U+FFFD.
int64_t staffbook_collator_key(
    staffbook_collator *collator, const void *utf8, size_t count, const uint8_t **key);

// Whether a code point of the Basic Multilingual Plane may by its nature change the weights of what
// stands before it: marks that combine, vowels and consonants that compose, digits where numbers
// sort by value, surrogates and non-characters.
bool staffbook_collator_joins(const staffbook_collator *collator, uint16_t unit);

// Calls `found` with every UTF-16 unit that stands in a contraction or context of the locale and is
// not its first; some several times. Returns false when ICU fails.
bool staffbook_collator_each_continuing(
    const staffbook_collator *collator, void (*found)(void *context, uint16_t unit), void *context);

// Normalization.

typedef enum staffbook_normal_form {
  STAFFBOOK_NFC,
  STAFFBOOK_NFD,
  STAFFBOOK_NFKC_CASEFOLD,
} staffbook_normal_form;

// Normalizes UTF-16. Returns the length of the result, which is written only when it fits in
// `capacity`, or -1 on failure.
int32_t staffbook_normalize(
    staffbook_normal_form form, const uint16_t *text, int32_t count, uint16_t *result,
    int32_t capacity);

// Domain names.

// Makes the ASCII form of a domain's name, or the form with its letters, by UTS #46 without what is
// left of IDNA2003. Returns the length of the UTF-8 that is written, or -1 for what is no name of a
// domain, and where the result does not fit in `capacity`.
int32_t staffbook_domain(
    bool to_ascii, const uint8_t *utf8, int32_t count, uint8_t *result, int32_t capacity);

// Scalar properties.

typedef enum staffbook_scalar_flag {
  STAFFBOOK_DEFAULT_IGNORABLE = 1 << 0,
  STAFFBOOK_WHITE_SPACE = 1 << 1,
  STAFFBOOK_DASH = 1 << 2,
  STAFFBOOK_EMOJI = 1 << 3,
  STAFFBOOK_EXTENDED_PICTOGRAPHIC = 1 << 4,
  STAFFBOOK_VARIATION_SELECTOR = 1 << 5,
  STAFFBOOK_NONCHARACTER = 1 << 6,
  // East_Asian_Width is W or F.
  STAFFBOOK_WIDE = 1 << 7,
  // Bidi_Class is R, AL or AN.
  STAFFBOOK_RIGHT_TO_LEFT = 1 << 8,
  // Grapheme_Cluster_Break is Other, LV or LVT: between two such scalars there is always a break.
  STAFFBOOK_STANDS_ALONE = 1 << 9,
  // Hangul_Syllable_Type is V or T: drawn inside the syllable that the leading consonant began.
  STAFFBOOK_HANGUL_FOLLOWER = 1 << 10,
  // Script is Common, Inherited, Latin, Greek, Cyrillic, Hebrew, Arabic or Syriac.
  STAFFBOOK_MARKS_ARE_DIACRITICS = 1 << 11,
  // Nothing before the scalar takes part in its NFKC_Casefold.
  STAFFBOOK_FOLDS_ALONE = 1 << 12,
  // A format character that is drawn, before and below digits (U+0600, U+06DD).
  STAFFBOOK_PREPENDED_MARK = 1 << 13,
  /* Of East Asian width Ambiguous (UAX #11): drawn wide by some terminals. */
  STAFFBOOK_AMBIGUOUS_WIDTH = 1 << 14,
} staffbook_scalar_flag;

// General_Category, as far as we tell values apart.
typedef enum staffbook_scalar_category {
  STAFFBOOK_OTHER_CATEGORY = 0,
  STAFFBOOK_NONSPACING_MARK,
  STAFFBOOK_ENCLOSING_MARK,
  STAFFBOOK_SPACING_MARK,
  STAFFBOOK_CONTROL,
  STAFFBOOK_FORMAT,
  STAFFBOOK_LINE_SEPARATOR,
  STAFFBOOK_PARAGRAPH_SEPARATOR,
  STAFFBOOK_SURROGATE,
} staffbook_scalar_category;

typedef struct staffbook_scalar_properties {
  uint16_t flags;
  uint8_t category;
  // The value of a decimal digit, otherwise -1.
  int8_t digit;
} staffbook_scalar_properties;

staffbook_scalar_properties staffbook_scalar_properties_of(uint32_t scalar);

#endif

#include "staffbook_icu.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <unicode/uchar.h>
#include <unicode/ucol.h>
#include <unicode/uenum.h>
#include <unicode/uidna.h>
#include <unicode/uloc.h>
#include <unicode/unorm2.h>
#include <unicode/uregion.h>
#include <unicode/uscript.h>
#include <unicode/uset.h>
#include <unicode/ustring.h>

struct staffbook_collator {
  UCollator *rules;
  UChar *units;
  int32_t unit_capacity;
  uint8_t *key;
  int32_t key_capacity;
};

// ICU falls back in silence from what it does not know to the root collation, so each part of a
// locale is looked up on its own.

static bool knows_language(const char *id) {
  char language[ULOC_LANG_CAPACITY];
  UErrorCode error = U_ZERO_ERROR;
  int32_t length = uloc_getLanguage(id, language, sizeof language, &error);
  if (U_FAILURE(error)) return false;
  return length == 0 || uloc_getISO3Language(language)[0] != '\0';
}

static bool knows_script(const char *id) {
  char script[ULOC_SCRIPT_CAPACITY];
  UErrorCode error = U_ZERO_ERROR;
  int32_t length = uloc_getScript(id, script, sizeof script, &error);
  if (U_FAILURE(error)) return false;
  return length == 0 || u_getPropertyValueEnum(UCHAR_SCRIPT, script) != UCHAR_INVALID_CODE;
}

static bool knows_region(const char *id) {
  char region[ULOC_COUNTRY_CAPACITY];
  UErrorCode error = U_ZERO_ERROR;
  int32_t length = uloc_getCountry(id, region, sizeof region, &error);
  if (U_FAILURE(error)) return false;
  if (length == 0) return true;
  uregion_getRegionFromCode(region, &error);
  return U_SUCCESS(error);
}

static bool knows_collation_type(const char *id) {
  char type[ULOC_KEYWORDS_CAPACITY];
  UErrorCode error = U_ZERO_ERROR;
  int32_t length = uloc_getKeywordValue(id, "collation", type, sizeof type, &error);
  if (U_FAILURE(error) || length == 0) return U_SUCCESS(error);

  char base[ULOC_FULLNAME_CAPACITY];
  uloc_getBaseName(id, base, sizeof base, &error);
  UEnumeration *types = ucol_getKeywordValuesForLocale("collation", base, false, &error);
  bool found = false;
  const char *candidate;
  while (!found && (candidate = uenum_next(types, NULL, &error)) != NULL && U_SUCCESS(error)) {
    found = strcmp(candidate, type) == 0;
  }
  uenum_close(types);
  return found;
}

static bool refuses_normalization(const char *id) {
  char value[ULOC_KEYWORDS_CAPACITY];
  UErrorCode error = U_ZERO_ERROR;
  uloc_getKeywordValue(id, "colnormalization", value, sizeof value, &error);
  return U_SUCCESS(error) && strcmp(value, "no") == 0;
}

static staffbook_collator_problem parse_tag(const char *tag, char id[ULOC_FULLNAME_CAPACITY]) {
  UErrorCode error = U_ZERO_ERROR;
  int32_t parsed = 0;
  uloc_forLanguageTag(tag, id, ULOC_FULLNAME_CAPACITY, &parsed, &error);
  if (U_FAILURE(error) || error == U_STRING_NOT_TERMINATED_WARNING || tag[0] == '\0'
      || (size_t)parsed != strlen(tag)) {
    return STAFFBOOK_COLLATOR_MALFORMED_TAG;
  }
  if (!knows_language(id)) return STAFFBOOK_COLLATOR_UNKNOWN_LANGUAGE;
  if (!knows_script(id)) return STAFFBOOK_COLLATOR_UNKNOWN_SCRIPT;
  if (!knows_region(id)) return STAFFBOOK_COLLATOR_UNKNOWN_REGION;
  if (!knows_collation_type(id)) return STAFFBOOK_COLLATOR_UNKNOWN_TYPE;
  return STAFFBOOK_COLLATOR_OPENED;
}

staffbook_collator *staffbook_collator_open(
    const char *tag, staffbook_collator_problem *problem, const char **failure) {
  *failure = "";
  char id[ULOC_FULLNAME_CAPACITY];
  *problem = parse_tag(tag, id);
  if (*problem != STAFFBOOK_COLLATOR_OPENED) return NULL;

  UErrorCode error = U_ZERO_ERROR;
  UCollator *rules = ucol_open(id[0] == '\0' ? "root" : id, &error);
  if (U_SUCCESS(error) && !refuses_normalization(id)) {
    // Without it, marks in another order than the canonical one sort apart.
    ucol_setAttribute(rules, UCOL_NORMALIZATION_MODE, UCOL_ON, &error);
  }
  staffbook_collator *collator = NULL;
  if (U_SUCCESS(error)) {
    collator = calloc(1, sizeof *collator);
    if (collator == NULL) error = U_MEMORY_ALLOCATION_ERROR;
  }
  if (collator == NULL) {
    ucol_close(rules);
    *failure = u_errorName(error);
    *problem = error == U_ILLEGAL_ARGUMENT_ERROR ? STAFFBOOK_COLLATOR_UNKNOWN_OPTION
                                                 : STAFFBOOK_COLLATOR_FAILED;
    return NULL;
  }
  collator->rules = rules;
  return collator;
}

void staffbook_collator_close(staffbook_collator *collator) {
  ucol_close(collator->rules);
  free(collator->units);
  free(collator->key);
  free(collator);
}

void staffbook_collator_version(const staffbook_collator *collator, uint8_t version[4]) {
  UVersionInfo info;
  ucol_getVersion(collator->rules, info);
  memcpy(version, info, 4);
}

static bool reserve_units(staffbook_collator *collator, int32_t count) {
  if (count <= collator->unit_capacity) return true;
  int32_t capacity = count < 1024 ? 1024 : count;
  UChar *units = realloc(collator->units, (size_t)capacity * sizeof *units);
  if (units == NULL) return false;
  collator->units = units;
  collator->unit_capacity = capacity;
  return true;
}

static bool reserve_key(staffbook_collator *collator, int32_t count) {
  if (count <= collator->key_capacity) return true;
  int32_t capacity = count < 4096 ? 4096 : count;
  uint8_t *key = realloc(collator->key, (size_t)capacity);
  if (key == NULL) return false;
  collator->key = key;
  collator->key_capacity = capacity;
  return true;
}

// Widens the ASCII beginning of the text, which is most of most names, and returns its length.
static int32_t widen_ascii(const uint8_t *bytes, int32_t count, UChar *units) {
  int32_t i = 0;
  for (; i + 8 <= count; i += 8) {
    uint64_t word;
    memcpy(&word, bytes + i, 8);
    if (word & UINT64_C(0x8080808080808080)) break;
    for (int j = 0; j < 8; j++) units[i + j] = bytes[i + j];
  }
  while (i < count && bytes[i] < 0x80) {
    units[i] = bytes[i];
    i++;
  }
  return i;
}

int64_t staffbook_collator_key(
    staffbook_collator *collator, const void *utf8, size_t count, const uint8_t **key) {
  if (count > INT32_MAX / 8 || !reserve_units(collator, (int32_t)count)) return -1;

  int32_t length = (int32_t)count;
  int32_t ascii = widen_ascii(utf8, length, collator->units);
  int32_t units = ascii;
  UErrorCode error = U_ZERO_ERROR;
  if (ascii < length) {
    int32_t rest = 0;
    u_strFromUTF8WithSub(
        collator->units + ascii, collator->unit_capacity - ascii, &rest,
        (const char *)utf8 + ascii, length - ascii, 0xFFFD, NULL, &error);
    if (U_FAILURE(error)) return -1;
    units += rest;
  }
  if (!reserve_key(collator, 1)) return -1;
  int32_t needed =
      ucol_getSortKey(collator->rules, collator->units, units, collator->key, collator->key_capacity);
  if (needed > collator->key_capacity) {
    if (!reserve_key(collator, needed)) return -1;
    needed = ucol_getSortKey(
        collator->rules, collator->units, units, collator->key, collator->key_capacity);
  }
  if (needed < 1) return -1;
  *key = collator->key;
  return needed - 1;
}

bool staffbook_collator_joins(const staffbook_collator *collator, uint16_t unit) {
  UChar32 code_point = unit;
  UErrorCode error = U_ZERO_ERROR;
  const UNormalizer2 *nfd = unorm2_getNFDInstance(&error);
  if (U_FAILURE(error)) return true;
  if (U_IS_SURROGATE(code_point) || U_IS_UNICODE_NONCHAR(code_point)) return true;
  if (unorm2_getCombiningClass(nfd, code_point) != 0) return true;
  if (!unorm2_hasBoundaryBefore(nfd, code_point)) return true;
  int32_t hangul = u_getIntPropertyValue(code_point, UCHAR_HANGUL_SYLLABLE_TYPE);
  if (hangul == U_HST_LEADING_JAMO || hangul == U_HST_VOWEL_JAMO || hangul == U_HST_TRAILING_JAMO) {
    return true;
  }
  bool numeric = ucol_getAttribute(collator->rules, UCOL_NUMERIC_COLLATION, &error) != UCOL_OFF;
  return numeric && u_isdigit(code_point);
}

bool staffbook_collator_each_continuing(
    const staffbook_collator *collator, void (*found)(void *context, uint16_t unit),
    void *context) {
  UErrorCode error = U_ZERO_ERROR;
  USet *contractions = uset_openEmpty();
  ucol_getContractionsAndExpansions(collator->rules, contractions, NULL, true, &error);
  int32_t count = U_SUCCESS(error) ? uset_getItemCount(contractions) : 0;
  for (int32_t item = 0; item < count && U_SUCCESS(error); item++) {
    UChar32 start, end;
    UChar units[256];
    int32_t length = uset_getItem(contractions, item, &start, &end, units, 256, &error);
    for (int32_t unit = 1; unit < length && U_SUCCESS(error); unit++) found(context, units[unit]);
  }
  uset_close(contractions);
  return U_SUCCESS(error);
}

static const UNormalizer2 *normalizer(staffbook_normal_form form, UErrorCode *error) {
  switch (form) {
  case STAFFBOOK_NFC: return unorm2_getNFCInstance(error);
  case STAFFBOOK_NFD: return unorm2_getNFDInstance(error);
  case STAFFBOOK_NFKC_CASEFOLD: return unorm2_getNFKCCasefoldInstance(error);
  }
  *error = U_ILLEGAL_ARGUMENT_ERROR;
  return NULL;
}

int32_t staffbook_normalize(
    staffbook_normal_form form, const uint16_t *text, int32_t count, uint16_t *result,
    int32_t capacity) {
  UErrorCode error = U_ZERO_ERROR;
  const UNormalizer2 *rules = normalizer(form, &error);
  if (U_FAILURE(error)) return -1;
  int32_t length = unorm2_normalize(
      rules, (const UChar *)text, count, (UChar *)result, capacity, &error);
  return U_SUCCESS(error) || error == U_BUFFER_OVERFLOW_ERROR ? length : -1;
}

int32_t staffbook_domain(
    bool to_ascii, const uint8_t *utf8, int32_t count, uint8_t *result, int32_t capacity) {
  UErrorCode error = U_ZERO_ERROR;
  UIDNAInfo info = UIDNA_INFO_INITIALIZER;
  UIDNA *rules = uidna_openUTS46(
      UIDNA_CHECK_BIDI | UIDNA_CHECK_CONTEXTJ | UIDNA_NONTRANSITIONAL_TO_ASCII
          | UIDNA_NONTRANSITIONAL_TO_UNICODE,
      &error);
  if (U_FAILURE(error)) return -1;
  const char *name = (const char *)utf8;
  int32_t length = to_ascii
      ? uidna_nameToASCII_UTF8(rules, name, count, (char *)result, capacity, &info, &error)
      : uidna_nameToUnicodeUTF8(rules, name, count, (char *)result, capacity, &info, &error);
  uidna_close(rules);
  return U_SUCCESS(error) && info.errors == 0 ? length : -1;
}

static uint8_t category_of(UChar32 scalar) {
  switch (u_charType(scalar)) {
  case U_NON_SPACING_MARK: return STAFFBOOK_NONSPACING_MARK;
  case U_ENCLOSING_MARK: return STAFFBOOK_ENCLOSING_MARK;
  case U_COMBINING_SPACING_MARK: return STAFFBOOK_SPACING_MARK;
  case U_CONTROL_CHAR: return STAFFBOOK_CONTROL;
  case U_FORMAT_CHAR: return STAFFBOOK_FORMAT;
  case U_LINE_SEPARATOR: return STAFFBOOK_LINE_SEPARATOR;
  case U_PARAGRAPH_SEPARATOR: return STAFFBOOK_PARAGRAPH_SEPARATOR;
  case U_SURROGATE: return STAFFBOOK_SURROGATE;
  default: return STAFFBOOK_OTHER_CATEGORY;
  }
}

static bool marks_are_diacritics(UChar32 scalar) {
  UErrorCode error = U_ZERO_ERROR;
  switch (uscript_getScript(scalar, &error)) {
  case USCRIPT_COMMON:
  case USCRIPT_INHERITED:
  case USCRIPT_LATIN:
  case USCRIPT_GREEK:
  case USCRIPT_CYRILLIC:
  case USCRIPT_HEBREW:
  case USCRIPT_ARABIC:
  case USCRIPT_SYRIAC:
    return true;
  default:
    return false;
  }
}

static bool is_wide(UChar32 scalar) {
  int32_t width = u_getIntPropertyValue(scalar, UCHAR_EAST_ASIAN_WIDTH);
  return width == U_EA_WIDE || width == U_EA_FULLWIDTH;
}

static bool is_right_to_left(UChar32 scalar) {
  UCharDirection direction = u_charDirection(scalar);
  return direction == U_RIGHT_TO_LEFT || direction == U_RIGHT_TO_LEFT_ARABIC
      || direction == U_ARABIC_NUMBER;
}

static bool stands_alone(UChar32 scalar) {
  // Swift may know a newer Unicode than ICU, in which it is a mark: U+1AD2 was one.
  if (u_charType(scalar) == U_UNASSIGNED) return false;
  int32_t value = u_getIntPropertyValue(scalar, UCHAR_GRAPHEME_CLUSTER_BREAK);
  return value == U_GCB_OTHER || value == U_GCB_LV || value == U_GCB_LVT;
}

static bool is_hangul_follower(UChar32 scalar) {
  int32_t type = u_getIntPropertyValue(scalar, UCHAR_HANGUL_SYLLABLE_TYPE);
  return type == U_HST_VOWEL_JAMO || type == U_HST_TRAILING_JAMO;
}

static bool folds_alone(UChar32 scalar) {
  UErrorCode error = U_ZERO_ERROR;
  const UNormalizer2 *rules = unorm2_getNFKCCasefoldInstance(&error);
  return U_SUCCESS(error) && unorm2_hasBoundaryBefore(rules, scalar);
}

staffbook_scalar_properties staffbook_scalar_properties_of(uint32_t value) {
  UChar32 scalar = (UChar32)value;
  uint16_t flags = 0;
  if (u_hasBinaryProperty(scalar, UCHAR_DEFAULT_IGNORABLE_CODE_POINT)) {
    flags |= STAFFBOOK_DEFAULT_IGNORABLE;
  }
  if (u_hasBinaryProperty(scalar, UCHAR_WHITE_SPACE)) flags |= STAFFBOOK_WHITE_SPACE;
  if (u_hasBinaryProperty(scalar, UCHAR_DASH)) flags |= STAFFBOOK_DASH;
  if (u_hasBinaryProperty(scalar, UCHAR_EMOJI)) flags |= STAFFBOOK_EMOJI;
  if (u_hasBinaryProperty(scalar, UCHAR_EXTENDED_PICTOGRAPHIC)) {
    flags |= STAFFBOOK_EXTENDED_PICTOGRAPHIC;
  }
  if (u_hasBinaryProperty(scalar, UCHAR_VARIATION_SELECTOR)) flags |= STAFFBOOK_VARIATION_SELECTOR;
  if (u_hasBinaryProperty(scalar, UCHAR_NONCHARACTER_CODE_POINT)) flags |= STAFFBOOK_NONCHARACTER;
  if (is_wide(scalar)) flags |= STAFFBOOK_WIDE;
  if (u_getIntPropertyValue(scalar, UCHAR_EAST_ASIAN_WIDTH) == U_EA_AMBIGUOUS) {
    flags |= STAFFBOOK_AMBIGUOUS_WIDTH;
  }
  if (is_right_to_left(scalar)) flags |= STAFFBOOK_RIGHT_TO_LEFT;
  if (stands_alone(scalar)) flags |= STAFFBOOK_STANDS_ALONE;
  if (is_hangul_follower(scalar)) flags |= STAFFBOOK_HANGUL_FOLLOWER;
  if (marks_are_diacritics(scalar)) flags |= STAFFBOOK_MARKS_ARE_DIACRITICS;
  if (u_hasBinaryProperty(scalar, UCHAR_PREPENDED_CONCATENATION_MARK)) {
    flags |= STAFFBOOK_PREPENDED_MARK;
  }
  if (folds_alone(scalar)) flags |= STAFFBOOK_FOLDS_ALONE;

  int32_t digit = u_charType(scalar) == U_DECIMAL_DIGIT_NUMBER ? u_charDigitValue(scalar) : -1;
  staffbook_scalar_properties properties = {
    .flags = flags, .category = category_of(scalar), .digit = (int8_t)digit,
  };
  return properties;
}

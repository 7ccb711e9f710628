// Tables of Latin readings, made by scripts/readings. All are constants without relocations, so a
// program that looks nothing up pays nothing for them.
#ifndef STAFFBOOK_READINGS_H
#define STAFFBOOK_READINGS_H

#include <stdint.h>

// Numbers of readings: 0 is a border between words, 1 to 36 are a to z and 0 to 9, then come
// letters, Indic consonants in pairs (with the inherent vowel, bare), kana, and ideographs.
// Another one for each state of the tables.
extern const uint64_t staffbook_reading_version;
extern const uint16_t staffbook_first_inherent_reading;
extern const uint16_t staffbook_first_mora_reading;
extern const uint16_t staffbook_first_syllable_reading;
extern const uint16_t staffbook_reading_count;
extern const uint32_t staffbook_reading_page_count;
extern const uint32_t staffbook_reading_group_count;
extern const uint32_t staffbook_surname_count;
extern const uint32_t staffbook_variant_count;

extern const uint8_t staffbook_reading_text[];
extern const uint32_t staffbook_reading_starts[];
extern const uint16_t staffbook_reading_pages[];
extern const uint16_t staffbook_reading_codes[];
extern const uint32_t staffbook_reading_groups[];
extern const uint32_t staffbook_surnames[];
extern const uint32_t staffbook_variants[];
extern const uint32_t staffbook_japanese_page_count;
extern const uint16_t staffbook_japanese_pages[];
extern const uint32_t staffbook_japanese_surname_count;
extern const uint32_t staffbook_japanese_surnames[];

// The spellings of a reading: a comma between two, a semicolon before those of other readings than
// the main one. An empty spelling is none.
static inline const uint8_t *staffbook_spellings(uint16_t reading, uint32_t *count) {
  uint32_t start = staffbook_reading_starts[reading];
  *count = staffbook_reading_starts[reading + 1] - start;
  return staffbook_reading_text + start;
}

// The number of the reading of a scalar, 0 for none.
static inline uint16_t staffbook_reading_of(uint32_t scalar) {
  uint32_t page = scalar >> 7;
  if (page >= staffbook_reading_page_count) return 0;
  return staffbook_reading_codes[(uint32_t)staffbook_reading_pages[page] << 7 | (scalar & 127)];
}

// The same for an ideograph in a name that is Japanese: with Japanese readings behind the others.
static inline uint16_t staffbook_japanese_reading_of(uint32_t scalar) {
  uint32_t page = scalar >> 7;
  if (page >= staffbook_japanese_page_count) return 0;
  return staffbook_reading_codes[(uint32_t)staffbook_japanese_pages[page] << 7 | (scalar & 127)];
}

// Scalars that are read together, one behind the other: how many scalars, how many readings, the
// scalars, the readings; by the first scalar rising, longer ones first. The second list is of
// surnames and replaces the first at the start of a person's name.
static inline const uint32_t *staffbook_groups(void) { return staffbook_reading_groups; }
static inline const uint32_t *staffbook_names(void) { return staffbook_surnames; }
static inline const uint32_t *staffbook_japanese_names(void) { return staffbook_japanese_surnames; }

// The Simplified form of a Traditional ideograph; any other scalar itself.
static inline uint32_t staffbook_simplified(uint32_t scalar) {
  uint32_t low = 0, high = staffbook_variant_count;
  while (low < high) {
    uint32_t middle = (low + high) / 2;
    if (staffbook_variants[2 * middle] < scalar) low = middle + 1;
    else high = middle;
  }
  return low < staffbook_variant_count && staffbook_variants[2 * low] == scalar
             ? staffbook_variants[2 * low + 1]
             : scalar;
}

#endif

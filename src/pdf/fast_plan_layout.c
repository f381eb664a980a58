#include <openssl/rand.h>
#include <stdlib.h>
#include <string.h>

#include "fast_plan.h"

enum { ID_SIZE = 16, TABLE_ROW = 20, TABLE_OFFSET_DIGITS = 10, NUMBERS_SKIPPED_MAX = 1 << 16 };

static bool add_hex(ol_text *text, const uint8_t *bytes, size_t length) {
  static const char digits[] = "0123456789abcdef";
  bool ok = ol_text_add(text, "<", 1);
  for (size_t i = 0; ok && i < length; i++) {
    char pair[2] = {digits[bytes[i] >> 4], digits[bytes[i] & 15]};
    ok = ol_text_add(text, pair, 2);
  }
  return ok && ol_text_add(text, ">", 1);
}

/* What the new trailer says itself; the rest of the old one is kept. */
static bool is_replaced(const ol_token *key) {
  static const char *const names[] = {"Size", "Prev",  "XRefStm", "Encrypt", "ID",          "Type",
                                      "W",    "Index", "Length",  "Filter",  "DecodeParms", "DL"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (ol_name_is(key, names[i])) return true;
  }
  return false;
}

static bool add_trailer_entries(ol_plan *plan, uint32_t encrypt) {
  const uint8_t *p = plan->xref.trailer, *end = p + plan->xref.trailer_walk.end;
  ol_text *text = &plan->tail;
  uint8_t second[ID_SIZE];
  ol_pair pair;
  if (RAND_bytes(second, sizeof second) != 1 ||
      !ol_text_print(text, " /Size %zu", plan->xref.size)) {
    return false;
  }
  while (ol_pair_next(&p, end, &pair)) {
    if (is_replaced(&pair.key)) continue;
    if (!ol_text_add(text, " ", 1) ||
        !ol_text_add(text, pair.key.start, (size_t)(pair.end - pair.key.start))) {
      return false;
    }
  }
  if (!ol_text_add(text, " /ID [", 6) || !add_hex(text, plan->id, plan->id_length) ||
      !add_hex(text, second, ID_SIZE) || !ol_text_add(text, "]", 1)) {
    return false;
  }
  return encrypt == 0 || ol_text_print(text, " /Encrypt %u 0 R", (unsigned)encrypt);
}

static bool is_used(const ol_xref_entry *entry) {
  return entry->type == OL_XREF_PLAIN || entry->type == OL_XREF_PACKED;
}

/*
 * The next run of numbers to be listed, from *first on: all of them at once, free ones included,
 * unless so many are free that runs of used ones are shorter.
 */
static bool next_run(const ol_plan *plan, bool sparse, size_t *first, size_t *count) {
  const ol_xref_entry *entries = plan->xref.entries;
  size_t size = plan->xref.size, i = *first;
  if (sparse && i > 0) {
    while (i < size && !is_used(&entries[i]))
      i++;
  }
  *first = i;
  if (!sparse) i = size;
  while (i < size && (i == 0 || is_used(&entries[i])))
    i++;
  *count = i - *first;
  return *count > 0;
}

static bool is_sparse(const ol_plan *plan) {
  size_t used = 0;
  for (size_t i = 0; i < plan->xref.size; i++)
    used += is_used(&plan->xref.entries[i]);
  return plan->xref.size > 1000 + 2 * used;
}

static void print_row(char *row, const ol_xref_entry *entry) {
  static const char free_row[TABLE_ROW + 1] = "0000000000 65535 f \n";
  static const char used_row[TABLE_ROW + 1] = "0000000000 00000 n \n";
  uint64_t offset = entry->where;
  uint32_t generation = entry->extra;
  if (entry->type != OL_XREF_PLAIN) {
    memcpy(row, free_row, TABLE_ROW);
    return;
  }
  memcpy(row, used_row, TABLE_ROW);
  for (int i = TABLE_OFFSET_DIGITS - 1; offset > 0; i--, offset /= 10) {
    row[i] = (char)('0' + offset % 10);
  }
  for (int i = 15; generation > 0; i--, generation /= 10)
    row[i] = (char)('0' + generation % 10);
}

static bool add_table(ol_plan *plan, uint32_t encrypt) {
  ol_text *text = &plan->tail;
  bool sparse = is_sparse(plan);
  size_t first = 0, count;
  char row[TABLE_ROW];
  if (!ol_text_add(text, "xref\n", 5)) return false;
  for (; next_run(plan, sparse, &first, &count); first += count) {
    if (!ol_text_print(text, "%zu %zu\n", first, count)) return false;
    for (size_t i = 0; i < count; i++) {
      print_row(row, &plan->xref.entries[first + i]);
      if (!ol_text_add(text, row, TABLE_ROW)) return false;
    }
  }
  return ol_text_add(text, "trailer\n<<", 10) && add_trailer_entries(plan, encrypt) &&
         ol_text_add(text, " >>\n", 4);
}

static void print_field(uint8_t *out, unsigned width, uint64_t value) {
  for (unsigned i = width; i-- > 0; value >>= 8)
    out[i] = (uint8_t)value;
}

static bool add_stream(ol_plan *plan, uint32_t number, uint32_t encrypt) {
  ol_text *text = &plan->tail;
  bool sparse = is_sparse(plan);
  unsigned width = 1;
  size_t first = 0, count, rows = 0;
  uint8_t row[16];
  while (width < 8 && plan->tail_at >> 8 * width)
    width++;
  if (width < 3) width = 3; /* Numbers of object streams must fit, too. */
  if (!ol_text_print(text, "%u 0 obj\n<< /Type /XRef /W [1 %u 3] /Index [", (unsigned)number,
                     width)) {
    return false;
  }
  for (; next_run(plan, sparse, &first, &count); first += count, rows += count) {
    if (!ol_text_print(text, "%zu %zu ", first, count)) return false;
  }
  if (!ol_text_print(text, "] /Length %zu", rows * (width + 4)) ||
      !add_trailer_entries(plan, encrypt) || !ol_text_add(text, " >>\nstream\n", 11)) {
    return false;
  }
  for (first = 0; next_run(plan, sparse, &first, &count); first += count) {
    for (size_t i = first; i < first + count; i++) {
      const ol_xref_entry *entry = &plan->xref.entries[i];
      bool used = is_used(entry);
      row[0] = entry->type == OL_XREF_PLAIN ? 1 : used ? 2 : 0;
      print_field(row + 1, width, used ? entry->where : 0);
      print_field(row + 1 + width, 3, used ? entry->extra : 65535);
      if (!ol_text_add(text, row, width + 4)) return false;
    }
  }
  return ol_text_add(text, "\nendstream\nendobj\n", 18);
}

/*
 * A number for a new object: one that nothing refers to, since a reference to an object that is
 * not there means null and must go on doing so.
 */
static bool new_number(ol_plan *plan, uint32_t *number) {
  ol_xref *x = &plan->xref;
  size_t next = x->size;
  if (next <= plan->highest_reference) next = (size_t)plan->highest_reference + 1;
  if (next > OL_XREF_OBJECTS_MAX || next - x->size > NUMBERS_SKIPPED_MAX) return false;
  if (next >= x->capacity) {
    size_t capacity = next + 16;
    ol_xref_entry *entries = realloc(x->entries, capacity * sizeof *entries);
    if (!entries) return false;
    memset(entries + x->capacity, 0, (capacity - x->capacity) * sizeof *entries);
    x->entries = entries;
    x->capacity = capacity;
  }
  x->size = next + 1;
  *number = (uint32_t)next;
  return true;
}

static bool add_encryption(ol_plan *plan, uint32_t *number) {
  char dict[OL_CRYPT_DICT_MAX];
  size_t length;
  if (plan->write_method == OL_CRYPT_NONE) return true;
  if (!ol_crypt_create(&plan->write, plan->options, plan->id, plan->id_length, dict, &length)) {
    return false;
  }
  *number = plan->encrypt_number;
  if (*number == 0 && !new_number(plan, number)) return false;
  plan->xref.entries[*number] =
      (ol_xref_entry){plan->tail_at + plan->tail.length, 0, OL_XREF_PLAIN};
  return ol_text_print(&plan->tail, "%u 0 obj\n", (unsigned)*number) &&
         ol_text_add(&plan->tail, dict, length) && ol_text_add(&plan->tail, "\nendobj\n", 8);
}

static void place(ol_plan *plan, ol_planned *object, uint64_t *at) {
  ol_xref_entry *entry = &plan->xref.entries[object->number];
  if (object->dropped) {
    *entry = (ol_xref_entry){0, 0, OL_XREF_FREE};
    return;
  }
  object->out_at = *at;
  *entry = (ol_xref_entry){*at, object->generation, OL_XREF_PLAIN};
  *at += object->body_out + 1u; /* And a line's end. */
  if (object->tail_length) {
    *at += ol_crypt_length(object->write_data, object->plain_length) + object->tail_length;
  }
}

bool ol_plan_layout(ol_plan *plan) {
  uint32_t encrypt = 0, number;
  uint64_t at, xref_at;
  bool stream;
  if (!plan->id) {
    plan->id = malloc(ID_SIZE);
    plan->id_length = ID_SIZE;
    if (!plan->id || RAND_bytes(plan->id, ID_SIZE) != 1) return false;
  }
  if (!ol_text_print(&plan->head, "%%PDF-%u.%u\n%%\xe2\xe3\xcf\xd3\n", plan->version / 10,
                     plan->version % 10)) {
    return false;
  }
  at = plan->head.length;
  for (size_t i = 0; i < plan->count; i++)
    place(plan, &plan->objects[i], &at);
  if (plan->catalog_object.edit_count) place(plan, &plan->catalog_object, &at);
  plan->tail_at = at;
  if (!add_encryption(plan, &encrypt)) return false;
  xref_at = at + plan->tail.length;
  stream = plan->xref.packed || xref_at > 9999999999u;
  if (stream) {
    if (!new_number(plan, &number)) return false;
    plan->xref.entries[number] = (ol_xref_entry){xref_at, 0, OL_XREF_PLAIN};
  }
  /* /Size is one more than the highest number in use, which may be one that was dropped. */
  while (plan->xref.size > 1 && !is_used(&plan->xref.entries[plan->xref.size - 1])) {
    plan->xref.size--;
  }
  if (!(stream ? add_stream(plan, number, encrypt) : add_table(plan, encrypt)) ||
      !ol_text_print(&plan->tail, "startxref\n%llu\n%%%%EOF\n", (unsigned long long)xref_at)) {
    return false;
  }
  plan->total = plan->tail_at + plan->tail.length;
  return true;
}

/*
 * The physical reference: what the data path of an RDMA transfer costs when nothing but the work itself is done.
 *
 *   kernel bulk  PAIRS REQUESTS            one 4 KiB packet a request, unaligned, CRC made and checked
 *   kernel small PAIRS REQUESTS            one request of 6 x 10 bytes, 20 timed steps
 *
 * Both print the processor time of one request in nanoseconds, after a warm-up that is not counted, and fail when a
 * single byte or checksum is wrong. Memory is sparse: every access goes through a page table with a one-entry cache,
 * and the pages lie in random order.
 *
 * Build: cc -O2 kernel.c -lz
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zlib.h>

typedef uint8_t u8;
typedef uint32_t u32;
typedef int32_t i32;

enum { PAGE = 4096, HEADER = 64, RING = 64, SLOT = HEADER + PAGE + 64, FIRST_PAGE = 16 };

static double processor_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}

static u32 seed = 1;
static u32 random32(void) {
  seed ^= seed << 13;
  seed ^= seed >> 17;
  seed ^= seed << 5;
  return seed;
}

/* ---- sparse memory: (upper address half, page number) -> page, by open addressing ---- */

typedef struct { u32 hi, page, offset; } entry;
typedef struct { u32 mask; entry *entries; entry last; } page_table;

static u8 *memory;
static page_table host[2];
static u32 pairs, pages_per_pair;

static u32 hash(u32 hi, u32 page) {
  u32 h = hi * 0x9E3779B1u ^ page * 0x85EBCA6Bu;
  return h ^ h >> 15;
}

static void table_create(page_table *t, u32 pages) {
  u32 bits = 1;
  while ((1u << bits) < pages * 2) bits++;
  t->mask = (1u << bits) - 1;
  t->entries = malloc(sizeof(entry) << bits);
  memset(t->entries, 0xff, sizeof(entry) << bits);
  t->last.hi = t->last.page = ~0u;
}

static void table_put(page_table *t, u32 hi, u32 page, u32 offset) {
  u32 h = hash(hi, page) & t->mask;
  while (t->entries[h].offset != ~0u) h = (h + 1) & t->mask;
  t->entries[h] = (entry){ hi, page, offset };
}

static inline u32 table_get(page_table *t, u32 hi, u32 page) {
  if (t->last.hi == hi && t->last.page == page) return t->last.offset;
  for (u32 h = hash(hi, page) & t->mask;; h = (h + 1) & t->mask) {
    entry *e = &t->entries[h];
    if (e->offset == ~0u) abort();
    if (e->hi == hi && e->page == page) {
      t->last = *e;
      return e->offset;
    }
  }
}

static inline u32 smaller(u32 a, u32 b) { return a < b ? a : b; }

static void read_memory(page_table *t, u32 hi, u32 lo, u8 *to, u32 n) {
  while (n) {
    u32 at = lo % PAGE, part = smaller(PAGE - at, n);
    memcpy(to, memory + table_get(t, hi, lo / PAGE) + at, part);
    to += part, lo += part, n -= part;
  }
}

static void write_memory(page_table *t, u32 hi, u32 lo, const u8 *from, u32 n) {
  while (n) {
    u32 at = lo % PAGE, part = smaller(PAGE - at, n);
    memcpy(memory + table_get(t, hi, lo / PAGE) + at, from, part);
    from += part, lo += part, n -= part;
  }
}

static int equal_memory(u32 hi0, u32 lo0, u32 hi1, u32 lo1, u32 n) {
  while (n) {
    u32 at0 = lo0 % PAGE, at1 = lo1 % PAGE, part = smaller(n, smaller(PAGE - at0, PAGE - at1));
    u8 *a = memory + table_get(&host[0], hi0, lo0 / PAGE) + at0;
    u8 *b = memory + table_get(&host[1], hi1, lo1 / PAGE) + at1;
    if (memcmp(a, b, part)) return 0;
    lo0 += part, lo1 += part, n -= part;
  }
  return 1;
}

/* Every pair has pages of its own on both hosts; all pages lie in random order in one block, full of random bytes. */
static void memory_create(void) {
  u32 pages = pairs * pages_per_pair, all = 2 * pages;
  size_t bytes = (size_t)all * PAGE + RING * SLOT;
  u32 *order = malloc(all * sizeof(u32));
  memory = malloc(bytes);
  for (u32 i = 0; i < all; i++) order[i] = i;
  for (u32 i = all - 1; i > 0; i--) {
    u32 j = random32() % (i + 1), swap = order[i];
    order[i] = order[j], order[j] = swap;
  }
  for (u32 h = 0; h < 2; h++) {
    table_create(&host[h], pages);
    for (u32 i = 0; i < pages; i++) {
      u32 pair = i / pages_per_pair, page = i % pages_per_pair + FIRST_PAGE;
      table_put(&host[h], (h + 1) << 16 | pair << 1, page, order[h * pages + i] * PAGE);
    }
  }
  for (size_t i = 0; i + 4 <= (size_t)all * PAGE; i += 4) *(u32 *)(memory + i) = random32();
  free(order);
}

static u8 *ring_slot(u32 i) { return memory + (size_t)2 * pairs * pages_per_pair * PAGE + (size_t)(i % RING) * SLOT; }

static void put32(u8 *p, u32 v) { memcpy(p, &v, 4); }
static u32 get32(const u8 *p) { u32 v; memcpy(&v, p, 4); return v; }

static inline void write_header(u8 *p, u32 pair, u32 psn, u32 length) {
  memset(p, 0xff, HEADER);
  p[40] = 6;
  p[45] = pair >> 16, p[46] = pair >> 8, p[47] = pair;
  p[49] = psn >> 16, p[50] = psn >> 8, p[51] = psn;
  put32(p + 56, length);
}

/* ---- bulk: gather, header, CRC, 32 packets in flight, CRC check, scatter, compare ---- */

enum { IN_FLIGHT = 32 };

typedef struct { u32 hi0, lo0, hi1, lo1; } transfer;

static transfer transfer_of(u32 i) {
  u32 pair = i % pairs, page = i / pairs % (pages_per_pair - 1) + FIRST_PAGE;
  u32 from = i * 40 % PAGE, to = (i * 24 + 8) % PAGE;
  return (transfer){ 1 << 16 | pair << 1, page * PAGE + from, 2 << 16 | pair << 1, page * PAGE + to };
}

static u32 bulk(u32 requests) {
  u32 wrong = 0;
  for (u32 i = 0; i < requests + IN_FLIGHT; i++) {
    if (i < requests) {
      transfer t = transfer_of(i);
      u8 *p = ring_slot(i);
      write_header(p, i % pairs, i, PAGE);
      read_memory(&host[0], t.hi0, t.lo0, p + HEADER, PAGE);
      put32(p + HEADER + PAGE, crc32(0, p, HEADER + PAGE));
    }
    if (i >= IN_FLIGHT) {
      transfer t = transfer_of(i - IN_FLIGHT);
      u8 *p = ring_slot(i - IN_FLIGHT);
      if (crc32(0, p, HEADER + PAGE) != get32(p + HEADER + PAGE)) wrong++;
      write_memory(&host[1], t.hi1, t.lo1, p + HEADER, PAGE);
      if (!equal_memory(t.hi0, t.lo0, t.hi1, t.lo1, PAGE)) wrong++;
    }
  }
  return wrong;
}

/* ---- timing wheel: 16384 slots of one time unit, first in first out within a slot ---- */

enum { WHEEL_BITS = 14, WHEEL = 1 << WHEEL_BITS, WHEEL_MASK = WHEEL - 1, EVENTS = 1 << 10 };
static i32 slot_head[WHEEL], slot_tail[WHEEL], event_next[EVENTS], event_value[EVENTS], event_free;
static u32 slot_map[WHEEL / 32], slot_summary[WHEEL / 1024];
static uint64_t wheel_now;

static void wheel_create(void) {
  memset(slot_head, 0xff, sizeof slot_head);
  memset(slot_tail, 0xff, sizeof slot_tail);
  memset(slot_map, 0, sizeof slot_map);
  memset(slot_summary, 0, sizeof slot_summary);
  for (i32 i = 0; i < EVENTS; i++) event_next[i] = i + 1;
  event_free = 0;
  wheel_now = 0;
}

static inline void wheel_push(u32 delay, i32 value) {
  i32 e = event_free;
  u32 slot = (wheel_now + delay) & WHEEL_MASK;
  event_free = event_next[e];
  event_value[e] = value;
  event_next[e] = -1;
  if (slot_tail[slot] < 0) {
    slot_head[slot] = e;
    slot_map[slot >> 5] |= 1u << (slot & 31);
    slot_summary[slot >> 10] |= 1u << (slot >> 5 & 31);
  } else event_next[slot_tail[slot]] = e;
  slot_tail[slot] = e;
}

static u32 next_busy_slot(u32 slot) {
  u32 word = slot >> 5, bits = slot_map[word] & (~0u << (slot & 31));
  if (!bits) {
    u32 from = (word + 1) & (WHEEL_MASK >> 5), group = from >> 5, words = slot_summary[group] & (~0u << (from & 31));
    while (!words) group = (group + 1) & (WHEEL_MASK >> 10), words = slot_summary[group];
    word = group << 5 | __builtin_ctz(words);
    bits = slot_map[word];
  }
  return word << 5 | __builtin_ctz(bits);
}

static inline i32 wheel_pop(void) {
  u32 slot = wheel_now & WHEEL_MASK;
  if (slot_head[slot] < 0) {
    u32 busy = next_busy_slot(slot);
    wheel_now += (busy - slot) & WHEEL_MASK;
    slot = busy;
  }
  i32 e = slot_head[slot], value = event_value[e];
  slot_head[slot] = event_next[e];
  if (slot_head[slot] < 0) {
    slot_tail[slot] = -1;
    slot_map[slot >> 5] &= ~(1u << (slot & 31));
    if (!slot_map[slot >> 5]) slot_summary[slot >> 10] &= ~(1u << (slot >> 5 & 31));
  }
  event_next[e] = event_free;
  event_free = e;
  return value;
}

/* ---- small: a SEND of 6 x 10 bytes into a receive of 6 x 10 bytes, one event for each step ---- */

enum { PIECES = 6, PIECE = 10, WQE = 16 + PIECES * 16, PITCH = 179 };
enum { BUILD, FETCH, GATHER, WIRE = GATHER + PIECES, ARRIVE, SCATTER, COMPLETE = SCATTER + PIECES, ACK, DONE, POLL };
typedef struct { u32 pair, sequence, length, step; } request;

static request requests_in_flight[IN_FLIGHT];
static u32 *pair_sequence;

/* Per pair: a page each for send queue, receive queue and completion queue, then data. */
static u32 send_slot(u32 n) { return FIRST_PAGE * PAGE + (n & 31) * 128; }
static u32 recv_slot(u32 n) { return (FIRST_PAGE + 1) * PAGE + (n & 31) * 128; }
static u32 completion_slot(u32 n) { return (FIRST_PAGE + 2) * PAGE + (n & 31) * 32; }
static u32 data_at(u32 n, u32 piece) {
  return (FIRST_PAGE + 3) * PAGE + (n * PIECES + piece) * PITCH % ((pages_per_pair - 3) * PAGE - 64);
}

static void start_request(request *r) {
  r->pair = random32() % pairs;
  r->sequence = pair_sequence[r->pair]++;
  r->step = BUILD;
}

static void build(request *r, u32 hi0, u32 hi1) {
  u8 b[WQE];
  put32(b, 0x0a), put32(b + 4, r->sequence), put32(b + 8, PIECES), put32(b + 12, r->pair);
  for (u32 g = 0; g < PIECES; g++) {
    u8 *s = b + 16 + g * 16;
    put32(s, data_at(r->sequence, g)), put32(s + 4, hi0), put32(s + 8, PIECE), put32(s + 12, 0x1234);
  }
  write_memory(&host[0], hi0, send_slot(r->sequence), b, WQE);
  for (u32 g = 0; g < PIECES; g++) put32(b + 20 + g * 16, hi1);
  write_memory(&host[1], hi1, recv_slot(r->sequence), b, WQE);
}

static u32 poll_and_compare(request *r, u32 hi0, u32 hi1) {
  u8 c[32];
  u32 wrong = 0;
  read_memory(&host[0], hi0, completion_slot(r->sequence), c, 32);
  if (get32(c) != r->sequence) wrong++;
  for (u32 g = 0; g < PIECES; g++) {
    u32 at = data_at(r->sequence, g);
    if (!equal_memory(hi0, at, hi1, at, PIECE)) wrong++;
  }
  return wrong;
}

static void write_completion(page_table *t, u32 hi, request *r) {
  u8 c[32] = { 0 };
  put32(c, r->sequence), put32(c + 4, r->length);
  write_memory(t, hi, completion_slot(r->sequence), c, 32);
}

/* Carries out one step of a request and returns what was wrong; `*delay` is the time to the next step. */
static u32 advance(u32 id, u32 *delay) {
  request *r = &requests_in_flight[id];
  u32 step = r->step++, hi0 = 1 << 16 | r->pair << 1, hi1 = 2 << 16 | r->pair << 1;
  u8 *packet = ring_slot(id), *wqe = packet + 2048;
  *delay = 300;
  if (step == BUILD) {
    build(r, hi0, hi1);
    *delay = 100;
  } else if (step == FETCH) {
    read_memory(&host[0], hi0, send_slot(r->sequence), wqe, WQE);
    r->length = 0;
    write_header(packet, r->pair, r->sequence, 0);
  } else if (step < WIRE) {
    u8 *s = wqe + 16 + (step - GATHER) * 16;
    read_memory(&host[0], get32(s + 4), get32(s), packet + HEADER + r->length, get32(s + 8));
    r->length += get32(s + 8);
    *delay = step == WIRE - 1 ? 300 : 4;
  } else if (step == WIRE) {
    put32(packet + 56, r->length);
    put32(packet + HEADER + r->length, crc32(0, packet, HEADER + r->length));
    *delay = 500;
  } else if (step == ARRIVE) {
    u32 wrong = crc32(0, packet, HEADER + r->length) != get32(packet + HEADER + r->length);
    read_memory(&host[1], hi1, recv_slot(r->sequence), wqe, WQE);
    r->length = 0;
    return wrong;
  } else if (step < COMPLETE) {
    u8 *s = wqe + 16 + (step - SCATTER) * 16;
    write_memory(&host[1], get32(s + 4), get32(s), packet + HEADER + r->length, PIECE);
    r->length += PIECE;
    *delay = 4;
  } else if (step == COMPLETE) {
    write_completion(&host[1], hi1, r);
    *delay = 200;
  } else if (step == ACK) {
    u8 ack[HEADER];
    write_header(ack, r->pair, r->sequence, 0);
    ack[40] = 0x11;
    *delay = 500;
    return crc32(0, ack, HEADER) == 0;
  } else if (step == DONE) {
    write_completion(&host[0], hi0, r);
    *delay = 200;
  } else {
    u32 wrong = poll_and_compare(r, hi0, hi1);
    start_request(r);
    *delay = 1;
    return wrong;
  }
  return 0;
}

static u32 small(u32 requests) {
  u32 done = 0, wrong = 0, delay;
  wheel_create();
  memset(pair_sequence, 0, pairs * sizeof(u32));
  for (u32 i = 0; i < IN_FLIGHT; i++) {
    start_request(&requests_in_flight[i]);
    wheel_push(1 + i, i);
  }
  while (done < requests) {
    u32 id = wheel_pop();
    done += requests_in_flight[id].step == POLL;
    wrong += advance(id, &delay);
    wheel_push(delay, id);
  }
  return wrong;
}

int main(int count, char **words) {
  if (count < 4) return fprintf(stderr, "usage: kernel bulk|small PAIRS REQUESTS\n"), 2;
  int is_bulk = !strcmp(words[1], "bulk");
  u32 (*run)(u32) = is_bulk ? bulk : small;
  pairs = atoi(words[2]);
  u32 requests = atoi(words[3]);
  pages_per_pair = is_bulk ? 2048 / pairs : 6;
  if (pairs < 1 || pages_per_pair < 2) return fprintf(stderr, "kernel: bad number of pairs\n"), 2;
  pair_sequence = calloc(pairs, sizeof(u32));
  memory_create();
  u32 wrong = run(20000);
  double start = processor_ns();
  wrong += run(requests);
  double time = (processor_ns() - start) / requests;
  if (wrong) return fprintf(stderr, "kernel: %u wrong bytes or checksums\n", wrong), 1;
  printf("%.1f\n", time);
  return 0;
}

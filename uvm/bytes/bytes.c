// Bulk byte operations of the byte store, compiled to WebAssembly by scripts/build/build-wasm.sh.
//
// All functions work on one linear memory and take plain offsets. uvm/bytes/jsEngine.ts holds the same functions in
// TypeScript with the same results; a change here is a change there, and the specs compare the two.
//
// Reads may go up to 16 bytes beyond either end of a range (never writes with a changed value): the store keeps that
// much of the memory free at both ends.

#include <stdint.h>
#include <wasm_simd128.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

#define EXPORT(name) __attribute__((export_name(name)))

static inline u16 load16(const u8 *p) { u16 v; __builtin_memcpy(&v, p, 2); return v; }
static inline u32 load32(const u8 *p) { u32 v; __builtin_memcpy(&v, p, 4); return v; }
static inline u64 load64(const u8 *p) { u64 v; __builtin_memcpy(&v, p, 8); return v; }
static inline void store16(u8 *p, u16 v) { __builtin_memcpy(p, &v, 2); }
static inline void store32(u8 *p, u32 v) { __builtin_memcpy(p, &v, 4); }
static inline void store64(u8 *p, u64 v) { __builtin_memcpy(p, &v, 8); }

#define LOAD(p) wasm_v128_load(p)
#define STORE(p, v) wasm_v128_store(p, v)
#define XOR(a, b) wasm_v128_xor(a, b)
#define XOR3(a, b, c) XOR(XOR(a, b), c)
#define OR(a, b) wasm_v128_or(a, b)

// ---------------------------------------------------------------------------------------------------------- copying

// Below 16 bytes: two overlapping moves of the widest type that fits. memory.copy leaves the compiled code, which pays
// for longer runs only.
EXPORT("copy") void copy(u8 *d, const u8 *s, u32 n) {
  if (n >= 16) {
    if (n > 128) { __builtin_memcpy(d, s, n); return; }
    const v128_t last = LOAD(s + n - 16);
    for (u32 i = 0; i + 16 < n; i += 16) STORE(d + i, LOAD(s + i));
    STORE(d + n - 16, last);
  } else if (n >= 8) {
    const u64 first = load64(s), last = load64(s + n - 8);
    store64(d, first);
    store64(d + n - 8, last);
  } else if (n >= 4) {
    const u32 first = load32(s), last = load32(s + n - 4);
    store32(d, first);
    store32(d + n - 4, last);
  } else if (n >= 2) {
    const u16 first = load16(s), last = load16(s + n - 2);
    store16(d, first);
    store16(d + n - 2, last);
  } else if (n) {
    *d = *s;
  }
}

EXPORT("zero") void zero(u8 *d, u32 n) {
  if (n >= 16) {
    if (n > 128) { __builtin_memset(d, 0, n); return; }
    const v128_t z = wasm_i64x2_const(0, 0);
    for (u32 i = 0; i + 16 < n; i += 16) STORE(d + i, z);
    STORE(d + n - 16, z);
  } else if (n >= 8) {
    store64(d, 0);
    store64(d + n - 8, 0);
  } else if (n >= 4) {
    store32(d, 0);
    store32(d + n - 4, 0);
  } else {
    while (n) d[--n] = 0;
  }
}

// -------------------------------------------------------------------------------------------------------- comparing

EXPORT("equal") u32 equal(const u8 *a, const u8 *b, u32 n) {
  if (n >= 16) {
    while (n > 64) {
      const v128_t x0 = XOR(LOAD(a), LOAD(b)), x1 = XOR(LOAD(a + 16), LOAD(b + 16));
      const v128_t x2 = XOR(LOAD(a + 32), LOAD(b + 32)), x3 = XOR(LOAD(a + 48), LOAD(b + 48));
      if (wasm_v128_any_true(OR(OR(x0, x1), OR(x2, x3)))) return 0;
      a += 64, b += 64, n -= 64;
    }
    v128_t x = XOR(LOAD(a + n - 16), LOAD(b + n - 16));
    for (u32 i = 0; i + 16 < n; i += 16) x = OR(x, XOR(LOAD(a + i), LOAD(b + i)));
    return !wasm_v128_any_true(x);
  }
  if (n >= 8) return ((load64(a) ^ load64(b)) | (load64(a + n - 8) ^ load64(b + n - 8))) == 0;
  if (n >= 4) return ((load32(a) ^ load32(b)) | (load32(a + n - 4) ^ load32(b + n - 4))) == 0;
  if (n >= 2) return ((load16(a) ^ load16(b)) | (load16(a + n - 2) ^ load16(b + n - 2))) == 0;
  return n == 0 || *a == *b;
}

// Index of the first difference, or -1.
EXPORT("firstDifference") int firstDifference(const u8 *a, const u8 *b, u32 n) {
  u32 i = 0;
  while (n - i >= 64 && equal(a + i, b + i, 64)) i += 64;
  for (; i < n; i++) if (a[i] != b[i]) return (int)i;
  return -1;
}

// ------------------------------------------------------------------------------------------- CRC-32 (IEEE 802.3)
//
// Three methods by length. Below 64 bytes: table look-up of 16 bytes at a time. From there on: "Chorba" folding. Its
// idea: a multiple of the CRC polynomial with very few terms lets words be cancelled by XORing them onto words a fixed
// distance ahead, with no table at all; the few bytes that remain at the end go through the table. The multiple used
// has terms 145, 183, 211 and 300 bits ahead, which takes shifts. From 512 bytes on it is first raised to the eighth
// power, which multiplies every distance by eight and makes it a number of bytes: no shifts, any vector width.

static u32 T[16][256];

static void makePattern(void);

EXPORT("init") void init(void) {
  makePattern();
  for (u32 i = 0; i < 256; i++) {
    u32 c = i;
    for (int k = 0; k < 8; k++) c = c & 1 ? 0xEDB88320u ^ (c >> 1) : c >> 1;
    T[0][i] = c;
  }
  for (int t = 1; t < 16; t++)
    for (u32 i = 0; i < 256; i++) T[t][i] = (T[t - 1][i] >> 8) ^ T[0][T[t - 1][i] & 255];
}

// The running CRC touches only the first four look-ups. KEEP stops the compiler from reordering the XORs, so that the
// others are summed first and the chain from step to step stays short: this alone is worth a factor of two.
#define KEEP(x) __asm__("" : "+r"(x))

static inline u32 tableLow(int t, u32 w) {
  return (T[t][w & 255] ^ T[t - 1][w >> 8 & 255]) ^ (T[t - 2][w >> 16 & 255] ^ T[t - 3][w >> 24]);
}
static inline u32 step16(u32 c, u64 a, u64 b) {
  u32 rest = tableLow(11, (u32)(a >> 32)) ^ tableLow(7, (u32)b) ^ tableLow(3, (u32)(b >> 32));
  KEEP(rest);
  return tableLow(15, (u32)a ^ c) ^ rest;
}
static inline u32 step8(u32 c, u64 a) {
  u32 rest = tableLow(3, (u32)(a >> 32));
  KEEP(rest);
  return tableLow(7, (u32)a ^ c) ^ rest;
}
static inline u32 step4(u32 c, u32 a) { return tableLow(3, a ^ c); }

// n < 16.
static inline u32 crcTail(u32 c, const u8 *p, u32 n) {
  if (n & 8) c = step8(c, load64(p)), p += 8;
  if (n & 4) c = step4(c, load32(p)), p += 4;
  if (n & 2) {
    c ^= load16(p), p += 2;
    c = c >> 16 ^ T[1][c & 255] ^ T[0][c >> 8 & 255];
  }
  return n & 1 ? c >> 8 ^ T[0][(c ^ *p) & 255] : c;
}
static inline u32 crcShort(u32 c, const u8 *p, u32 n) {
  for (; n >= 16; n -= 16, p += 16) c = step16(c, load64(p), load64(p + 8));
  return crcTail(c, p, n);
}

// What a word contributes to the words 2, 3, 4 and 5 places ahead (terms 145, 183, 211 and 300 bits ahead).
#define FOLD2(w) ((w) << 17 ^ (w) << 55)
#define FOLD3(w) ((w) >> 47 ^ (w) >> 9 ^ (w) << 19)
#define FOLD4(w) ((w) >> 45 ^ (w) << 44)
#define FOLD5(w) ((w) >> 20)

// Cancels the words at p until five and less than one more are left; those go through the table. n >= 40. The carried
// words n1..n5 belong to the next five words of the data.
static u32 crcFold(u64 n1, u64 n2, u64 n3, u64 n4, u64 n5, const u8 *p, u32 n) {
  for (; n >= 32 + 40; n -= 32, p += 32) {
    const u64 a = load64(p) ^ n1, b = load64(p + 8) ^ n2;
    const u64 d = load64(p + 16) ^ n3 ^ FOLD2(a), e = load64(p + 24) ^ n4 ^ FOLD3(a) ^ FOLD2(b);
    n1 = n5 ^ FOLD4(a) ^ FOLD3(b) ^ FOLD2(d);
    n2 = FOLD5(a) ^ FOLD4(b) ^ FOLD3(d) ^ FOLD2(e);
    n3 = FOLD5(b) ^ FOLD4(d) ^ FOLD3(e);
    n4 = FOLD5(d) ^ FOLD4(e);
    n5 = FOLD5(e);
  }
  if (n >= 16 + 40) {
    const u64 a = load64(p) ^ n1, b = load64(p + 8) ^ n2;
    n1 = n3 ^ FOLD2(a);
    n2 = n4 ^ FOLD3(a) ^ FOLD2(b);
    n3 = n5 ^ FOLD4(a) ^ FOLD3(b);
    n4 = FOLD5(a) ^ FOLD4(b);
    n5 = FOLD5(b);
    n -= 16, p += 16;
  }
  if (n >= 8 + 40) {
    const u64 a = load64(p) ^ n1;
    n1 = n2, n2 = n3 ^ FOLD2(a), n3 = n4 ^ FOLD3(a), n4 = n5 ^ FOLD4(a), n5 = FOLD5(a);
    n -= 8, p += 8;
  }
  u32 c = step16(0, load64(p) ^ n1, load64(p + 8) ^ n2);
  c = step16(c, load64(p + 16) ^ n3, load64(p + 24) ^ n4);
  c = step8(c, load64(p + 32) ^ n5);
  return crcTail(c, p + 40, n - 40);
}

// Distances of the eighth power in bytes, and the longest rounded up to whole vectors.
#define AHEAD_1 145
#define AHEAD_2 183
#define AHEAD_3 211
#define AHEAD_4 300
#define AHEAD_ALL 304
#define LONG_BLOCK 4352

// What became of the bytes: data with everything XORed onto it that was cancelled before. In front of them zeros.
static u8 folded[AHEAD_ALL + LONG_BLOCK + AHEAD_ALL + 16] __attribute__((aligned(64)));
static u8 remainder[AHEAD_ALL + 32] __attribute__((aligned(64)));

// `g` stands as far back as the longest distance: offsets that are positive constants are part of the instruction.
static inline v128_t foldedOnto(const u8 *p, const u8 *g) {
  return XOR3(XOR(LOAD(p), LOAD(g + AHEAD_ALL - AHEAD_1)),
              XOR(LOAD(g + AHEAD_ALL - AHEAD_2), LOAD(g + AHEAD_ALL - AHEAD_3)), LOAD(g + AHEAD_ALL - AHEAD_4));
}
static inline void fold(const u8 *p, u8 *g) { STORE(g + AHEAD_ALL, foldedOnto(p, g)); }

// 512 <= n <= LONG_BLOCK. Cancels whole vectors while the longest distance stays inside the data; what those left
// behind in the rest of it is a short CRC.
static u32 crcBlock(u32 c, const u8 *p, u32 n) {
  const u32 end = (n - AHEAD_4) & ~15u;
  const v128_t zero = wasm_i64x2_const(0, 0);
  STORE(folded + AHEAD_ALL, XOR(LOAD(p), wasm_i32x4_make((int)c, 0, 0, 0)));
  u8 *g = folded + 16;
  u32 left = end - 16;
  p += 16;
  // KEEP stops the compiler from making each address a sum of its own. Long turns halve the cost of the loop itself.
  for (; left >= 256; left -= 256, p += 256, g += 256) {
    KEEP(p);
    KEEP(g);
#pragma clang loop unroll(full)
    for (u32 i = 0; i < 256; i += 16) fold(p + i, g + i);
  }
#pragma clang loop unroll(disable)
  for (; left; left -= 16, p += 16, g += 16) fold(p, g);
  for (u32 i = 0; i < AHEAD_ALL + 16; i += 16) STORE(g + AHEAD_ALL + i, zero);
  for (u32 i = end; i < n; i += 16, p += 16, g += 16) STORE(remainder + i - end, foldedOnto(p, g));
  return crcFold(0, 0, 0, 0, 0, remainder, n - end);
}

static u32 crcLong(u32 c, const u8 *p, u32 n) {
  for (; n > LONG_BLOCK; n -= LONG_BLOCK / 2, p += LONG_BLOCK / 2) c = crcBlock(c, p, LONG_BLOCK / 2);
  return crcBlock(c, p, n);
}

EXPORT("crc32") u32 crc32(u32 crc, const u8 *p, u32 n) {
  const u32 c = ~crc;
  if (n < 64) return ~crcShort(c, p, n);
  return ~(n < 512 ? crcFold(c, 0, 0, 0, 0, p, n) : crcLong(c, p, n));
}

// ------------------------------------------------------------------------------------------------- seeded contents
//
// The byte at (key, position) depends on nothing else, so any part of any page can be made again at any time. It is a
// byte of one table of random bytes, in which each key begins elsewhere, XOR one of 16 bytes of the key's own, in turn.
// Two keys have the same contents at some distance only if both agree there. Behind 4096 bytes, the length of the table,
// another key follows.

#define SHR(x, k) wasm_u32x4_shr(x, k)
#define MUL(x, m) wasm_i32x4_mul(x, wasm_i32x4_const_splat(m))
#define LANES wasm_i8x16_const(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
#define PERIOD 4096u
#define PATTERN_KEY 0x524e4943u

// Twice, so that every beginning has a whole period behind it, and a vector more.
static u8 pattern[2 * PERIOD + 16] __attribute__((aligned(64)));

// All ones, then zeros: read from 16 - n on, a mask of the first n bytes.
static const u8 leading[32] = {255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255};

// Sixteen bytes that are a mix of two words. The rotated key makes keys differ that have counters in common.
static inline v128_t blockOf(u32 key, u32 position) {
  const v128_t at = wasm_i32x4_add(wasm_i32x4_splat((int)position), wasm_i32x4_const(0, 4, 8, 12));
  v128_t z = wasm_i32x4_add(MUL(at, (int)0x9e3779b1), wasm_i32x4_splat((int)(key + 0x632be5abu)));
  z = MUL(XOR(z, SHR(z, 16)), 0x7feb352d);
  z = XOR3(z, SHR(z, 15), wasm_i32x4_splat((int)((key << 16 | key >> 16) * 0xc2b2ae35u)));
  z = MUL(z, (int)0x846ca68b);
  return XOR(z, SHR(z, 16));
}

static void makePattern(void) {
  for (u32 i = 0; i < sizeof pattern; i += 16) STORE(pattern + i, blockOf(PATTERN_KEY, i % PERIOD));
}

// The key that counts from a position on to the end of its period.
static inline u32 keyAt(u32 key, u32 position) { return key + position / PERIOD * 0x632be5abu; }
static inline u32 leftOf(u32 position) { return PERIOD - position % PERIOD; }

static inline const u8 *patternOf(u32 key, u32 position) {
  u32 h = key * 0x9e3779b1u;
  h = (h ^ h >> 15) * 0x85ebca77u;
  return pattern + (position + (h ^ h >> 13)) % PERIOD;
}
// The key's own bytes, turned to the position.
static inline v128_t ownOf(u32 key, u32 position) {
  const v128_t at = wasm_i8x16_add(LANES, wasm_i8x16_splat((char)position));
  return wasm_i8x16_swizzle(blockOf(key, 0), wasm_v128_and(at, wasm_i8x16_splat(15)));
}

static inline void blend(u8 *d, v128_t v, v128_t mask) { STORE(d, wasm_v128_bitselect(v, LOAD(d), mask)); }

// n bytes of one period.
static inline void fillPeriod(u32 key, u32 position, u8 *d, u32 n) {
  const u8 *t = patternOf(key, position);
  const v128_t own = ownOf(key, position);
  for (; n >= 128; n -= 128, t += 128, d += 128) {
    KEEP(t);
    KEEP(d);
#pragma clang loop unroll(full)
    for (u32 i = 0; i < 128; i += 16) STORE(d + i, XOR(LOAD(t + i), own));
  }
#pragma clang loop unroll(disable)
  for (; n >= 16; n -= 16, t += 16, d += 16) STORE(d, XOR(LOAD(t), own));
  if (n) blend(d, XOR(LOAD(t), own), LOAD(leading + 16 - n));
}

static inline u32 equalPeriod(u32 key, u32 position, const u8 *p, u32 n) {
  const u8 *t = patternOf(key, position);
  const v128_t own = ownOf(key, position);
  v128_t wrong = wasm_i64x2_const(0, 0);
  for (; n >= 128; n -= 128, t += 128, p += 128) {
    KEEP(t);
    KEEP(p);
#pragma clang loop unroll(full)
    for (u32 i = 0; i < 128; i += 16) wrong = OR(wrong, XOR3(LOAD(t + i), LOAD(p + i), own));
  }
#pragma clang loop unroll(disable)
  for (; n >= 16; n -= 16, t += 16, p += 16) wrong = OR(wrong, XOR3(LOAD(t), LOAD(p), own));
  if (n) wrong = OR(wrong, wasm_v128_and(XOR3(LOAD(t), LOAD(p), own), LOAD(leading + 16 - n)));
  return !wasm_v128_any_true(wrong);
}

EXPORT("fillSeeded") void fillSeeded(u32 key, u32 position, u8 *d, u32 n) {
  for (u32 m = leftOf(position); n > m; d += m, n -= m, position += m, m = PERIOD)
    fillPeriod(keyAt(key, position), position, d, m);
  fillPeriod(keyAt(key, position), position, d, n);
}

EXPORT("equalSeeded") u32 equalSeeded(u32 key, u32 position, const u8 *p, u32 n) {
  for (u32 m = leftOf(position); n > m; p += m, n -= m, position += m, m = PERIOD)
    if (!equalPeriod(keyAt(key, position), position, p, m)) return 0;
  return equalPeriod(keyAt(key, position), position, p, n);
}

// Index of the first difference, or -1. Not made for speed: it runs after a mismatch.
EXPORT("firstDifferenceSeeded") int firstDifferenceSeeded(u32 key, u32 position, const u8 *p, u32 n) {
  for (u32 i = 0; i < n; i += 64) {
    const u32 m = n - i < 64 ? n - i : 64;
    if (equalSeeded(key, position + i, p + i, m)) continue;
    u32 k = i;
    while (equalSeeded(key, position + k, p + k, 1)) k++;
    return (int)k;
  }
  return -1;
}

// ------------------------------------------------------------------------------------------------------ transcripts
//
// A 128-bit state of four words. One step takes four words in: XOR, multiply each lane, then XOR every lane with the
// upper bits of its neighbour. Each part can be undone, so two states that differ stay different when the same words
// follow. No word meets another one before it was multiplied, or two changed bits could cancel each other. Runs of 64
// bytes and more use four states side by side, the whole 256 bytes at their beginning eight, so that no step waits for
// the multiplication of the one before; they are folded into the first at the end.

static inline v128_t step(v128_t s, v128_t x) {
  s = wasm_i32x4_mul(XOR(s, x), wasm_i32x4_const((int)0x9e3779b1, (int)0x85ebca77, (int)0xc2b2ae3d, 0x27d4eb2f));
  const v128_t high = SHR(s, 15);
  return XOR(s, wasm_i32x4_shuffle(high, high, 1, 2, 3, 0));
}

// What becomes of the bytes besides: nothing, they are copied to `to`, or they are made there of the table at `p` and the
// key's own.
enum Source { READ, COPY, MAKE };

// A vector on its way into a state.
static inline v128_t pass(const u8 *p, u8 *to, enum Source source, v128_t own) {
  const v128_t v = source == MAKE ? XOR(LOAD(p), own) : LOAD(p);
  if (source != READ) STORE(to, v);
  return v;
}

// `source` is a constant at each use. Of a copy, the n % 16 bytes at the end are left to the caller.
static inline __attribute__((always_inline)) v128_t absorb(v128_t a, const u8 *p, u32 n, u8 *to, enum Source source,
                                                           v128_t own) {
#define PASS(i) pass(p + (i), to + (i), source, own)
#define APART(k) XOR(a, wasm_i32x4_const_splat((int)(k)))
  if (n >= 64) {
    v128_t b = APART(0x243f6a88), c = APART(0x13198a2e), d = APART(0xa4093822);
    if (n >= 256) {
      v128_t e = APART(0x299f31d0), f = APART(0x082efa98), g = APART(0xec4e6c89), h = APART(0x452821e6);
      // KEEP leaves the offsets to the instructions.
      for (; n >= 256; n -= 256, p += 256, to += 256) {
        KEEP(p);
        if (source != READ) KEEP(to);
#pragma clang loop unroll(full)
        for (u32 i = 0; i < 256; i += 128) {
          a = step(a, PASS(i));
          b = step(b, PASS(i + 16));
          c = step(c, PASS(i + 32));
          d = step(d, PASS(i + 48));
          e = step(e, PASS(i + 64));
          f = step(f, PASS(i + 80));
          g = step(g, PASS(i + 96));
          h = step(h, PASS(i + 112));
        }
      }
      a = step(a, e), b = step(b, f), c = step(c, g), d = step(d, h);
    }
#pragma clang loop unroll(disable)
    for (; n >= 64; n -= 64, p += 64, to += 64) {
      KEEP(p);
      if (source != READ) KEEP(to);
      a = step(a, PASS(0));
      b = step(b, PASS(16));
      c = step(c, PASS(32));
      d = step(d, PASS(48));
    }
    a = step(step(step(a, b), c), d);
  }
#pragma clang loop unroll(disable)
  for (; n >= 16; n -= 16, p += 16, to += 16) a = step(a, PASS(0));
  if (!n) return a;
  const v128_t mask = LOAD(leading + 16 - n), v = source == MAKE ? XOR(LOAD(p), own) : LOAD(p);
  if (source == MAKE) blend(to, v, mask);
  return step(a, wasm_v128_and(v, mask));
}

static inline v128_t hashed(v128_t s, const u8 *p, u32 n) {
  return absorb(s, p, n, 0, READ, wasm_i64x2_const(0, 0));
}
static inline v128_t copied(v128_t s, const u8 *p, u32 n, u8 *to) {
  return absorb(s, p, n, to, COPY, wasm_i64x2_const(0, 0));
}

EXPORT("hashInto") void hashInto(u8 *state, const u8 *p, u32 n) {
  STORE(state, hashed(step(LOAD(state), wasm_i32x4_make((int)n, 0x165667b1, 0, 0)), p, n));
}

EXPORT("hashWords") void hashWords(u8 *state, u32 a, u32 b, u32 c, u32 d, u32 e) {
  v128_t s = step(LOAD(state), wasm_i32x4_make((int)a, (int)b, (int)c, (int)d));
  STORE(state, step(s, wasm_i32x4_make((int)e, (int)0x85ebca6b, 0, 0)));
}

// Words and bytes in one call; without bytes it does what hashWords does.
EXPORT("hashMessage") void hashMessage(u8 *state, u32 a, u32 b, u32 c, u32 d, u32 e, const u8 *p, u32 n) {
  const v128_t s = step(LOAD(state), wasm_i32x4_make((int)a, (int)b, (int)c, (int)d));
  STORE(state, hashed(step(s, wasm_i32x4_make((int)e, (int)0x85ebca6b, (int)n, 0)), p, n));
}

// As hashMessage, and copies the bytes: one pass over them for both.
EXPORT("copyHashed")
void copyHashed(u8 *state, u32 a, u32 b, u32 c, u32 d, u32 e, u8 *to, const u8 *p, u32 n) {
  const v128_t s = step(LOAD(state), wasm_i32x4_make((int)a, (int)b, (int)c, (int)d));
  STORE(state, copied(step(s, wasm_i32x4_make((int)e, (int)0x85ebca6b, (int)n, 0)), p, n, to));
  if (n < 16) copy(to, p, n);
  else if (n & 15) STORE(to + n - 16, LOAD(p + n - 16));
}

// As fillSeeded and then hashMessage over the bytes made, which do not have to be read again.
EXPORT("fillHashed")
void fillHashed(u8 *state, u32 a, u32 b, u32 c, u32 d, u32 e, u32 key, u32 position, u8 *to, u32 n) {
  v128_t s = step(LOAD(state), wasm_i32x4_make((int)a, (int)b, (int)c, (int)d));
  s = step(s, wasm_i32x4_make((int)e, (int)0x85ebca6b, (int)n, 0));
  if (n <= leftOf(position)) {
    key = keyAt(key, position);
    s = absorb(s, patternOf(key, position), n, to, MAKE, ownOf(key, position));
  } else {
    fillSeeded(key, position, to, n);
    s = hashed(s, to, n);
  }
  STORE(state, s);
}

EXPORT("heapBase") u32 heapBase(void) {
  extern u8 __heap_base;
  return (u32)&__heap_base;
}

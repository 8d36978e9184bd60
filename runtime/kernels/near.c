/* Lists of pairs of points that may be near each other: by cells, kept while no point has moved far.

   A pair whose distance is below the limit now had a distance below limit + skin when the list was made, as long as no
   point has moved by more than skin/2 since. So the list holds all pairs that count, and others; who goes through it
   decides each pair by its distance. Cells are found in a table by a hash of their place: a system may drift anywhere,
   and points that leave it alone cost nothing. (M. P. Allen, D. J. Tildesley, Computer Simulation of Liquids, 2nd ed.,
   Oxford 2017, section 5.3.) */
#include "runtime/kernels/Kernels.h"

#include <math.h>

/* turn(frame, k) for k = 0 … count - 1, whose order does not matter. Where there may be threads, lmc_turns. */
#ifndef LMC_NEAR_TURNS
#define LMC_NEAR_TURNS near_turns
static void near_turns(void (*turn)(const void*, int64_t), const void* frame, int64_t count) {
  for (int64_t k = 0; k < count; ++k) turn(frame, k);
}
#endif

/* What a list is, at the begin of its memory; LMC_NEAR_HEADER numbers. Places count numbers (8 bytes) from there. */
typedef struct {
  int64_t rows;    /* place of two integers a row: the first entry of it and the one behind the last; -1: not listed */
  int64_t entries; /* place of the entries: integers of 32 bits */
  int64_t begin, end;           /* of the row that lmc_near_row made last */
  int64_t complete, spans, n1;  /* as LMC_NEAR_COMPLETE … say; points of the first set */
  int64_t made;                 /* near_made: there is a list */
  int64_t n2, size, room;       /* points of the second set, numbers of memory, entries that have room */
  int64_t all;                  /* 1: no limit that cells could be made of; rows hold every index */
  int64_t mask, spread[3];      /* buckets - 1; cells along the axis, or 0 where it has no period */
  int64_t asked;                /* evaluations since the list was made */
  double share;                 /* skin in units of the limit */
  double limit, skin, reach;    /* reach: below which pairs are listed */
  double about[LMC_NEAR_ABOUT]; /* as it was given when the list was made */
} NearList;

enum { near_made = 0x6e656172 };

static const double near_share = 0.1, near_least = 0.02, near_most = 0.4;
/* A list takes as long as so many evaluations of the pairs within the limit: 8 where a pair has a root, a division and
   a hundred products (dipoles), 23 where it has a division and twenty (atoms), by samples of a profile. By the
   formula of near_best what lies between costs either 2 % of its time. */
static const double near_work = 14;
/* Rounding of positions, of differences and of cells, relative to the largest number among them. */
static const double near_rounding = 1e-14;

typedef struct {
  double *first, *second, *sorted;
  int64_t* rows;
  int32_t *buckets, *order, *spans, *entries;
} NearParts;

/* Pieces of work on points or rows, whatever the number of threads. */
enum { near_pieces = 16 };
/* Points from which on work on them is cut into pieces. */
enum { near_many = 8192 };

static int64_t near_blocks(int64_t n1) {
  return (n1 + LMC_NEAR_BLOCK - 1) / LMC_NEAR_BLOCK;
}

/* The power of two from 64 on that is not below n. */
static int64_t near_buckets(int64_t n) {
  int64_t b = 64;
  while (b < n) b *= 2;
  return b;
}

static NearParts near_parts(double* list, int64_t n1, int64_t n2) {
  NearParts p;
  p.first = list + LMC_NEAR_HEADER;
  p.second = p.first + 3 * n1;
  p.sorted = p.second + 3 * n2;
  p.rows = (int64_t*)(p.sorted + 3 * n2);
  p.buckets = (int32_t*)(p.rows + 2 * n1);
  p.order = p.buckets + near_buckets(n2) + 2;
  p.spans = p.order + n2 + n2 % 2;
  p.entries = p.spans + 2 * near_blocks(n1);
  return p;
}

LMC_KERNEL int64_t lmc_near_size(int64_t n1, int64_t n2, int64_t entries) {
  const int64_t numbers = near_buckets(n2) + 2 + n2 + n2 % 2 + 2 * near_blocks(n1) + n2 + entries;
  return LMC_NEAR_HEADER + 5 * n1 + 6 * n2 + (numbers + 1) / 2;
}

/* Points now and before, and whether one of a piece has moved farther than the root of `square`. */
typedef struct {
  const double *now, *before;
  int64_t n;
  double square;
  int* moved;
} NearMotion;

static void near_moved(const void* frame, int64_t piece) {
  const NearMotion m = *(const NearMotion*)frame;
  const int64_t length = (m.n + near_pieces - 1) / near_pieces, begin = piece * length;
  const int64_t end = begin + length < m.n ? begin + length : m.n;
  int moved = 0;
  for (int64_t k = begin; k < end; ++k) {
    const double x = m.now[3 * k] - m.before[3 * k], y = m.now[3 * k + 1] - m.before[3 * k + 1],
                 z = m.now[3 * k + 2] - m.before[3 * k + 2];
    moved |= !(x * x + y * y + z * z <= m.square); /* what is not a number has moved */
  }
  m.moved[piece] = moved;
}

/* Whether each point is within a distance of where it was. */
static int near_stayed(const double* now, const double* before, int64_t n, double square) {
  int moved[near_pieces];
  const NearMotion m = {now, before, n, square, moved};
  if (n < near_many)
    for (int64_t k = 0; k < near_pieces; ++k) near_moved(&m, k);
  else
    LMC_NEAR_TURNS(near_moved, &m, near_pieces);
  int any = 0;
  for (int k = 0; k < near_pieces; ++k) any |= moved[k];
  return !any;
}

static double near_largest(const double* x, int64_t n, double most) {
  for (int64_t k = 0; k < n; ++k) {
    const double size = fabs(x[k]);
    if (size > most && size < INFINITY) most = size;
  }
  return most;
}

/* The place of a coordinate within its period, and the number of its cell. */
static double near_wrapped(const NearList* h, int axis, double x, int64_t* cell) {
  const double period = h->about[axis];
  if (!(period > 0)) {
    *cell = (int64_t)floor(x / h->reach);
    return x;
  }
  double within = x - period * floor(x / period);
  if (!(within >= 0)) within = 0;
  if (within > period) within = period;
  *cell = 0;
  if (h->spread[axis] > 1) {
    *cell = (int64_t)(within / period * (double)h->spread[axis]);
    if (*cell >= h->spread[axis]) *cell = h->spread[axis] - 1;
  }
  return within;
}

static int64_t near_bucket(const NearList* h, const int64_t cell[3]) {
  uint64_t hash = (uint64_t)cell[0] * 0x9E3779B97F4A7C15u;
  hash = (hash ^ hash >> 29) + (uint64_t)cell[1] * 0xBF58476D1CE4E5B9u;
  hash = (hash ^ hash >> 31) + (uint64_t)cell[2] * 0x94D049BB133111EBu;
  hash ^= hash >> 32;
  return (int64_t)(hash * 0x9E3779B97F4A7C15u >> 20 & (uint64_t)h->mask);
}

static int near_finite(const double* x) {
  return isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]);
}

/* Points of the second set by their buckets, in each in the order of their numbers; those that are not finite have no
   neighbours. */
static void near_sort(const NearList* h, NearParts p) {
  const int64_t buckets = h->mask + 1;
  for (int64_t b = 0; b < buckets + 2; ++b) p.buckets[b] = 0;
  int64_t cell[3];
  for (int64_t j = 0; j < h->n2; ++j) {
    if (!near_finite(p.second + 3 * j)) continue;
    for (int a = 0; a < 3; ++a) (void)near_wrapped(h, a, p.second[3 * j + a], cell + a);
    ++p.buckets[near_bucket(h, cell) + 2];
  }
  for (int64_t b = 2; b < buckets + 2; ++b) p.buckets[b] += p.buckets[b - 1];
  for (int64_t j = 0; j < h->n2; ++j) {
    if (!near_finite(p.second + 3 * j)) continue;
    double x[3];
    for (int a = 0; a < 3; ++a) x[a] = near_wrapped(h, a, p.second[3 * j + a], cell + a);
    const int32_t at = p.buckets[near_bucket(h, cell) + 1]++;
    p.order[at] = (int32_t)j;
    for (int a = 0; a < 3; ++a) p.sorted[3 * (int64_t)at + a] = x[a];
  }
}

/* Ascending, by Shell's method with Ciura's steps: rows are short, but for dense systems. */
static void near_ascending(int32_t* x, int64_t n) {
  static const int64_t steps[] = {4193, 1636, 701, 301, 132, 57, 23, 10, 4, 1};
  for (int s = 0; s < 10; ++s) {
    const int64_t step = steps[s];
    for (int64_t k = step; k < n; ++k) {
      const int32_t value = x[k];
      int64_t at = k;
      for (; at >= step && x[at - step] > value; at -= step) x[at] = x[at - step];
      x[at] = value;
    }
  }
}

/* The indices, from 0, of the second set that belong to a row at all: from `low` to `high`. */
static void near_range(const NearList* h, int64_t row, int64_t* low, int64_t* high) {
  const double i = (double)row + h->about[LMC_NEAR_FIRST_ROW];
  const double from = h->about[LMC_NEAR_LOW] + h->about[LMC_NEAR_LOW_ROW] * i - h->about[LMC_NEAR_FIRST_COLUMN];
  const double to = h->about[LMC_NEAR_HIGH] + h->about[LMC_NEAR_HIGH_ROW] * i - h->about[LMC_NEAR_FIRST_COLUMN];
  *low = from > 0 ? (int64_t)from : 0;
  *high = to < (double)(h->n2 - 1) ? (int64_t)to : h->n2 - 1;
}

/* Writes the entries of a row, at most `room` of them; returns how many they are, or -1 where that is too little. */
static int64_t near_find(const NearList* h, NearParts p, int64_t row, int32_t* out, int64_t room) {
  const int32_t column = (int32_t)h->about[LMC_NEAR_FIRST_COLUMN];
  int64_t low, high, count = 0;
  near_range(h, row, &low, &high);
  if (h->all) {
    if (high - low >= room) return -1;
    for (int64_t j = low; j <= high; ++j) out[count++] = (int32_t)j + column;
    return count;
  }
  const double* point = p.first + 3 * row;
  if (!near_finite(point) || low > high) return 0;
  double x[3], period[3], gap[3][3]; /* gap: squares of how far the cells before and behind are, along an axis */
  int64_t cell[3], at[3], from[3], to[3], seen[27];
  for (int a = 0; a < 3; ++a) {
    x[a] = near_wrapped(h, a, point[a], cell + a);
    period[a] = h->about[a] > 0 ? h->about[a] : INFINITY;
    from[a] = h->about[a] > 0 && h->spread[a] < 2 ? 0 : -1;
    to[a] = -from[a];
    const double width = h->about[a] > 0 ? h->about[a] / (double)h->spread[a] : h->reach;
    const double before = x[a] - (double)cell[a] * width, behind = width - before;
    gap[a][0] = before * before;
    gap[a][1] = 0;
    gap[a][2] = behind * behind;
  }
  const double square = h->reach * h->reach;
  int visited = 0;
  for (int64_t dx = from[0]; dx <= to[0]; ++dx)
    for (int64_t dy = from[1]; dy <= to[1]; ++dy)
      for (int64_t dz = from[2]; dz <= to[2]; ++dz) {
        if (gap[0][dx + 1] + gap[1][dy + 1] + gap[2][dz + 1] > square) continue;
        const int64_t d[3] = {dx, dy, dz};
        for (int a = 0; a < 3; ++a) {
          at[a] = cell[a] + d[a];
          if (h->spread[a] > 1) at[a] = (at[a] + h->spread[a]) % h->spread[a];
        }
        const int64_t bucket = near_bucket(h, at);
        int again = 0; /* cells that share a bucket */
        for (int k = 0; k < visited; ++k) again |= seen[k] == bucket;
        if (again) continue;
        seen[visited++] = bucket;
        int32_t k = p.buckets[bucket], behind = p.buckets[bucket + 1];
        while (k < behind && p.order[behind - 1] > high) --behind;
        if (k == behind || p.order[behind - 1] < low) continue; /* half of the buckets of a sum over i < j */
        while (p.order[k] < low) ++k;
        for (; k < behind; ++k) {
          const double* other = p.sorted + 3 * (int64_t)k;
          double sum = 0;
          for (int a = 0; a < 3; ++a) {
            const double direct = fabs(x[a] - other[a]), round = period[a] - direct;
            const double least = direct < round ? direct : round;
            sum += least * least;
          }
          if (count >= room) return -1;
          out[count] = p.order[k] + column;
          count += sum <= square;
        }
      }
  near_ascending(out, count);
  return count;
}

/* A list whose skin is s in units of the limit has (1 + s)^3 times the pairs within, and lasts for n = k s evaluations,
   since points move about as fast as before. The work (1 + s)^3 + near_work/(k s) of an evaluation is least where
   3 k s^2 (1 + s)^2 = near_work. */
static double near_best(double share, int64_t asked) {
  const double best = sqrt(near_work * share / (3 * (double)asked)) / (1 + share);
  return best < near_least ? near_least : best > near_most ? near_most : best;
}

/* How far pairs are listed. */
static void near_measure(NearList* h, NearParts p, const double* about) {
  const int again = h->made == near_made;
  h->share = again ? near_best(h->share, h->asked) : near_share;
  for (int k = 0; k < LMC_NEAR_ABOUT; ++k) h->about[k] = about[k];
  h->limit = about[LMC_NEAR_LIMIT];
  if (about[LMC_NEAR_SQUARED] != 0) h->limit = h->limit > 0 ? sqrt(h->limit) : 0;
  h->skin = h->share * h->limit;
  double most = near_largest(p.second, 3 * h->n2, near_largest(p.first, 3 * h->n1, 0));
  for (int a = 0; a < 3; ++a) {
    if (about[a] != 0 && !(about[a] > 0)) most = INFINITY; /* no box */
    if (about[a] > most) most = about[a];
  }
  const double slack = near_rounding * most;
  h->reach = (h->limit + h->skin + slack) * (1 + 1e-9);
  h->all = !(h->limit > 0 && slack < h->limit && h->reach < INFINITY);
  for (int a = 0; a < 3; ++a) {
    h->spread[a] = 0;
    if (!(about[a] > 0) || h->all) continue;
    const double cells = floor(about[a] / h->reach);
    h->spread[a] = cells < 3 ? 1 : cells > 1e6 ? 1000000 : (int64_t)cells;
  }
}

typedef struct {
  const NearList* list;
  NearParts parts;
  int64_t pieces;
  int* full; /* by piece: rows did not find room */
} NearRows;

/* Blocks of rows `piece`, piece + pieces, …, with their part of the entries: blocks have about the same work where
   that of a row grows or falls. */
static void near_rows(const void* frame, int64_t piece) {
  const NearRows x = *(const NearRows*)frame;
  const NearList* h = x.list;
  const NearParts p = x.parts;
  const int64_t share = h->room / x.pieces, blocks = near_blocks(h->n1);
  int64_t used = piece * share;
  int full = (int)h->all;
  for (int64_t block = piece; block < blocks; block += x.pieces) {
    const int64_t begin = block * LMC_NEAR_BLOCK;
    const int64_t end = begin + LMC_NEAR_BLOCK < h->n1 ? begin + LMC_NEAR_BLOCK : h->n1;
    int32_t least = INT32_MAX, most = INT32_MIN;
    for (int64_t row = begin; row < end; ++row) {
      const int64_t count = full ? -1 : near_find(h, p, row, p.entries + used, (piece + 1) * share - used);
      full |= count < 0;
      p.rows[2 * row] = full ? -1 : used;
      p.rows[2 * row + 1] = full ? -1 : used + count;
      if (full || count == 0) continue;
      if (p.entries[used] < least) least = p.entries[used];
      if (p.entries[used + count - 1] > most) most = p.entries[used + count - 1];
      used += count;
    }
    p.spans[2 * block] = least;
    p.spans[2 * block + 1] = most;
  }
  x.full[piece] = full;
}

static void near_make(double* list, const double* a, const double* b, const double* about, int64_t n1, int64_t n2,
                      int64_t size) {
  NearList* h = (NearList*)list;
  const NearParts p = near_parts(list, n1, n2);
  h->n1 = n1;
  h->n2 = n2;
  h->size = size;
  h->room = 2 * (size - ((double*)p.spans - list)) - 2 * near_blocks(n1) - n2; /* behind it one row more has room */
  h->rows = (double*)p.rows - list;
  h->spans = (double*)p.spans - list;
  h->entries = (double*)p.entries - list;
  h->mask = near_buckets(n2) - 1;
  for (int64_t k = 0; k < 3 * n1; ++k) p.first[k] = a[k];
  for (int64_t k = 0; k < 3 * n2; ++k) p.second[k] = b[k];
  near_measure(h, p, about);
  h->made = near_made;
  h->asked = 0;
  if (!h->all) near_sort(h, p);
  int full[near_pieces];
  const NearRows x = {h, p, n1 < near_many ? 1 : near_pieces, full};
  if (x.pieces == 1)
    near_rows(&x, 0);
  else
    LMC_NEAR_TURNS(near_rows, &x, x.pieces);
  h->complete = 1;
  for (int64_t k = 0; k < x.pieces; ++k) h->complete &= !full[k];
}

LMC_KERNEL int32_t lmc_near_update(const double* a, const double* b, const double* about, double* list, int64_t n1,
                                   int64_t n2, int64_t size) {
  NearList* h = (NearList*)list;
  int same = h->made == near_made && h->n1 == n1 && h->n2 == n2 && h->size == size;
  for (int k = 0; k < LMC_NEAR_ABOUT; ++k) same = same && h->about[k] == about[k];
  if (same) {
    const NearParts p = near_parts(list, n1, n2);
    const double half = 0.5 * h->skin, square = half * half;
    ++h->asked;
    if (h->all && h->asked < 64) return LMC_OK;
    const int one = a == b && n1 == n2; /* both sets are one */
    if (!h->all && near_stayed(a, p.first, n1, square) && (one || near_stayed(b, p.second, n2, square))) return LMC_OK;
  }
  near_make(list, a, b, about, n1, n2, size);
  return LMC_OK;
}

LMC_KERNEL int32_t lmc_near_row(double* list, int64_t row) {
  NearList* h = (NearList*)list;
  const NearParts p = near_parts(list, h->n1, h->n2);
  h->begin = h->room;
  h->end = h->room + near_find(h, p, row, p.entries + h->room, h->n2);
  return LMC_OK;
}

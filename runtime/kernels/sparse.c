/* Sparse systems whose unknowns are grouped into small nodes: elimination in an order that is found once, by blocks.

   The matrix has blocks (row node, column node); its pattern is taken to be symmetric, its numbers are not. Nodes are of
   two classes: velocities, whose own blocks are regular, and multipliers, which get a diagonal by elimination of the
   velocities that they act on, and follow these. Among those that may be next, a node with the fewest neighbours is
   (minimum degree; A. George, J. W.-H. Liu, SIAM Review 31 (1989) 1-19, with the lists of neighbours that elimination
   makes kept as elements). Trees and rings so get factors whose size is proportional to theirs. */
#include "runtime/kernels/Kernels.h"

#include <math.h>

/* The plan: numbers of nodes, blocks, unknowns, entries of patterns that there is room for, factors, entries of
   patterns; then the arrays of `SparsePlan`. */
enum { sparse_nodes, sparse_blocks, sparse_unknowns, sparse_entries, sparse_factors, sparse_used, sparse_header };

/* Numbers of a step. */
enum { step_size, step_width, step_offset, step_start, step_first, sparse_step };

/* Part of the terms that it is the sum of, below which the pivot of a multiplier is what rounding leaves of a
   dependent equation. */
static const double sparse_dependent = 1e-12;

/* Arrays of the plan, one number a node but for those that say otherwise. */
typedef struct SparsePlan {
  double* size;   /* unknowns */
  double* kind;   /* 1: multiplier */
  double* start;  /* first unknown */
  double* order;  /* nodes in the order of elimination */
  double* rank;   /* place in that order */
  double* first;  /* nodes + 1, of its pattern */
  double* width;  /* unknowns of its pattern */
  double* offset; /* of its factors */
  double* scratch; /* twelve numbers a node, four a block, while the order is found */
  double* place;  /* one a block: where its numbers are added */
  double* entry;  /* patterns: nodes */
  double* column; /* patterns: unknowns of the pattern before an entry */
  double* target; /* patterns: first unknown of the node; while the order is found, chains of entries */
  double* steps;  /* in the place of `scratch`: what solutions need, five numbers a node in the order of elimination */
} SparsePlan;

static SparsePlan sparse_parts(double* plan, int64_t nodes, int64_t blocks, int64_t entries) {
  SparsePlan p;
  double* at = plan + sparse_header;
  p.size = at;
  p.kind = at + nodes;
  p.start = at + 2 * nodes;
  p.order = at + 3 * nodes;
  p.rank = at + 4 * nodes;
  p.first = at + 5 * nodes;
  p.width = at + 6 * nodes + 1;
  p.offset = at + 7 * nodes + 1;
  p.scratch = at + 8 * nodes + 1;
  p.place = p.scratch + 12 * nodes + 1 + 4 * blocks;
  p.entry = p.place + blocks;
  p.column = p.entry + entries;
  p.target = p.column + entries + 1; /* `column` ends with a zero */
  p.steps = p.scratch;
  return p;
}

static SparsePlan sparse_read(const double* plan) {
  return sparse_parts((double*)plan, (int64_t)plan[sparse_nodes], (int64_t)plan[sparse_blocks],
                      (int64_t)plan[sparse_entries]);
}

/* Nodes by degree, in lists. */
typedef struct SparseLists {
  double *head, *next, *before, *degree;
  int64_t lowest;
} SparseLists;

static void sparse_insert(SparseLists* l, int64_t i, int64_t degree) {
  l->degree[i] = (double)degree;
  const int64_t follower = (int64_t)l->head[degree];
  l->next[i] = (double)follower;
  l->before[i] = -1;
  if (follower >= 0) l->before[follower] = (double)i;
  l->head[degree] = (double)i;
  if (degree < l->lowest) l->lowest = degree;
}

static void sparse_remove(SparseLists* l, int64_t i) {
  const int64_t a = (int64_t)l->before[i], b = (int64_t)l->next[i];
  if (a >= 0)
    l->next[a] = (double)b;
  else
    l->head[(int64_t)l->degree[i]] = (double)b;
  if (b >= 0) l->before[b] = (double)a;
}

typedef struct SparseGraph {
  SparsePlan p;
  int64_t nodes, room, used;
  double *from, *to;   /* neighbours in the matrix: nodes + 1; twice the blocks */
  double* elements;    /* of a node: the last of its entries in `chain`, or -1 */
  double* chain;       /* of an entry: the one before it of the same node */
  double* mark;        /* the node that was last counted for */
  double* waits;       /* of a multiplier: velocities that it acts on and that are left */
  double* listed;      /* 1: may be next */
} SparseGraph;

/* The nodes that are left and share an equation with i, into `list` if it is given; returns how many. */
static int64_t sparse_neighbours(SparseGraph* g, int64_t i, double tag, double* list) {
  int64_t count = 0;
  g->mark[i] = tag;
  for (int64_t k = (int64_t)g->from[i]; k < (int64_t)g->from[i + 1]; ++k) {
    const int64_t j = (int64_t)g->to[k];
    if (g->mark[j] == tag || g->p.rank[j] >= 0) continue;
    g->mark[j] = tag;
    if (list) list[count] = (double)j;
    ++count;
  }
  for (int64_t q = (int64_t)g->elements[i]; q >= 0; q = (int64_t)g->chain[q]) {
    const int64_t owner = (int64_t)g->p.column[q]; /* while the order is found */
    if (g->p.width[owner] < 0) continue;           /* a part of a later one */
    for (int64_t e = (int64_t)g->p.first[owner]; e < (int64_t)g->p.first[owner] + (int64_t)g->p.width[owner]; ++e) {
      const int64_t j = (int64_t)g->p.entry[e];
      if (g->mark[j] == tag || g->p.rank[j] >= 0) continue;
      g->mark[j] = tag;
      if (list) list[count] = (double)j;
      ++count;
    }
  }
  return count;
}

/* Neighbours of each node by counting, without those that occur twice. */
static void sparse_adjacency(SparseGraph* g, const double* blocks, int64_t count) {
  const int64_t n = g->nodes;
  for (int64_t i = 0; i <= n; ++i) g->from[i] = 0;
  for (int64_t b = 0; b < count; ++b) {
    const int64_t r = (int64_t)blocks[2 * b], c = (int64_t)blocks[2 * b + 1];
    if (r == c) continue;
    ++g->from[r + 1];
    ++g->from[c + 1];
  }
  for (int64_t i = 0; i < n; ++i) {
    g->from[i + 1] += g->from[i];
    g->mark[i] = g->from[i];
  }
  for (int64_t b = 0; b < count; ++b) {
    const int64_t r = (int64_t)blocks[2 * b], c = (int64_t)blocks[2 * b + 1];
    if (r == c) continue;
    g->to[(int64_t)g->mark[r]++] = (double)c;
    g->to[(int64_t)g->mark[c]++] = (double)r;
  }
}

/* Finds the order; 0 if the room for patterns is too small. */
static int sparse_order(SparseGraph* g, SparseLists* l) {
  SparsePlan* p = &g->p;
  const int64_t n = g->nodes;
  double tag = 0;
  for (int64_t i = 0; i < n; ++i) {
    p->rank[i] = -1;
    p->width[i] = 0;
    g->elements[i] = -1;
    g->mark[i] = -1;
    l->head[i] = -1;
    g->listed[i] = 0;
    g->waits[i] = 0;
  }
  for (int64_t i = 0; i < n; ++i) {
    tag += 1;
    const int64_t degree = sparse_neighbours(g, i, tag, 0);
    l->degree[i] = (double)degree;
    if (p->kind[i] == 1) {
      tag += 1;
      for (int64_t k = (int64_t)g->from[i]; k < (int64_t)g->from[i + 1]; ++k) {
        const int64_t j = (int64_t)g->to[k];
        if (g->mark[j] == tag || p->kind[j] == 1) continue;
        g->mark[j] = tag;
        g->waits[i] += 1;
      }
    }
  }
  l->lowest = n;
  for (int64_t i = n - 1; i >= 0; --i) {
    if (g->waits[i] > 0) continue;
    g->listed[i] = 1;
    sparse_insert(l, i, (int64_t)l->degree[i]);
  }
  for (int64_t k = 0; k < n; ++k) {
    while (l->lowest < n && l->head[l->lowest] < 0) ++l->lowest;
    if (l->lowest >= n) return 0; /* does not happen */
    const int64_t pivot = (int64_t)l->head[l->lowest];
    sparse_remove(l, pivot);
    g->listed[pivot] = 0;
    tag += 1;
    p->first[pivot] = (double)g->used;
    if (g->used + (n - k) > g->room) { /* perhaps */
      if (g->used + sparse_neighbours(g, pivot, tag, 0) > g->room) return 0;
      tag += 1;
    }
    const int64_t own = sparse_neighbours(g, pivot, tag, p->entry + g->used);
    for (int64_t q = (int64_t)g->elements[pivot]; q >= 0; q = (int64_t)g->chain[q]) {
      const int64_t owner = (int64_t)p->column[q];
      if (p->width[owner] > 0) p->width[owner] = -p->width[owner]; /* absorbed; the length stays */
    }
    p->rank[pivot] = (double)k;
    p->order[k] = (double)pivot;
    p->width[pivot] = (double)own;
    if (p->kind[pivot] != 1) {
      const double once = -2 - tag; /* its multipliers, each once */
      for (int64_t e = (int64_t)g->from[pivot]; e < (int64_t)g->from[pivot + 1]; ++e) {
        const int64_t j = (int64_t)g->to[e];
        if (p->kind[j] != 1 || p->rank[j] >= 0 || g->mark[j] == once) continue;
        g->mark[j] = once;
        g->waits[j] -= 1;
      }
    }
    const int64_t begin = g->used;
    g->used += own;
    for (int64_t e = begin; e < g->used; ++e) {
      const int64_t i = (int64_t)p->entry[e];
      p->column[e] = (double)pivot;
      /* Entries of elements that have become a part of this one are left out of the chain. */
      double* link = &g->elements[i];
      while (*link >= 0) {
        const int64_t q = (int64_t)*link;
        if (p->width[(int64_t)p->column[q]] < 0)
          *link = g->chain[q];
        else
          link = &g->chain[q];
      }
      g->chain[e] = g->elements[i];
      g->elements[i] = (double)e;
    }
    for (int64_t e = begin; e < g->used; ++e) {
      const int64_t i = (int64_t)p->entry[e];
      if (g->waits[i] > 0) continue;
      tag += 1;
      const int64_t degree = sparse_neighbours(g, i, tag, 0);
      if (g->listed[i] == 1) sparse_remove(l, i);
      g->listed[i] = 1;
      sparse_insert(l, i, degree);
    }
  }
  return 1;
}

/* Sorts the entries of a pattern by their rank (heap sort: in place, the same everywhere). */
static void sparse_sort(double* list, const double* rank, int64_t n) {
#define LMC_RANK(k) rank[(int64_t)list[k]]
  for (int64_t begin = n / 2, end = n; end > 1;) {
    if (begin > 0) {
      --begin;
    } else {
      --end;
      const double x = list[end];
      list[end] = list[0];
      list[0] = x;
    }
    int64_t root = begin;
    for (;;) {
      int64_t child = 2 * root + 1;
      if (child >= end) break;
      if (child + 1 < end && LMC_RANK(child) < LMC_RANK(child + 1)) ++child;
      if (LMC_RANK(root) >= LMC_RANK(child)) break;
      const double x = list[root];
      list[root] = list[child];
      list[child] = x;
      root = child;
    }
  }
#undef LMC_RANK
}

/* Where block (r, c) stands among the factors. */
static int64_t sparse_place(const SparsePlan* p, int64_t r, int64_t c) {
  if (r == c) return (int64_t)p->offset[r];
  const int lower = p->rank[c] < p->rank[r];
  const int64_t pivot = lower ? c : r, other = lower ? r : c;
  const int64_t size = (int64_t)p->size[pivot];
  int64_t low = (int64_t)p->first[(int64_t)p->rank[pivot]], high = (int64_t)p->first[(int64_t)p->rank[pivot] + 1];
  while (high - low > 1) {
    const int64_t middle = (low + high) / 2;
    if (p->rank[(int64_t)p->entry[middle]] <= p->rank[other])
      low = middle;
    else
      high = middle;
  }
  const int64_t panel = (int64_t)p->offset[pivot] + size * size + (lower ? 0 : size * (int64_t)p->width[pivot]);
  return panel + size * (int64_t)p->column[low];
}

/* `first` becomes that of ranks, `width` counts unknowns, entries are in the order of elimination. */
static void sparse_finish(SparseGraph* g, const double* blocks, int64_t count) {
  SparsePlan* p = &g->p;
  const int64_t n = g->nodes;
  double* begin = p->scratch; /* the graph is not needed any more */
  for (int64_t i = 0; i < n; ++i) begin[i] = p->first[i];
  double factors = 0;
  for (int64_t k = 0; k < n; ++k) { /* patterns were made in this order */
    const int64_t i = (int64_t)p->order[k];
    p->first[k] = begin[i];
  }
  p->first[n] = (double)g->used;
  for (int64_t k = 0; k < n; ++k) {
    const int64_t i = (int64_t)p->order[k], from = (int64_t)p->first[k], to = (int64_t)p->first[k + 1];
    sparse_sort(p->entry + from, p->rank, to - from);
    double width = 0;
    for (int64_t e = from; e < to; ++e) {
      p->column[e] = width;
      width += p->size[(int64_t)p->entry[e]];
    }
    p->width[i] = width;
    p->offset[i] = factors;
    factors += p->size[i] * (p->size[i] + 2 * width);
  }
  for (int64_t b = 0; b < count; ++b)
    p->place[b] = (double)sparse_place(p, (int64_t)blocks[2 * b], (int64_t)blocks[2 * b + 1]);
}

LMC_KERNEL int32_t lmc_sparse_plan(const double* nodes, const double* blocks, double* plan, int64_t count,
                                   int64_t blockCount, int64_t entries) {
  SparseGraph g;
  SparseLists l;
  g.p = sparse_parts(plan, count, blockCount, entries);
  g.nodes = count;
  g.room = entries;
  g.used = 0;
  plan[sparse_nodes] = (double)count;
  plan[sparse_blocks] = (double)blockCount;
  plan[sparse_entries] = (double)entries;
  double unknowns = 0;
  for (int64_t i = 0; i < count; ++i) {
    g.p.size[i] = nodes[2 * i];
    g.p.kind[i] = nodes[2 * i + 1];
    g.p.start[i] = unknowns;
    unknowns += nodes[2 * i];
  }
  plan[sparse_unknowns] = unknowns;
  double* at = g.p.scratch;
  g.from = at;
  g.elements = at + count + 1;
  g.mark = at + 2 * count + 1;
  g.waits = at + 3 * count + 1;
  g.listed = at + 4 * count + 1;
  l.head = at + 5 * count + 1;
  l.next = at + 6 * count + 1;
  l.before = at + 7 * count + 1;
  l.degree = at + 8 * count + 1;
  g.to = at + 9 * count + 1;
  g.chain = g.p.target;
  sparse_adjacency(&g, blocks, blockCount);
  plan[sparse_factors] = 0;
  if (!sparse_order(&g, &l)) return LMC_SINGULAR_MATRIX;
  sparse_finish(&g, blocks, blockCount);
  double factors = 0;
  for (int64_t i = 0; i < count; ++i) factors += g.p.size[i] * (g.p.size[i] + 2 * g.p.width[i]);
  for (int64_t k = 0; k < count; ++k) {
    const int64_t i = (int64_t)g.p.order[k];
    double* step = g.p.steps + sparse_step * k;
    step[step_size] = g.p.size[i];
    step[step_width] = g.p.width[i];
    step[step_offset] = g.p.offset[i];
    step[step_start] = g.p.start[i];
    step[step_first] = g.p.first[k];
  }
  g.p.column[g.used] = 0;
  for (int64_t e = 0; e < g.used; ++e) g.p.target[e] = g.p.start[(int64_t)g.p.entry[e]];
  plan[sparse_factors] = factors + unknowns;
  plan[sparse_used] = (double)g.used;
  return LMC_OK;
}

/* d <- d^-1 with pivots that are the largest that is left; 0 if it is singular. Of multipliers, with pivots of the
   diagonal, the largest part of `terms` first: rows and columns of those that are left over become zero. */
static int sparse_invert(double* d, const double* terms, int64_t n, int multiplier) {
  int64_t rows[64], columns[64];
  double used[64];
  if (n > 64) return 0;
  for (int64_t k = 0; k < n; ++k) used[k] = 0;
  for (int64_t k = 0; k < n; ++k) {
    int64_t r = -1, c = -1;
    double most = multiplier ? sparse_dependent : 0;
    for (int64_t i = 0; i < n; ++i) {
      if (multiplier) {
        if (used[i] != 0) continue;
        const double part = terms[i] > 0 ? fabs(d[i * n + i]) / terms[i] : 0;
        if (part > most) {
          most = part;
          r = c = i;
        }
        continue;
      }
      if (used[i] == 1 || used[i] == 3) continue; /* rows have 1, columns 2 */
      for (int64_t j = 0; j < n; ++j) {
        if (used[j] >= 2) continue;
        if (fabs(d[i * n + j]) > most) {
          most = fabs(d[i * n + j]);
          r = i;
          c = j;
        }
      }
    }
    if (r < 0) {
      if (!multiplier) return 0;
      for (int64_t i = 0; i < n; ++i) {
        if (used[i] != 0) continue;
        for (int64_t j = 0; j < n; ++j) d[i * n + j] = d[j * n + i] = 0;
      }
      return 1;
    }
    used[r] += 1;
    used[c] += 2;
    rows[k] = r;
    columns[k] = c;
    /* Gauss-Jordan: row r and column c exchange their roles. */
    const double inverse = 1 / d[r * n + c];
    if (!isfinite(inverse)) return 0;
    for (int64_t j = 0; j < n; ++j)
      if (j != c) d[r * n + j] *= inverse;
    for (int64_t i = 0; i < n; ++i) {
      if (i == r) continue;
      const double factor = d[i * n + c];
      if (factor != 0)
        for (int64_t j = 0; j < n; ++j)
          if (j != c) d[i * n + j] -= factor * d[r * n + j];
      d[i * n + c] = -factor * inverse;
    }
    d[r * n + c] = inverse;
  }
  if (multiplier) return 1; /* pivots of the diagonal: nothing is out of its place */
  /* The entry at (r_k, c_l) belongs to (c_k, r_l). */
  double copy[64];
  for (int64_t j = 0; j < n; ++j) { /* rows: the k-th pivot's row r_k goes to c_k */
    for (int64_t k = 0; k < n; ++k) copy[columns[k]] = d[rows[k] * n + j];
    for (int64_t i = 0; i < n; ++i) d[i * n + j] = copy[i];
  }
  for (int64_t i = 0; i < n; ++i) { /* columns: c_k goes to r_k */
    for (int64_t k = 0; k < n; ++k) copy[rows[k]] = d[i * n + columns[k]];
    for (int64_t j = 0; j < n; ++j) d[i * n + j] = copy[j];
  }
  return 1;
}

/* c -= a b, a m×k, b k×n. */
static void sparse_subtract(double* c, const double* a, const double* b, int64_t m, int64_t k, int64_t n) {
  for (int64_t i = 0; i < m; ++i)
    for (int64_t l = 0; l < k; ++l) {
      const double x = a[i * k + l];
      for (int64_t j = 0; j < n; ++j) c[i * n + j] -= x * b[l * n + j];
    }
}

LMC_KERNEL int32_t lmc_sparse_factor(const double* plan, const double* blocks, const double* values, double* factors,
                                     int64_t count, int64_t blockCount) {
  const SparsePlan p = sparse_read(plan);
  const int64_t unknowns = (int64_t)plan[sparse_unknowns];
  const int64_t total = (int64_t)plan[sparse_factors];
  double* terms = factors + (total - unknowns); /* sums of absolute terms of the diagonal */
  for (int64_t k = 0; k < total; ++k) factors[k] = 0;
  for (int64_t b = 0; b < blockCount; ++b) {
    const int64_t r = (int64_t)blocks[2 * b], n = (int64_t)p.size[r] * (int64_t)p.size[(int64_t)blocks[2 * b + 1]];
    double* to = factors + (int64_t)p.place[b];
    for (int64_t k = 0; k < n; ++k) to[k] += values[k];
    values += n;
  }
  for (int64_t i = 0; i < count; ++i) {
    const int64_t n = (int64_t)p.size[i];
    for (int64_t k = 0; k < n; ++k) terms[(int64_t)p.start[i] + k] = fabs(factors[(int64_t)p.offset[i] + k * n + k]);
  }
  for (int64_t step = 0; step < count; ++step) {
    const int64_t pivot = (int64_t)p.order[step], n = (int64_t)p.size[pivot], width = (int64_t)p.width[pivot];
    double* own = factors + (int64_t)p.offset[pivot];
    double *lower = own + n * n, *upper = lower + n * width;
    for (int64_t k = 0; k < n * (n + 2 * width); ++k)
      if (!isfinite(own[k])) return LMC_NO_CONVERGENCE;
    if (!sparse_invert(own, terms + (int64_t)p.start[pivot], n, p.kind[pivot] == 1)) return LMC_NO_CONVERGENCE;
    for (int64_t i = 0; i < width; ++i) { /* lower d^-1 */
      double row[64];
      for (int64_t j = 0; j < n; ++j) {
        double x = 0;
        for (int64_t k = 0; k < n; ++k) x += lower[i * n + k] * own[k * n + j];
        row[j] = x;
      }
      for (int64_t j = 0; j < n; ++j) lower[i * n + j] = row[j];
    }
    const int64_t from = (int64_t)p.first[step], to = (int64_t)p.first[step + 1];
    for (int64_t a = from; a < to; ++a) {
      const int64_t i = (int64_t)p.entry[a], m = (int64_t)p.size[i];
      const double *li = lower + n * (int64_t)p.column[a], *ui = upper + n * (int64_t)p.column[a];
      double* d = factors + (int64_t)p.offset[i];
      double* sum = terms + (int64_t)p.start[i];
      for (int64_t k = 0; k < m; ++k) {
        double x = 0;
        for (int64_t l = 0; l < n; ++l) x += li[k * n + l] * ui[l * m + k];
        sum[k] += fabs(x);
      }
      sparse_subtract(d, li, ui, m, n, m);
      double *ownLower = d + m * m, *ownUpper = ownLower + m * (int64_t)p.width[i];
      int64_t q = (int64_t)p.first[(int64_t)p.rank[i]];
      for (int64_t b = a + 1; b < to; ++b) {
        const int64_t j = (int64_t)p.entry[b], s = (int64_t)p.size[j];
        while ((int64_t)p.entry[q] != j) ++q;
        const int64_t at = m * (int64_t)p.column[q];
        sparse_subtract(ownLower + at, lower + n * (int64_t)p.column[b], ui, s, n, m);
        sparse_subtract(ownUpper + at, li, upper + n * (int64_t)p.column[b], m, n, s);
      }
    }
  }
  return LMC_OK;
}

/* y <- a x for the n×n block a (its transpose), x and y apart. */
static void sparse_apply(const double* a, const double* x, double* y, int64_t n, int transposed) {
  for (int64_t i = 0; i < n; ++i) {
    double sum = 0;
    for (int64_t k = 0; k < n; ++k) sum += (transposed ? a[k * n + i] : a[i * n + k]) * x[k];
    y[i] = sum;
  }
}

/* y -= a x, a m×n; y -= a^T x, a n×m. */
static void sparse_reduce(const double* a, const double* x, double* y, int64_t m, int64_t n, int transposed) {
  for (int64_t i = 0; i < m; ++i) {
    double sum = 0;
    for (int64_t k = 0; k < n; ++k) sum += (transposed ? a[k * m + i] : a[i * n + k]) * x[k];
    y[i] -= sum;
  }
}

/* Memory is read in the order in which it stands: what counts for long chains. */
static void sparse_solve_one(const double* plan, const double* factors, double* x, int64_t count, int transposed) {
  const SparsePlan p = sparse_read(plan);
  double own[64];
  int64_t entry = 0;
  for (int64_t k = 0; k < count; ++k) {
    const double* step = p.steps + sparse_step * k;
    const int64_t n = (int64_t)step[step_size], width = (int64_t)step[step_width];
    const double *d = factors + (int64_t)step[step_offset], *lower = d + n * n, *upper = lower + n * width;
    double* mine = x + (int64_t)step[step_start];
    if (transposed) {
      sparse_apply(d, mine, own, n, 1);
      for (int64_t i = 0; i < n; ++i) mine[i] = own[i];
    }
    for (int64_t before = 0; before < width; ++entry) {
      const int64_t next = (int64_t)p.column[entry + 1];
      const int64_t size = (next > before ? next : width) - before;
      sparse_reduce((transposed ? upper : lower) + n * before, mine, x + (int64_t)p.target[entry], size, n, transposed);
      before += size;
    }
  }
  for (int64_t k = count - 1; k >= 0; --k) {
    const double* step = p.steps + sparse_step * k;
    const int64_t n = (int64_t)step[step_size], width = (int64_t)step[step_width];
    const double *d = factors + (int64_t)step[step_offset], *lower = d + n * n, *upper = lower + n * width;
    double* mine = x + (int64_t)step[step_start];
    entry = (int64_t)step[step_first];
    for (int64_t before = 0; before < width; ++entry) {
      const int64_t next = (int64_t)p.column[entry + 1];
      const int64_t size = (next > before ? next : width) - before;
      sparse_reduce((transposed ? lower : upper) + n * before, x + (int64_t)p.target[entry], mine, n, size, transposed);
      before += size;
    }
    if (transposed) continue;
    sparse_apply(d, mine, own, n, 0);
    for (int64_t i = 0; i < n; ++i) mine[i] = own[i];
  }
}

LMC_KERNEL int32_t lmc_sparse_solve(const double* plan, const double* factors, double* x, int64_t count, int64_t rows,
                                    int64_t transposed) {
  const int64_t n = (int64_t)plan[sparse_unknowns];
  for (int64_t r = 0; r < rows; ++r) sparse_solve_one(plan, factors, x + r * n, count, transposed != 0);
  return LMC_OK;
}

// The C interface: tables, ensembles.
#include "api/c/C.h"

namespace lmc::c {
namespace {

v1::Keep keepOf(lmc_keep keep) {
  return static_cast<v1::Keep>(keep);
}

v1::EnsembleSettings ensembleSettingsOf(const lmc_ensemble_settings* s) {
  v1::EnsembleSettings r;
  if (s == nullptr) return r;
  if (s->struct_size < sizeof(std::size_t))
    throw Error(Error::Kind::Misuse, "settings without their struct_size: call lmc_ensemble_settings_init first");
  lmc_ensemble_settings all;
  lmc_ensemble_settings_init(&all);
  std::memcpy(&all, s, std::min(s->struct_size, sizeof all));
  if (all.vary == nullptr && all.vary_count > 0) throw Error(Error::Kind::Misuse, "what varies is NULL");
  for (std::size_t k = 0; k < all.vary_count; ++k) r.vary.emplace_back(given(all.vary[k]));
  r.samples = all.samples;
  r.keep = keepOf(all.keep);
  r.every = all.every;
  r.threads = all.threads;
  r.lanes = all.lanes;
  r.maxSeconds = all.max_seconds;
  if (all.has_seed != 0) r.seed = all.seed;
  if (all.progress != nullptr)
    r.progress = [progress = all.progress, user = all.user](double part) { return progress(part, user) != 0; };
  return r;
}

template <class Make> lmc_status made(const lmc_options* options, lmc_ensemble** out, Make make) noexcept {
  if (out == nullptr) return misuse("there is no place for the result");
  *out = nullptr;
  return guarded([&] {
    auto e = std::make_unique<lmc_ensemble>();
    e->ensemble = make(options != nullptr ? options->options : lmc::Options());
    e->compilation.compilation = std::move(e->ensemble.compilation);
    e->table.columns = std::move(e->ensemble.columns);
    e->table.numbers = std::move(e->ensemble.numbers);
    *out = e.release();
  });
}

} // namespace
} // namespace lmc::c

using namespace lmc::c;

void lmc_table_free(lmc_table* table) {
  delete table;
}
size_t lmc_table_rows(const lmc_table* table) {
  return table->columns.empty() ? 0 : table->numbers.size() / table->columns.size();
}
size_t lmc_table_columns(const lmc_table* table) {
  return table->columns.size();
}
const char* lmc_table_column(const lmc_table* table, size_t i) {
  return i < table->columns.size() ? table->columns[i].c_str() : nullptr;
}
const double* lmc_table_numbers(const lmc_table* table) {
  return table->numbers.data();
}

lmc_status lmc_workspace_tabulate(lmc_workspace* w, const lmc_run_settings* settings, lmc_table** out,
                                  lmc_run_result* result) {
  if (out == nullptr) return lmc::c::misuse("there is no place for the result");
  *out = nullptr;
  const lmc_status status = lmc::c::guarded([&] {
    auto table = std::make_unique<lmc_table>();
    const std::vector<std::string>& columns = w->workspace.model().columns();
    table->columns.assign(1, "t");
    table->columns.insert(table->columns.end(), columns.begin(), columns.end());
    w->last = w->workspace.tabulate(table->numbers, lmc::c::settingsOf(settings));
    *out = table.release();
  });
  if (status != LMC_OK) return status;
  if (result != nullptr) {
    if (const lmc_status given = lmc::c::give(result, lmc::c::resultOf(w->last)); given != LMC_OK) {
      lmc_table_free(*out);
      *out = nullptr;
      return given;
    }
  }
  return lmc::c::failureOf(w->last);
}

void lmc_ensemble_settings_init(lmc_ensemble_settings* settings) {
  if (settings == nullptr) return;
  *settings = {};
  settings->struct_size = sizeof *settings;
}

lmc_status lmc_ensemble_file(const char* path, const lmc_options* options, const lmc_ensemble_settings* settings,
                             lmc_ensemble** out) {
  return lmc::c::made(options, out, [&](const lmc::Options& o) {
    return lmc::ensembleFile(lmc::c::given(path), lmc::c::ensembleSettingsOf(settings), o);
  });
}

lmc_status lmc_ensemble_sources(const lmc_source* sources, size_t count, const lmc_options* options,
                                const lmc_ensemble_settings* settings, lmc_ensemble** out) {
  return lmc::c::made(options, out, [&](const lmc::Options& o) {
    std::vector<lmc::Source> list;
    for (size_t k = 0; sources != nullptr && k < count; ++k)
      list.push_back({lmc::c::given(sources[k].name), lmc::c::given(sources[k].text)});
    return lmc::ensembleSources(list, lmc::c::ensembleSettingsOf(settings), o);
  });
}

lmc_status lmc_ensemble_model(const lmc_model* model, const lmc_ensemble_settings* settings, lmc_ensemble** out) {
  if (model == nullptr) return lmc::c::misuse("an ensemble needs a model");
  return lmc::c::made(nullptr, out, [&](const lmc::Options& /*of the model*/) {
    return lmc::ensemble(model->model, lmc::c::ensembleSettingsOf(settings));
  });
}

void lmc_ensemble_free(lmc_ensemble* e) {
  delete e;
}
const lmc_compilation* lmc_ensemble_compilation(const lmc_ensemble* e) {
  return &e->compilation;
}
const lmc_table* lmc_ensemble_table(const lmc_ensemble* e) {
  return e->ensemble.made ? &e->table : nullptr;
}

lmc_status lmc_ensemble_get_totals(const lmc_ensemble* e, lmc_ensemble_totals* out) {
  lmc_ensemble_totals x = {};
  x.samples = e->ensemble.samples;
  x.failed = e->ensemble.failed;
  x.stopped = e->ensemble.stopped;
  x.first_failure = e->ensemble.firstFailure;
  x.steps = e->ensemble.steps;
  x.rejected = e->ensemble.rejected;
  x.interrupted = e->ensemble.interrupted ? 1 : 0;
  x.seconds = e->ensemble.seconds;
  x.doubtful = e->ensemble.doubtful;
  return lmc::c::give(out, x);
}

#include "products/stages/StageCode.h"

namespace lmc::products {

namespace {

lower::RowPlace placeOf(const runtime::Field& field) {
  return {field.role, field.offset};
}

} // namespace

StageCode::Memory StageCode::place(unit::UnitBuilder& unit, const methods::SharedStages& stages) {
  const auto numbers = [&](const std::string& name, const char* comment) {
    runtime::Field field = unit::numbersField(runtime::Role::Output, name, stages.begin->size());
    field.comment = comment;
    return unit.place(std::move(field));
  };
  Memory m;
  m.begin = numbers("stages.begin", "the state at the begin of a step");
  m.point = numbers("stages.point", "where the stage is evaluated");
  m.rate = numbers("stages.rate", "what the last stage has given");
  for (std::size_t k = 0; k + 1 < stages.c.size(); ++k)
    m.rates.push_back(numbers("stages.k" + std::to_string(k + 1), "what a stage has given"));
  for (std::size_t k = 0; k < stages.ends.size(); ++k) {
    m.ends.push_back(numbers("stages.end" + std::to_string(k + 1), "the sum of all stages"));
    unit.reads(stages.ends[k], m.ends.back());
  }
  unit.reads(stages.point, m.point);
  m.start = unit.function("begin of stages", 2,
                          {{stages.begin, m.begin.role, m.begin.offset}, {stages.begin, m.point.role, m.point.offset}});
  m.evaluate = unit.function("stage", 2, {{stages.rate, m.rate.role, m.rate.offset}});
  return m;
}

int StageCode::add(unit::UnitBuilder& unit, const methods::SharedStages& stages, const std::string& name,
                   const std::vector<std::size_t>& wanted, std::size_t results, unit::UnitBuilder::Outputs outputs) {
  if (!memory_) memory_ = place(unit, stages);
  const Memory& m = *memory_;
  std::vector<lower::PartOfStep> parts = {{m.start, 0, 1}};
  lower::RowSums sums; // of the stages so far, of which the last one is where f has left it
  sums.size = stages.begin->size();
  sums.begin = placeOf(m.begin);
  const auto coefficients = [&](const std::vector<double>& all, std::size_t count) {
    std::vector<double> some;
    for (std::size_t k = 0; k < count; ++k) some.push_back(all[wanted[k]]);
    return some;
  };
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    const std::size_t i = wanted[k];
    if (k > 0) {
      sums.sums = {{coefficients(stages.a[i], k), placeOf(m.point)}};
      sums.copies = {{k - 1, placeOf(m.rates[k - 1])}};
      parts.push_back({unit.rowSums("sum for a stage", sums), 0, 1});
      sums.rows.back() = placeOf(m.rates[k - 1]);
    }
    parts.push_back({m.evaluate, stages.c[i], 1});
    sums.rows.push_back(placeOf(m.rate));
  }
  sums.copies.clear();
  sums.sums.clear();
  for (std::size_t k = 0; k < results; ++k)
    sums.sums.push_back({coefficients(stages.weights[k], wanted.size()), placeOf(m.ends[k])});
  parts.push_back({unit.rowSums("sums for the end", sums), 0, 1});
  parts.push_back({unit.function("end of " + name, 2, std::move(outputs)), 0, 1});
  return unit.callsInOrder(name, std::move(parts));
}

} // namespace lmc::products

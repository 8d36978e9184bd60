#include "study/Verdict.h"

#include "orders/Declared.h"

#include <cmath>

namespace lmc::study {

double tolerance(int order) {
  return order < 6 ? 0.15 : 0.3;
}

bool Verdict::holds() const {
  if (proof.proved() && proof.next.order < std::min(declared, orders::provedLimit - 1)) return false;
  for (const Measured& m : measured) {
    if (m.convergence.asymptotic && *m.convergence.order < declared - tolerance(declared)) return false;
  }
  return true;
}

std::optional<double> Verdict::worst() const {
  std::optional<double> worst;
  for (const Measured& m : measured) {
    const std::optional<double>& order = m.convergence.order;
    if (m.convergence.asymptotic && (!worst || std::abs(*order - declared) > std::abs(*worst - declared)))
      worst = order;
  }
  return worst;
}

Bench::Bench(const PipelineOptions& options, const std::filesystem::path& imports)
    : problems_(problems(options, imports)), plain_(problems(options, {})), references_(plain_.size()) {}

std::vector<Measured> Bench::measure(const std::string& method, Verdict& verdict) {
  std::vector<Measured> list;
  for (std::size_t k = 0; k < problems_.size(); ++k) {
    const Build b = build(problems_[k].subject, method);
    if (!b.problem) continue;
    verdict.evaluations = static_cast<int>(b.problem->evaluationsPerStep);
    verdict.exponentials = static_cast<int>(b.problem->exponentialsPerStep);
    verdict.declared = b.problem->order;
    if (!references_[k]) references_[k] = reference(plain_[k].subject);
    if (!references_[k]) continue;
    list.push_back({b.problem->model, convergence(*b.problem, *references_[k], {})});
  }
  return list;
}

Verdict judge(Compilation& compilation, const Found& method, Bench& bench) {
  Verdict v;
  v.method = method.declaration->name;
  v.declared = orders::declaredOrder(compilation, *method.declaration);
  v.measured = bench.measure(v.method, v);
  const int highest = std::min(std::max(v.declared, 1) + 1, orders::provedLimit);
  v.proof = orders::proveOrder(compilation, method, highest);
  return v;
}

} // namespace lmc::study

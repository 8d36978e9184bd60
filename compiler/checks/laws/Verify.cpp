#include "checks/laws/Verify.h"

#include "checks/laws/ActionLaws.h"
#include "checks/laws/GroupLaws.h"

#include <algorithm>

namespace lmc::laws {

namespace {
constexpr int largestSize = 4;

bool isManifold(const syntax::Declaration& d) {
  return d.kind == syntax::DeclKind::Group || d.kind == syntax::DeclKind::Manifold;
}
} // namespace

std::vector<LawResult> testAll(const std::vector<Law>& laws) {
  std::vector<LawResult> results;
  std::map<std::string, std::string> because; // of laws that do not hold: the law that fails
  std::map<std::string, std::string> blamed;  // clauses, with the law that fails
  for (const Law& law : laws) {
    LawResult r{law, Outcome::NotTested, {}, {}};
    r.law.test = nullptr;
    for (const std::string& need : law.needs) {
      const auto it = because.find(need);
      if (it != because.end() && r.because.empty()) r.because = it->second;
    }
    const auto it = blamed.find(law.clause);
    if (it != blamed.end() && r.because.empty()) r.because = it->second;
    if (r.because.empty()) {
      law.test(r.tests);
      const bool any = r.tests.count() > 0;
      r.outcome = !any ? Outcome::NotTested : r.tests.passed() ? Outcome::Holds : Outcome::Fails;
    }
    if (r.outcome == Outcome::Fails && !law.isAdvice) {
      because.emplace(law.name, law.name);
      blamed.emplace(law.clause, law.name);
    } else if (!r.because.empty()) {
      because.emplace(law.name, r.because);
    }
    results.push_back(std::move(r));
  }
  return results;
}

bool Member::holds() const {
  return obstacle.empty() && std::none_of(laws.begin(), laws.end(), [](const LawResult& r) {
           return r.outcome == Outcome::Fails && !r.law.isAdvice;
         });
}

bool Verification::holds() const {
  return std::all_of(members.begin(), members.end(), [](const Member& m) { return m.holds(); });
}

// --- the sizes of families ------------------------------------------------------------------------------------

/// A second compilation of the same file: what does not fit there leaves no errors in the first one.
struct Verifier::Trial {
  explicit Trial(sema::Compilation& original) : compilation(sema::makeCompilation(original.options())) {
    const SourceId main = original.files().front()->source;
    const Source& text = original.sources()[main];
    compilation->loadText(text.name(), text.text());
  }
  std::unique_ptr<sema::Compilation> compilation;
};

Verifier::Verifier(sema::Compilation& compilation)
    : compilation_(compilation), layer_(compilation.graph().layer()), work_(compilation.graph(), layer_) {}
Verifier::~Verifier() = default;

bool Verifier::fits(const sema::Found& found, const std::vector<int>& sizes) {
  if (!trial_) trial_ = std::make_unique<Trial>(compilation_);
  const auto& original = compilation_.files().front()->declarations;
  const syntax::File& copy = *trial_->compilation->files().front();
  const auto place = static_cast<std::size_t>(found.declaration - original.data());
  const bool good = trial_->compilation->manifold({&copy.declarations.at(place), copy.source}, sizes) != nullptr &&
                    !trial_->compilation->diagnostics().hasErrors();
  if (!good) trial_.reset();
  return good;
}

std::vector<std::vector<int>> Verifier::sizesOf(const sema::Found& found) {
  const std::size_t count = sema::openSizes(*found.declaration).size();
  if (count == 0) return {{}};
  std::vector<std::vector<int>> list;
  std::vector<int> sizes(count, 1);
  for (;;) {
    if (fits(found, sizes)) list.push_back(sizes);
    std::size_t k = count;
    while (k > 0 && sizes[k - 1] == largestSize) sizes[--k] = 1;
    if (k == 0) return list;
    ++sizes[k - 1];
  }
}

// --- members --------------------------------------------------------------------------------------------------

bool Verifier::isOfUser(const sema::DeclaredManifold& m) const {
  const auto& files = compilation_.files();
  const SourceId source = m.declaredAt().source;
  return std::any_of(files.begin(), files.end(), [&](const syntax::File* f) { return f->source == source; });
}

Member Verifier::tested(const sema::DeclaredManifold& m) {
  Member result{&m, {}, {}};
  if (m.isGroup()) {
    Group g(compilation_.graph(), m);
    result.laws = testAll(groupLaws(g));
    return result;
  }
  const sema::DeclaredManifold& group = m.actingGroup();
  if (isOfUser(group) && !member(group).holds()) {
    result.obstacle = "not tested: laws of its group " + group.name() + " fail";
    return result;
  }
  Action action(compilation_.graph(), m);
  std::vector<Law> laws = actionLaws(action);
  for (Law& l : horizontalLaws(action)) laws.push_back(std::move(l));
  result.laws = testAll(laws);
  return result;
}

const Member& Verifier::member(const sema::DeclaredManifold& m) {
  const auto it = members_.find(&m);
  if (it != members_.end()) return it->second;
  return members_.emplace(&m, tested(m)).first->second;
}

std::vector<Verification> Verifier::run() {
  const syntax::File& file = *compilation_.files().front();
  std::vector<Verification> list;
  std::set<const sema::DeclaredManifold*> listed;
  for (const syntax::Declaration& d : file.declarations) {
    if (!isManifold(d)) continue;
    Verification v{{&d, file.source}, {}};
    for (const std::vector<int>& sizes : sizesOf(v.declaration)) {
      const sema::DeclaredManifold* m = compilation_.manifold(v.declaration, sizes);
      if (m == nullptr) continue;
      v.members.push_back(member(*m));
      listed.insert(m);
    }
    list.push_back(std::move(v));
  }
  // Groups of other files, and other sizes, that act on these manifolds and fail.
  for (const auto& [m, tested] : members_) {
    if (listed.contains(m) || tested.holds()) continue;
    list.push_back({{&m->declaration(), m->declaredAt().source}, {tested}});
  }
  return list;
}

std::vector<Verification> Verifier::ofLibrary(const std::vector<const sema::Manifold*>& used, int largest) {
  std::vector<Verification> list;
  std::set<const sema::DeclaredManifold*> listed;
  for (const sema::Manifold* m : used) {
    const auto* declared = dynamic_cast<const sema::DeclaredManifold*>(m);
    if (declared == nullptr || declared->algebraSize() > largest) continue;
    for (const sema::DeclaredManifold* d : {&declared->actingGroup(), declared}) {
      if (isOfUser(*d) || !listed.insert(d).second) continue;
      list.push_back({{&d->declaration(), d->declaredAt().source}, {member(*d)}});
    }
  }
  return list;
}

} // namespace lmc::laws

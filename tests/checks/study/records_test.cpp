// The table of methods is fresh: every method of the library is in it, with its present text, its order proved anew,
// and a sample measured anew. After a change of methods or problems, `./dev orders` makes it again.
#include "acceptance/Tool.h"
#include "checks/orders/Prove.h"
#include "checks/study/Records.h"

#include <gtest/gtest.h>

using namespace lmc::acceptance;
using namespace lmc::products;
using namespace lmc::sema;
using namespace lmc;
using acceptance::readFile;

namespace {

const std::filesystem::path root = LMC_SOURCE_DIR;

struct Library {
  std::unique_ptr<Compilation> compilation;
  std::vector<Found> methods;
  study::Records records = study::readRecords(study::recordFile(root));
  std::string problems = study::problemTexts(root), invariants = study::propertyTexts(root);

  Library() {
    CompilationOptions options;
    options.libraryRoot = root;
    compilation = makeCompilation(std::move(options));
    methods = compilation->libraryDeclarations(syntax::DeclKind::Method);
    for (const Found& f : compilation->libraryDeclarations(syntax::DeclKind::Variational)) methods.push_back(f);
  }
};

const char* const advice = ": run `./dev orders`";

} // namespace

TEST(Records, HaveEveryMethodAsItIs) {
  Library library;
  EXPECT_EQ(library.records.size(), library.methods.size()) << advice;
  for (const Found& method : library.methods) {
    const std::string& name = method.declaration->name;
    ASSERT_TRUE(library.records.contains(name)) << name << advice;
    EXPECT_EQ(library.records.at(name).fingerprint, study::fingerprint(*library.compilation, method, library.problems))
        << name << " was changed" << advice;
    EXPECT_EQ(library.records.at(name).propertyFingerprint,
              study::fingerprint(*library.compilation, method, library.invariants))
        << name << " was changed" << advice;
  }
}

TEST(Records, HoldTheProvedOrders) {
  constexpr int tried = 7; // conditions of higher order take seconds
  Library library;
  for (const Found& method : library.methods) {
    const study::MethodRecord& record = library.records.at(method.declaration->name);
    const int highest = std::min(record.declared + 1, tried);
    const orders::OrderProof proof = orders::proveOrder(*library.compilation, method, highest);
    EXPECT_EQ(std::min(record.proved, tried), proof.proved() ? proof.next.order : 0) << record.name << advice;
    EXPECT_EQ(record.reason, proof.reason) << record.name << advice;
    EXPECT_EQ(record.numerical, proof.proved() && proof.next.numerical) << record.name << advice;
    EXPECT_EQ(record.embedded, proof.embedded ? proof.embedded->order : 0) << record.name << advice;
    if (proof.proved()) {
      EXPECT_EQ(record.proved, std::min(record.declared, orders::provedLimit)) << record.name;
    }
  }
}

TEST(Records, HoldMeasuredOrdersNearTheDeclaredOnes) {
  const Library library;
  for (const auto& [name, record] : library.records) {
    EXPECT_FALSE(record.measured.empty()) << name;
    for (const auto& [problem, order] : record.measured) {
      // From order 10 on less than a factor of ten of steps is between an error of 1e-3 and rounding: no slope settles
      // there. tests/methods measures such orders further, at each of several degrees.
      if (record.declared >= 10) {
        EXPECT_GE(order, 0.85 * record.declared) << name << " on " << problem;
        continue;
      }
      // Of a pair that is made for small errors terms of higher orders show, from above or with the other sign: before
      // rounding hides the leading one, at order 8 by more than one order.
      const double slope = record.embedded > 0 ? 0.05 : 0;
      EXPECT_GE(order, record.declared - study::tolerance(record.declared) - slope) << name << " on " << problem;
      const double above = record.embedded == 0 ? study::tolerance(record.declared) : record.declared < 8 ? 1 : 2.5;
      EXPECT_LE(order, record.declared + above) << name << " on " << problem;
    }
  }
}

TEST(Records, AreWhatIsMeasured) {
  Library library;
  PipelineOptions options;
  options.compilation.libraryRoot = root;
  study::Bench bench(options, {});
  for (const char* name : {"CF2", "RKMK3"}) {
    const study::MethodRecord now =
        study::record(study::judge(*library.compilation, library.compilation->findMethod(name), bench), "");
    const study::MethodRecord& kept = library.records.at(name);
    EXPECT_EQ(now.evaluations, kept.evaluations);
    EXPECT_EQ(now.exponentials, kept.exponentials);
    ASSERT_EQ(now.measured.size(), kept.measured.size());
    for (const auto& [problem, order] : now.measured) EXPECT_NEAR(order, kept.measured.at(problem), 0.01) << problem;
  }
}

// What theory says: the symplectic family of T*G, RATTLE and variational methods keep momentum maps, and are symmetric
// if their formulas are; the implicit midpoint rule in canonical coordinates of the first kind is symmetric, Gauss
// methods of higher order are not; explicit Runge-Kutta methods have none of these properties.
TEST(Records, HoldTheProperties) {
  const Library library;
  const auto expect = [&](const char* name, bool symplectic, bool momentum, bool symmetric, const char* energy) {
    const study::MethodProperties& p = library.records.at(name).properties;
    EXPECT_EQ(p.symplectic, symplectic) << name;
    EXPECT_EQ(p.momentum, momentum) << name;
    EXPECT_EQ(p.timeSymmetric, symmetric) << name;
    EXPECT_EQ(study::energyWord(p), energy) << name;
  };
  for (const char* name :
       {"SLGI", "LSV", "SLGI4", "SLGI6", "RATTLE", "VLV", "DMV", "SAC", "VIMidpoint", "VITrapezoid", "VI4", "VI6"})
    expect(name, true, true, true, "bounded");
  // The verdicts that are published for rigid-body methods; these keep momentum maps, but no symplectic form.
  for (const char* name : {"LIEMID", "PRK", "MCG", "NEW3"}) expect(name, false, true, true, "drift");
  for (const char* name : {"ELN", "TLN"}) expect(name, false, false, true, "drift");
  expect("RKMKGL2", false, false, true, "drift");
  for (const char* name : {"RKMK4", "CF4", "CG3", "RKMK78", "RKMKGL4"}) expect(name, false, false, false, "drift");
}

TEST(Records, PropertiesAreWhatIsMeasured) {
  const Library library;
  PipelineOptions options;
  options.compilation.libraryRoot = root;
  const study::PropertyBench bench(options);
  for (const char* name : {"RKMKGL2", "SLGI"}) {
    const study::MethodProperties now = bench.measure(name), &kept = library.records.at(name).properties;
    EXPECT_EQ(now.symplectic, kept.symplectic) << name;
    EXPECT_EQ(now.momentum, kept.momentum) << name;
    EXPECT_EQ(now.timeSymmetric, kept.timeSymmetric) << name;
  }
}

TEST(Records, ArePrintedAsTheyAreRead) {
  const Library library;
  EXPECT_EQ(study::toText(library.records), readFile(study::recordFile(root)));
  const acceptance::Workspace w;
  const std::string wrong = w.write("orders.json", "{\"methods\": [{}]}").string();
  EXPECT_THROW((void)study::readRecords(wrong), std::runtime_error);
  EXPECT_TRUE(study::readRecords(w.path("nothing.json")).empty());
}

TEST(MethodsPage, IsTheOneOfTheLibrary) {
  const acceptance::Workspace w;
  const acceptance::Outcome outcome = w.lmc({"methods", "--format", "markdown"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, readFile(root / "docs" / "methods.md")) << advice;
  EXPECT_EQ(w.lmc({"methods", "--format", "html"}).status, 2);
}

TEST(MethodsList, ShowsWhatIsKnown) {
  const acceptance::Workspace w;
  const auto row = acceptance::parseJson(w.lmc({"methods", "CG4", "--json"}).out);
  EXPECT_EQ(row.at("proved"), "4 (numerical)");
  EXPECT_EQ(row.at("exponentials"), "15");
  EXPECT_EQ(row.at("symplectic"), "no");
  EXPECT_EQ(row.at("time-symmetric"), "no");
  EXPECT_NEAR(std::stod(row.at("measured").get<std::string>()), 4, 0.15);
  const std::string text = w.lmc({"methods", "CG4"}).out;
  EXPECT_NE(text.find("name  order  proved"), std::string::npos) << text;
  EXPECT_NE(text.find("tableau CG4_tableau {"), std::string::npos);
}

// Keeping what is fresh makes `--measure` fast: nothing is measured again.
TEST(Measure, KeepsWhatIsFresh) {
  const acceptance::Workspace w;
  const acceptance::Outcome outcome = w.lmc({"methods", "--measure"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.out, readFile(study::recordFile(root))) << advice;
  EXPECT_EQ(outcome.err, "");
}

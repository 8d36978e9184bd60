// An ensemble that goes on from its finished blocks gives the same bytes.
#include "Ensembles.h"

#include <fstream>

using namespace lmc::acceptance;

namespace {

const Arguments base = {"--samples", "300", "--time", "0..0.01", "--vary", "m ~ normal(15, 1)"};

Arguments with(Arguments a, const Arguments& more) {
  a.insert(a.end(), more.begin(), more.end());
  return a;
}

void cut(const std::filesystem::path& file, double part) {
  const std::string bytes = readFile(file);
  std::ofstream(file, std::ios::binary | std::ios::trunc)
      << bytes.substr(0, static_cast<std::size_t>(part * static_cast<double>(bytes.size())));
}

} // namespace

TEST(Resumed, GivesTheSameBytes) {
  const Workspace w;
  const std::string file = example("heavy_top");
  for (const char* keep : {"final", "statistics"}) {
    const Arguments all = with(base, {"--keep", keep});
    const std::string whole = ensembleText(w, file, with(all, {"--checkpoint", "c"}));
    ASSERT_FALSE(whole.empty());
    EXPECT_EQ(ensembleText(w, file, with(all, {"--resume", "c"})), whole) << "nothing is left to do";
    cut(w.path("c"), 0.6); // as when the process had ended there, within a block
    EXPECT_EQ(ensembleText(w, file, with(all, {"--resume", "c", "--checkpoint", "c", "--lanes", "4"})), whole);
    EXPECT_EQ(ensembleText(w, file, with(all, {"--resume", "c"})), whole) << "the file is whole again";
  }
}

TEST(Resumed, RefusesWhatIsOfAnotherEnsemble) {
  const Workspace w;
  const std::string file = example("heavy_top");
  ASSERT_FALSE(ensembleText(w, file, with(base, {"--checkpoint", "c"})).empty());
  Arguments call = {"ensemble", file, "--resume", "c", "--samples", "300", "--time", "0..0.01"};
  for (const Arguments& other : {Arguments{"--vary", "m ~ normal(15, 2)"}, Arguments{"--vary", "l ~ normal(15, 1)"},
                                 Arguments{"--vary", "m ~ normal(15, 1)", "--seed", "3"},
                                 Arguments{"--vary", "m ~ normal(15, 1)", "--set", "l=3"},
                                 Arguments{"--vary", "m ~ normal(15, 1)", "--method", "CF4"},
                                 Arguments{"--vary", "m ~ normal(15, 1)", "--keep", "all"}}) {
    const Outcome outcome = w.lmc(with(call, other));
    EXPECT_EQ(outcome.status, 1) << other.back();
    EXPECT_NE(outcome.err.find("LIE0616"), std::string::npos) << outcome.err;
  }
  w.write("d", "no checkpoint\n");
  EXPECT_EQ(w.lmc(with({"ensemble", file, "--resume", "d"}, base)).status, 2);
  EXPECT_EQ(w.lmc(with({"ensemble", file, "--resume", "missing"}, base)).status, 2);
  EXPECT_EQ(w.lmc(with({"ensemble", file, "--checkpoint", "no/such/folder/c"}, base)).status, 3);
}

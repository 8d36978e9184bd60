// Groups with one mistake each: every law is caught, at the clause that is wrong, and what follows from it is not told.
#include "Laws.h"

using namespace lmc::test;

namespace {

/// Rotations of space, with everything that can be given.
const Clauses rotations(
    "group Rot",
    {
        {"element", "element R : mat(3,3);"},
        {"algebra", "algebra w : vec(3);"},
        {"identity", "identity = eye(3);"},
        {"product", "product(A, B) = A*B;"},
        {"inverse", "inverse(A) = transpose(A);"},
        {"bracket", "bracket(u, v) = cross(u, v);"},
        {"Ad", "Ad(A, v) = A*v;"},
        {"c", "fn c(k, w) = stumpff(k, dot(w, w));"},
        {"exp", "exp(w) = eye(3) + c(1, w)*hat(w) + c(2, w)*hat(w)*hat(w);"},
        {"dexp", "dexp(u, v) = v + c(2, u)*cross(u, v) + c(3, u)*cross(u, cross(u, v));"},
        {"dexpinv", "dexpinv(u, v) = v - cross(u, v)/2 + (c(3, u) - 2*c(4, u))/(2*c(2, u))*cross(u, cross(u, v));"},
        {"log", "log(R) = SO(3).log(R);"},
        {"cay", "cay(w) = eye(3) + (4*hat(w) + 2*hat(w)*hat(w))/(4 + dot(w,w));"},
        {"dcay", "dcay(u, v) = (4*v + 2*cross(u, v))/(4 + dot(u,u));"},
        {"dcayinv", "dcayinv(u, v) = v - cross(u, v)/2 + dot(u, v)/4*u;"},
        {"action", "action(A, x) = A*x;"},
        {"random", "random = random(SO(3));"},
        {"holds", "holds transpose(R)*R = eye(3), det(R) = 1;"},
    });

std::vector<Mistake> axioms() {
  return {
      {"Associativity",
       {{"product", "product(A, B) = A*B + B*A - A;"}, {"holds", ""}},
       "LIE0570",
       "product",
       {"Rot: the product is not associative: (A B) C and A (B C) differ by", "the law: (A B) C = A (B C)", "at A = [[",
        "not tested because of this: identity, exp(0), one-parameter groups"}},
      {"Identity",
       {{"identity", "identity = diag(1, -1, -1);"}},
       "LIE0570",
       "identity",
       {"the identity is not neutral: e A and A differ by", "not tested because of this:", "inverse"}},
      {"Inverse",
       {{"inverse", "inverse(A) = A;"}},
       "LIE0570",
       "inverse",
       {"the inverse is not inverse to the product: inverse(A) A and e differ by"}},
      {"HoldsOfTheIdentity",
       {{"holds", "holds transpose(R)*R = eye(3), det(R) = -1;"}},
       "LIE0571",
       "holds transpose(R)*R = eye(3), det(R) = -1;",
       {"the identity does not satisfy `holds`: left - right of `holds` at e is 2 at the identity"}},
      {"HoldsOfExp",
       {{"exp", "exp(w) = eye(3) + hat(w) + hat(w)*hat(w)/2;"}},
       "LIE0571",
       "exp",
       {"exp leaves the group", "at u = [1, 0, 0]", "exp(u) = [["}},
      {"HoldsOfRandom",
       {{"random", "random = 2*random(SO(3));"}},
       "LIE0571",
       "random",
       {"random elements do not satisfy `holds`"}},
      {"ExpOfZero",
       {{"exp", "exp(w) = diag(1, -1, -1)*SO(3).exp(w);"}},
       "LIE0572",
       "exp",
       {"exp(0) is not the identity: exp(0) and e differ by 2 at the identity"}},
      {"OneParameterGroups",
       {{"exp", "exp(w) = SO(3).cay(w);"}},
       "LIE0572",
       "exp",
       {"exp is not the exponential of the group: exp(u) and exp(0.3 u) exp(0.7 u) differ by", "at u = [1, 0, 0]"}},
      {"ExpFarOut",
       {{"exp", "exp(w) = SO(3).exp((1 + 1e-12*dot(w, w)^3)*w);"}},
       "LIE0572",
       "exp",
       {"differ by", "far out", "it holds for small elements"}},
      {"Coordinates",
       {{"exp", "exp(w) = SO(3).exp([w[1], w[2], 0*w[3]]*0);"}},
       "LIE0572",
       "exp",
       {"an element of the algebra moves nothing: exp(s u) does not move as s grows from 0"}},
      {"TooFewEquations",
       {{"holds", "holds det(R) = 1;"}},
       "LIE0579",
       "holds det(R) = 1;",
       {"warning[LIE0579]: Rot: `holds` has too few equations: it leaves 8 directions at the identity, and the group "
        "has 3"}},
  };
}

std::vector<Mistake> smoothness() {
  return {
      {"DividesByTheAngle",
       {{"exp", "exp(w) = eye(3) + sin(norm(w))/norm(w)*hat(w) + (1 - cos(norm(w)))/norm(w)^2*hat(w)*hat(w);"}},
       "LIE0573",
       "exp",
       {"exp is not smooth near the identity: its value is not a number", "at u = [0, 0, 0]", "stumpff(k, dot(w, w))"}},
      {"NormAtZero",
       {{"dexp", "dexp(u, v) = if norm(u) < 0 then v else SO(3).dexp(u, v) + norm(u)^3*zeros(3) + 1e-20*norm(u)*v;"}},
       "LIE0573",
       "dexp",
       {"its derivative is not a number", "norm(w) has no derivative at 0"}},
      {"LosesDigits",
       {{"dexp", "fn a(u) = sqrt(dot(u, u) + 1e-40);\n"
                 "  dexp(u, v) = v + (1 - cos(a(u)))/a(u)^2*cross(u, v) + c(3, u)*cross(u, cross(u, v));"}},
       "LIE0575",
       "dexp",
       {"dexp is not the right-trivialized derivative of exp", "near the identity (1e-8)", "nearly equal numbers"}},
  };
}

std::vector<Mistake> brackets() {
  return {
      {"Bilinear",
       {{"bracket", "bracket(u, v) = norm(u)*cross(u, v) + 0.1*v;"}},
       "LIE0573",
       "bracket",
       {"its derivative is not a number"}},
      {"Linear",
       {{"bracket", "bracket(u, v) = dot(u, u)*cross(u, v);"}},
       "LIE0574",
       "bracket",
       {"the bracket is not bilinear: [2 u - 3 v, w] and 2 [u, w] - 3 [v, w] differ by"}},
      {"Antisymmetric",
       {{"bracket", "bracket(u, v) = [u[2]*v[3], u[3]*v[1], u[1]*v[2]];"}},
       "LIE0574",
       "bracket",
       {"the bracket is not antisymmetric: [u, v] and -[v, u] differ by 1 "}},
      {"Jacobi",
       {{"bracket", "bracket(u, v) = cross(u, v) + (u[1]*v[2] - u[2]*v[1])*e1;"}},
       "LIE0574",
       "bracket",
       {"does not satisfy the Jacobi identity"}},
      {"OfAnotherGroup",
       {{"bracket", "bracket(u, v) = 2*cross(u, v);"}},
       "LIE0574",
       "bracket",
       {"the bracket is not that of the group: bracket(u, v) and [u, v] of the group differ by 1 ", "at v = [0, 1, 0]",
        "bracket(u, v) = [0, 0, 2]", "[u, v] of the group = [0, 0, 1]"}},
      {"OppositeSign",
       {{"bracket", "bracket(u, v) = cross(v, u);"}},
       "LIE0574",
       "bracket",
       {"the bracket has the opposite sign", "whatever the frame of a model"}},
      {"ReversedProduct",
       {{"product", "product(A, B) = B*A;"}, {"action", ""}},
       "LIE0570",
       "product",
       {"the bracket, Ad and dexp do not belong to this product: they are those of the product in reverse order"}},
  };
}

std::vector<Mistake> calculus() {
  return {
      {"Ad", {{"Ad", "Ad(A, v) = v;"}}, "LIE0575", "Ad", {"Ad is not the derivative of conjugation: Ad(A, v) and"}},
      {"AdOfTheInverse",
       {{"Ad", "Ad(A, v) = transpose(A)*v;"}},
       "LIE0575",
       "Ad",
       {"Ad is not a homomorphism", "it is Ad of the inverse of A"}},
      {"Dexp",
       {{"dexp", "dexp(u, v) = v + c(2, u)*cross(u, v) + c(3, u)*cross(u, v);"}},
       "LIE0575",
       "dexp",
       {"dexp is not the right-trivialized derivative of exp: dexp(u, v) and d/ds exp(u + s v) inverse(exp(u)) differ "
        "by"}},
      {"DexpOfTheLeft",
       {{"dexp", "dexp(u, v) = SO(3).dexp(-u, v);"}},
       "LIE0575",
       "dexp",
       {"it is the left-trivialized derivative", "-u in place of u"}},
      {"Dexpinv",
       {{"dexpinv", "dexpinv(u, v) = v - cross(u, v)/2 + cross(u, cross(u, v))/6;"}},
       "LIE0575",
       "dexpinv",
       {"dexpinv is not inverse to the right-trivialized derivative of exp"}},
      {"DexpinvOfTheLeft",
       {{"dexpinv", "dexpinv(u, v) = SO(3).dexpinv(-u, v);"}},
       "LIE0575",
       "dexpinv",
       {"it is the left-trivialized derivative"}},
      {"DexpinvIsASeries",
       {{"dexpinv", "dexpinv(u, v) = v - cross(u, v)/2 + cross(u, cross(u, v))/12;"}},
       "LIE0575",
       "dexpinv",
       {"it holds near 0: perhaps a series that is cut"}},
      {"Log", {{"log", "log(R) = 2*SO(3).log(R);"}}, "LIE0572", "log", {"exp(log(A)) is not A"}},
      {"LogNearTheIdentity",
       {{"log", "fn angle(R) = acos(max(-1, min(1, (trace(R) - 1)/2)));\n  fn axis(R) = vee(R - transpose(R))/2;\n"
                "  log(R) = if dot(axis(R), axis(R)) == 0 then axis(R) else angle(R)/norm(axis(R))*axis(R);"}},
       "LIE0572",
       "log",
       {"differ by", "acos"}},
      {"LogOfAnotherTurn",
       {{"log", "log(R) = if trace(R) > 2.999 then SO(3).log(R) else SO(3).log(R) + 2*pi*normalize(SO(3).log(R));"}},
       "LIE0572",
       "log",
       {"log(exp(u)) is not u: log(exp(u)) and u differ by"}},
      {"ActionFromTheRight",
       {{"action", "action(A, x) = transpose(A)*x;"}},
       "LIE0577",
       "action",
       {"it is not a left action of the group", "it is a right action", "action(inverse(A), x)"}},
  };
}

std::vector<Mistake> retractions() {
  return {
      {"CayOfZero", {{"cay", "cay(w) = SO(3).cay(w + e1);"}}, "LIE0576", "cay", {"cay(0) is not the identity"}},
      {"CayScaled",
       {{"cay", "cay(w) = SO(3).cay(2*w);"}},
       "LIE0576",
       "cay",
       {"cay does not agree with exp to first order: d/ds cay(s v) at 0 and d/ds exp(s v) at 0 differ by 1 "}},
      {"CayHolds",
       {{"cay", "cay(w) = eye(3) + hat(w) + hat(w)*hat(w)/2;"}},
       "LIE0571",
       "cay",
       {"cay leaves the group"}},
      {"CaySymmetric",
       {{"cay", "cay(w) = SO(3).exp(w)*SO(3).exp([dot(w, w), 0, 0]);"}, {"dcay", ""}, {"dcayinv", ""}},
       "LIE0576",
       "cay",
       {"cay(-u) is not the inverse of cay(u)"}},
      {"Dcay",
       {{"dcay", "dcay(u, v) = SO(3).dcay(-u, v);"}},
       "LIE0575",
       "dcay",
       {"dcay is not the right-trivialized derivative of cay", "left-trivialized"}},
      {"Dcayinv",
       {{"dcayinv", "dcayinv(u, v) = v - cross(u, v)/2;"}},
       "LIE0575",
       "dcayinv",
       {"dcayinv is not inverse to the right-trivialized derivative of cay"}},
      {"OwnRetraction",
       {{"first", "fn second(w) = SO(3).exp(w[1]*e1)*SO(3).exp(w[2]*e2)*SO(3).exp(w[3]*e3);\n  fn dsecond(u, v) = v;"}},
       "LIE0575",
       "dsecond",
       {"dsecond is not the right-trivialized derivative of second"}},
      {"NoRetraction",
       {{"first", "fn twice(w) = SO(3).exp(2*w);\n  fn dtwice(u, v) = 2*SO(3).dexp(2*u, v);"}},
       "LIE0576",
       "twice",
       {"twice does not agree with exp to first order"}},
  };
}

class WrongGroup : public testing::TestWithParam<Mistake> {};

} // namespace

TEST(RightGroup, HasNothingToReport) {
  EXPECT_EQ(Lawful(rotations.with()).text(), "");
  // The minimum, and without `holds` and `random`.
  const Clauses::Changes none = {{"Ad", ""},   {"dexp", ""},    {"dexpinv", ""}, {"log", ""},    {"cay", ""},
                                 {"dcay", ""}, {"dcayinv", ""}, {"action", ""},  {"random", ""}, {"holds", ""}};
  EXPECT_EQ(Lawful(rotations.with(none)).text(), "");
}

TEST_P(WrongGroup, IsReportedOnceWhereItIsWrong) {
  expectOneDiagnostic(rotations.with(GetParam().changes), GetParam());
}

const auto named = [](const auto& p) { return std::string(p.param.name); };
INSTANTIATE_TEST_SUITE_P(Axioms, WrongGroup, testing::ValuesIn(axioms()), named);
INSTANTIATE_TEST_SUITE_P(Smoothness, WrongGroup, testing::ValuesIn(smoothness()), named);
INSTANTIATE_TEST_SUITE_P(Brackets, WrongGroup, testing::ValuesIn(brackets()), named);
INSTANTIATE_TEST_SUITE_P(Calculus, WrongGroup, testing::ValuesIn(calculus()), named);
INSTANTIATE_TEST_SUITE_P(Retractions, WrongGroup, testing::ValuesIn(retractions()), named);

/// Two independent mistakes are two errors.
TEST(WrongGroup, IndependentMistakesAreAllReported) {
  const Lawful found(rotations.with({{"Ad", "Ad(A, v) = v;"}, {"dcay", "dcay(u, v) = v;"}}));
  EXPECT_EQ(found.codes(), (std::vector<std::string>{"LIE0575", "LIE0575"})) << found.text();
}

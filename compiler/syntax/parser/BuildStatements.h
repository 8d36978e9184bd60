// Part of Parser.cpp: from the parse tree to the statements of the syntax tree.
#pragma once

#include "syntax/parser/BuildExpressions.h"
#include "syntax/parser/Placement.h"

namespace lmc::syntax {

class StatementBuilder : public ExpressionBuilder, public grammar::LieBaseVisitor {
public:
  using ExpressionBuilder::ExpressionBuilder;

protected:
  using Any = antlrcpp::Any;
  template <class T> using Many = std::vector<T*>;

  StatementPtr statement(LieParser::StatementContext* c) {
    const std::shared_ptr<Statement> outer = std::move(statement_);
    auto built = std::make_shared<Statement>();
    statement_ = built;
    built->range = range(c);
    built->keyword = range(c->getStart());
    c->accept(this);
    statement_ = outer;
    return built;
  }

  Statement& start(StatementKind kind) {
    statement_->kind = kind;
    return *statement_;
  }

  /// The common shape `keyword target : type = value;`, of which a kind has some.
  Any declare(StatementKind kind, LieParser::TargetContext* target, LieParser::TypeContext* type,
              LieParser::ExpressionContext* value) {
    Statement& s = start(kind);
    s.target = this->target(target);
    if (s.target.name.empty()) s.kind = StatementKind::Error;
    s.type = this->type(type);
    if (value != nullptr) s.value = expression(value);
    return {};
  }

  /// `keyword = value;`, or one whose value is required: an Error node stands in where it is missing.
  Any assign(StatementKind kind, LieParser::ExpressionContext* value) {
    start(kind).value = expression(value);
    return {};
  }

  void names(Statement& s, LieParser::NamesContext* c) {
    if (c == nullptr) return;
    s.hasParams = true;
    for (auto* n : c->IDENT()) s.params.push_back(name(n));
  }

  void function(Statement& s, LieParser::FunctionContext* c) {
    s.kind = c->IDENT() == nullptr ? StatementKind::Error : StatementKind::Function;
    if (c->IDENT() != nullptr) s.target = name(c->IDENT());
    names(s, c->names());
    s.value = expression(c->expression());
  }

  void frame(Statement& s, LieParser::FrameContext* c) {
    if (c == nullptr || c->IDENT() == nullptr) return;
    const std::string word = text(c->IDENT());
    s.frameRange = range(c);
    if (word == "body")
      s.frame = Frame::Body;
    else if (word == "space")
      s.frame = Frame::Space;
    else
      diagnostics_
          .error(Code::LIE0022, range(c->IDENT()), "expected `body` or `space` after `in`, found `" + word + "`")
          .suggest("body: left-trivialized; space: right-trivialized");
  }

  template <class C> std::vector<Equation> equations(const Many<C>& list) {
    std::vector<Equation> result;
    for (auto* e : list) result.push_back({expression(e->expression(0)), expression(e->expression(1))});
    return result;
  }

  Any visitFunctionStatement(LieParser::FunctionStatementContext* c) override {
    function(*statement_, c->function());
    return {};
  }
  Any visitLetStatement(LieParser::LetStatementContext* c) override {
    declare(StatementKind::Let, c->target(), c->type(), nullptr);
    statement_->value = expression(c->expression());
    return {};
  }
  Any visitParamStatement(LieParser::ParamStatementContext* c) override {
    declare(StatementKind::Param, c->target(), c->type(), c->expression());
    // A value that could not be read is no missing value.
    if (statement_->value == nullptr && c->exception != nullptr) statement_->value = expression(nullptr);
    return {};
  }
  Any visitInputStatement(LieParser::InputStatementContext* c) override {
    declare(StatementKind::Input, c->target(), c->type(), c->expression());
    if (statement_->value == nullptr && c->exception != nullptr) statement_->value = expression(nullptr);
    return {};
  }

  Any visitConfigStatement(LieParser::ConfigStatementContext* c) override {
    declare(StatementKind::Config, c->target(), c->type(), nullptr);
    statement_->momentum = c->MOMENTUM() != nullptr;
    statement_->secondName = text(c->IDENT());
    statement_->secondRange = range(c->IDENT());
    frame(*statement_, c->frame());
    if (statement_->type == nullptr || statement_->secondName.empty()) statement_->kind = StatementKind::Error;
    return {};
  }
  Any visitStateStatement(LieParser::StateStatementContext* c) override {
    declare(StatementKind::State, c->target(), c->type(), nullptr);
    frame(*statement_, c->frame());
    if (statement_->type == nullptr) statement_->kind = StatementKind::Error;
    return {};
  }

  Any visitLagrangianStatement(LieParser::LagrangianStatementContext* c) override {
    return assign(StatementKind::Lagrangian, c->expression());
  }
  Any visitHamiltonianStatement(LieParser::HamiltonianStatementContext* c) override {
    return assign(StatementKind::Hamiltonian, c->expression());
  }
  Any visitDissipationStatement(LieParser::DissipationStatementContext* c) override {
    return assign(StatementKind::Dissipation, c->expression());
  }

  Any visitForceStatement(LieParser::ForceStatementContext* c) override {
    if (c->ON() != nullptr) return given(StatementKind::ForceOn, c->target(), c->expression(0));
    assign(StatementKind::ForceAt, c->expression(0));
    statement_->second = expression(c->expression(1));
    return {};
  }

  /// `keyword target = value;`
  Any given(StatementKind kind, LieParser::TargetContext* target, LieParser::ExpressionContext* value) {
    declare(kind, target, nullptr, nullptr);
    statement_->value = expression(value);
    return {};
  }
  Any visitFlowStatement(LieParser::FlowStatementContext* c) override {
    return given(StatementKind::Flow, c->target(), c->expression());
  }
  Any visitInitialStatement(LieParser::InitialStatementContext* c) override {
    const auto targets = c->target();
    if (c->ADJUST() == nullptr)
      return given(StatementKind::Initial, targets.empty() ? nullptr : targets.front(), c->expression());
    Statement& s = start(StatementKind::Adjust);
    for (auto* t : targets) s.unknowns.push_back(target(t));
    return {};
  }
  Any visitConstraintStatement(LieParser::ConstraintStatementContext* c) override {
    declare(StatementKind::Constraint, c->target(), nullptr, nullptr);
    if (c->WHEN() != nullptr) statement_->second = expression(c->expression());
    auto* e = c->equation();
    statement_->equations.push_back(
        {expression(e == nullptr ? nullptr : e->expression(0)), expression(e == nullptr ? nullptr : e->expression(1))});
    return {};
  }
  Any visitContactStatement(LieParser::ContactStatementContext* c) override {
    given(StatementKind::Contact, c->target(), c->expression());
    const std::shared_ptr<Statement> own = statement_;
    if (c->shapes() != nullptr) own->body = definitions(c->shapes());
    return {};
  }
  Any visitJointStatement(LieParser::JointStatementContext* c) override {
    const auto values = c->expression();
    const bool conditional = c->WHEN() != nullptr;
    given(StatementKind::Joint, c->target(), values.size() > (conditional ? 1U : 0U) ? values.back() : nullptr);
    if (conditional) statement_->second = expression(values.empty() ? nullptr : values.front());
    return {};
  }
  Any visitObserveStatement(LieParser::ObserveStatementContext* c) override {
    return given(StatementKind::Observe, c->target(), c->expression());
  }
  Any visitEventStatement(LieParser::EventStatementContext* c) override {
    given(StatementKind::Event, c->target(), c->expression());
    statement_->hasBlock = c->block() != nullptr || c->unopened() != nullptr;
    resets(c->block());
    if (c->unopened() != nullptr) withoutBrace(c->unopened());
    return {};
  }
  Any visitEveryStatement(LieParser::EveryStatementContext* c) override {
    assign(StatementKind::Every, c->expression(0));
    if (c->FROM() != nullptr) statement_->second = expression(c->expression(1));
    statement_->hasBlock = true;
    resets(c->block());
    return {};
  }
  Any visitResetStatement(LieParser::ResetStatementContext* c) override { return visit(c->resetting()); }
  Any visitResetting(LieParser::ResettingContext* c) override {
    return given(StatementKind::Reset, c->target(), c->expression());
  }
  /// The block of an event whose `{` is missing.
  void withoutBrace(LieParser::UnopenedContext* c) {
    const std::shared_ptr<Statement> own = statement_;
    const auto all = c->resetting();
    const Range first = all.empty() ? range(c) : range(all.front());
    diagnostics_.error(Code::LIE0011, {first.source, first.begin, first.begin}, "missing `{` before `reset`");
    for (auto* inner : all) {
      auto built = std::make_shared<Statement>();
      statement_ = built;
      built->range = range(inner);
      built->keyword = range(inner->getStart());
      inner->accept(this);
      own->body.push_back(std::move(built));
    }
    statement_ = own;
  }
  Any visitStoredStatement(LieParser::StoredStatementContext* c) override {
    declare(StatementKind::Discrete, c->target(), c->type(), nullptr);
    statement_->value = expression(c->expression());
    return {};
  }
  /// The statements of a block of `event` or `every`.
  void resets(LieParser::BlockContext* c) {
    if (c == nullptr) return;
    const std::shared_ptr<Statement> own = statement_;
    bool astray = false; // where the `}` is missing all that follows stands in the block: one error says so
    for (auto* inner : c->statement()) {
      own->body.push_back(statement(inner));
      if (!astray) astray = !checkInReset(*own->body.back(), diagnostics_);
    }
  }
  Any visitKeepStatement(LieParser::KeepStatementContext* c) override {
    return given(StatementKind::Keep, c->target(), c->expression());
  }
  Any visitNextStatement(LieParser::NextStatementContext* c) override {
    return given(StatementKind::Next, c->target(), c->expression());
  }
  Any visitEmbeddedStatement(LieParser::EmbeddedStatementContext* c) override {
    return given(StatementKind::Embedded, c->target(), c->expression());
  }
  Any visitDefinitionStatement(LieParser::DefinitionStatementContext* c) override {
    given(StatementKind::Definition, c->target(), c->expression());
    names(*statement_, c->names());
    if (c->exception != nullptr && c->ASSIGN() == nullptr) statement_->kind = StatementKind::Error;
    return {};
  }

  Any visitForStatement(LieParser::ForStatementContext* c) override {
    Statement& s = start(StatementKind::For);
    for (auto* b : c->binder()) s.binders.push_back(binder(b));
    if (c->block() == nullptr) return {};
    for (auto* inner : c->block()->statement()) {
      s.body.push_back(statement(inner));
      checkInFor(*s.body.back(), diagnostics_);
    }
    return {};
  }

  Any visitViewStatement(LieParser::ViewStatementContext* c) override {
    Statement& s = start(StatementKind::View);
    if (c->shapes() != nullptr) s.body = definitions(c->shapes());
    return {};
  }
  /// The lines `target = value;` of a block.
  std::vector<StatementPtr> definitions(LieParser::ShapesContext* c) {
    std::vector<StatementPtr> list;
    for (auto* inner : c->shape()) {
      if (inner->exception != nullptr || inner->target() == nullptr) continue;
      auto shape = std::make_shared<Statement>();
      shape->kind = StatementKind::Definition;
      shape->range = range(inner);
      shape->keyword = range(inner->getStart());
      shape->target = target(inner->target());
      shape->value = expression(inner->expression());
      if (!shape->target.name.empty()) list.push_back(std::move(shape));
    }
    return list;
  }

  Any visitViewValueStatement(LieParser::ViewValueStatementContext* c) override {
    return assign(StatementKind::View, c->expression());
  }

  Any visitSimulateStatement(LieParser::SimulateStatementContext* c) override {
    Statement& s = start(StatementKind::Simulate);
    if (c->settings() == nullptr) return {};
    for (auto* setting : c->settings()->setting()) {
      const auto words = setting->IDENT();
      if (words.empty() || setting->exception != nullptr) continue;
      Setting made;
      made.key = text(words.front());
      made.keyRange = range(words.front());
      made.value = expression(setting->expression(0));
      if (setting->RANGE() != nullptr) made.to = expression(setting->expression(1));
      if (words.size() > 1) made.word = text(words[1]);
      checkSetting(made, words.size() > 1 ? range(words[1]) : Range{});
      s.settings.push_back(std::move(made));
    }
    return {};
  }

  void checkSetting(const Setting& s, Range word) {
    if (s.word.empty()) {
      if (s.key == "output")
        diagnostics_.error(Code::LIE0022, s.keyRange, "`output` is followed by `every` or `steps`")
            .suggest("write output every 0.1; or output steps 10;");
      return;
    }
    if (s.key != "output")
      diagnostics_.error(Code::LIE0013, word, "expected `=` after `" + s.key + "`, found `" + s.word + "`");
    else if (s.word != "every" && s.word != "steps")
      diagnostics_.error(Code::LIE0022, word, "expected `every` or `steps` after `output`, found `" + s.word + "`")
          .suggest("write output every 0.1; or output steps 10;");
  }

  Any visitElementStatement(LieParser::ElementStatementContext* c) override {
    typed(StatementKind::Element, c->target(), c->type());
    if (c->VELOCITY() == nullptr) return {};
    statement_->secondName = text(c->IDENT());
    statement_->secondRange = range(c->IDENT());
    if (statement_->secondName.empty()) statement_->kind = StatementKind::Error;
    return {};
  }
  Any visitAlgebraStatement(LieParser::AlgebraStatementContext* c) override {
    return typed(StatementKind::Algebra, c->target(), c->type());
  }
  Any visitPointStatement(LieParser::PointStatementContext* c) override {
    return typed(StatementKind::Point, c->target(), c->type());
  }
  /// `keyword target : type;`
  Any typed(StatementKind kind, LieParser::TargetContext* target, LieParser::TypeContext* type) {
    declare(kind, target, type, nullptr);
    if (statement_->type == nullptr) statement_->kind = StatementKind::Error;
    return {};
  }
  Any visitActingGroupStatement(LieParser::ActingGroupStatementContext* c) override {
    Statement& s = start(StatementKind::ActingGroup);
    s.type = type(c->type());
    if (s.type == nullptr) s.kind = StatementKind::Error;
    return {};
  }
  Any visitHoldsStatement(LieParser::HoldsStatementContext* c) override {
    start(StatementKind::Holds).equations = equations(c->equation());
    return {};
  }

  Any visitSolveStatement(LieParser::SolveStatementContext* c) override {
    Statement& s = start(StatementKind::Solve);
    for (auto* t : c->target()) s.unknowns.push_back(target(t));
    if (!s.unknowns.empty()) s.target = s.unknowns.front();
    auto values = c->expression();
    // In the order of the grammar: starts, tolerance, limit.
    const auto last = [&] {
      ExprPtr e = expression(values.empty() ? nullptr : values.back());
      if (!values.empty()) values.pop_back();
      return e;
    };
    if (c->LIMIT() != nullptr) s.limit = last();
    if (c->TOLERANCE() != nullptr) s.tolerance = last();
    for (auto* v : values) s.starts.push_back(expression(v));
    s.equations = equations(c->equation());
    return {};
  }

  Any visitDiscreteStatement(LieParser::DiscreteStatementContext* c) override {
    const bool isForce = c->FORCE() != nullptr;
    assign(isForce ? StatementKind::ForceOn : StatementKind::Lagrangian, c->expression());
    names(*statement_, c->names());
    if (!isForce) {
      statement_->word = "discrete";
      return {};
    }
    statement_->target = name(c->IDENT());
    statement_->word = text(c->IDENT());
    if (statement_->word != "left" && statement_->word != "right")
      diagnostics_.error(Code::LIE0022, range(c->IDENT()),
                         "expected `left` or `right` after `discrete force`, found `" + statement_->word + "`");
    return {};
  }

  /// `order 5(4);`: the order of the solution and of its error estimate.
  Any visitOrderStatement(LieParser::OrderStatementContext* c) override {
    numbersMayBeCalled_ = true;
    assign(StatementKind::Order, c->expression());
    numbersMayBeCalled_ = false;
    splitOrder(statement_->value, statement_->second);
    return {};
  }

  static void splitOrder(ExprPtr& order, ExprPtr& embedded) {
    if (!order || order->kind != ExprKind::Call || order->args.size() != 2) return;
    const ExprPtr both = order;
    order = both->args[0];
    embedded = both->args[1];
  }

  std::shared_ptr<Statement> statement_;
};

} // namespace lmc::syntax

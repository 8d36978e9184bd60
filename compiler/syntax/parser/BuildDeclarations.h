// Part of Parser.cpp: from the parse tree to the declarations of the syntax tree.
#pragma once

#include "syntax/parser/BuildStatements.h"
#include "syntax/parser/Comments.h"
#include "syntax/parser/Placement.h"

namespace lmc::syntax {

class TreeBuilder : public StatementBuilder {
public:
  using StatementBuilder::StatementBuilder;

  File file(LieParser::FileContext* c) {
    File result;
    result.source = list_.id;
    for (auto* d : c->declaration()) {
      declaration_ = {};
      declaration_.range = range(d);
      declaration_.nameRange = range(d->getStart());
      d->accept(this);
      declaration_.doc = docAbove(list_, declaration_.range.begin);
      result.declarations.push_back(std::move(declaration_));
    }
    return result;
  }

private:
  // ------------------------------------------------------------------------------------------- declarations

  void head(DeclKind kind, Terminal* name) {
    declaration_.kind = name == nullptr ? DeclKind::Error : kind;
    declaration_.name = text(name);
    if (name != nullptr) declaration_.nameRange = range(name);
  }

  void head(DeclKind kind, LieParser::TypeContext* type) {
    declaration_.head = this->type(type);
    declaration_.kind = declaration_.head == nullptr ? DeclKind::Error : kind;
    if (declaration_.head == nullptr) return;
    declaration_.name = declaration_.head->name;
    declaration_.nameRange = declaration_.head->nameRange;
  }

  void parameters(LieParser::ParametersContext* c) {
    if (c == nullptr) return;
    for (auto* p : c->parameter()) {
      if (p->IDENT() == nullptr) continue;
      declaration_.params.push_back(name(p->IDENT()));
      declaration_.paramTypes.push_back(type(p->type()));
      declaration_.paramDefaults.push_back(p->expression() == nullptr ? nullptr : expression(p->expression()));
    }
  }

  void body(LieParser::BlockContext* c) {
    if (c == nullptr) return;
    for (auto* s : c->statement()) {
      StatementPtr built = statement(s);
      checkPlacement(*built, declaration_.kind, diagnostics_);
      declaration_.body.push_back(std::move(built));
    }
  }

  Any visitImportDeclaration(LieParser::ImportDeclarationContext* c) override {
    head(DeclKind::Import, c->STRING());
    declaration_.name = unquoted(c->STRING());
    return {};
  }

  Any visitFunctionDeclaration(LieParser::FunctionDeclarationContext* c) override {
    head(DeclKind::Function, c->function()->IDENT());
    auto s = std::make_shared<Statement>();
    s->range = range(c);
    s->keyword = range(c->getStart());
    function(*s, c->function());
    declaration_.body.push_back(std::move(s));
    return {};
  }

  Any visitModelDeclaration(LieParser::ModelDeclarationContext* c) override {
    head(DeclKind::Model, c->IDENT());
    body(c->block());
    return {};
  }

  Any visitGroupDeclaration(LieParser::GroupDeclarationContext* c) override {
    head(DeclKind::Group, c->type());
    if (c->expression() != nullptr) declaration_.condition = expression(c->expression());
    body(c->block());
    return {};
  }

  Any visitManifoldDeclaration(LieParser::ManifoldDeclarationContext* c) override {
    head(DeclKind::Manifold, c->type());
    if (c->expression() != nullptr) declaration_.condition = expression(c->expression());
    body(c->block());
    return {};
  }

  Any visitMethodDeclaration(LieParser::MethodDeclarationContext* c) override {
    const auto names = c->IDENT();
    head(DeclKind::Method, names.empty() ? nullptr : names.front());
    parameters(c->parameters());
    const auto values = c->expression();
    std::size_t used = 0;
    if (c->ORDER() != nullptr && !values.empty()) orderOf(values[used++]);
    if (c->ON() != nullptr && names.size() > 1) {
      declaration_.kindName = text(names.back());
      declaration_.kindRange = range(names.back());
    }
    if (c->ASSIGN() != nullptr) declaration_.constructor = expression(used < values.size() ? values[used] : nullptr);
    body(c->block());
    return {};
  }

  Any visitVariationalDeclaration(LieParser::VariationalDeclarationContext* c) override {
    head(DeclKind::Variational, c->IDENT());
    parameters(c->parameters());
    if (c->expression() != nullptr) orderOf(c->expression());
    body(c->block());
    return {};
  }

  Any visitTableauDeclaration(LieParser::TableauDeclarationContext* c) override {
    head(DeclKind::Tableau, c->IDENT());
    body(c->block());
    return {};
  }

  Any visitJointDeclaration(LieParser::JointDeclarationContext* c) override {
    head(DeclKind::Joint, c->IDENT());
    parameters(c->parameters());
    body(c->block());
    return {};
  }

  /// The same in the head of a method.
  void orderOf(LieParser::ExpressionContext* c) {
    numbersMayBeCalled_ = true;
    declaration_.order = expression(c);
    numbersMayBeCalled_ = false;
    splitOrder(declaration_.order, declaration_.embeddedOrder);
  }

  Declaration declaration_;
};

} // namespace lmc::syntax

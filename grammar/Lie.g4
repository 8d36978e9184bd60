// The grammar of `.lie` files: models, manifolds and groups, methods (docs/language.md).
//
// Reserved words are tokens of the lexer. All other words that read like keywords are names for the lexer, and
// become the tokens declared below only in their place: the table in compiler/syntax/parser/Contextual.h sits between
// lexer and parser and decides by the neighbouring tokens. So every decision of this grammar needs one token
// (a test checks that the generated parser never predicts), and any such word may be a user's name.
//
// Operators stand in a flat chain; their precedence is one table, compiler/syntax/Operators.h, which the printer
// shares. What the grammar lets through for the sake of a better message is refused by the tree builder: statements
// in the wrong declaration, `(a, b)` without names, comparisons that chain.
grammar Lie;

tokens {
  // starts of declarations
  GROUP, MANIFOLD, METHOD, JOINT,
  // starts of statements
  STATE, LAGRANGIAN, HAMILTONIAN, CONSTRAINT, CONTACT, INSTANCE, FORCE, INPUT, FLOW, EVENT, VIEW, VIEW_VALUE,
  ELEMENT, ALGEBRA, POINT, ACTING, HOLDS,
  SOLVE, KEEP, EMBEDDED, DISCRETE, STORED, RESET, EVERY,
  // inside statements
  ORDER, ON, AT, VELOCITY, MOMENTUM, WHEN, ADJUST, FROM, TOLERANCE, LIMIT,
  // inside expressions
  IN, WHERE, NEXT, REDUCTION,
  BOUND,      // the name before `in a..b`
  COMPOSED    // the `;` of `compose(A; c1, c2)`
}

file : declaration* EOF ;

loneExpression : expression EOF ;

// ---------------------------------------------------------------------------------------------- declarations

declaration
  : IMPORT STRING SEMI                                               # importDeclaration
  | function                                                         # functionDeclaration
  | MODEL IDENT block                                                # modelDeclaration
  | GROUP type (WHERE expression)? block                                                 # groupDeclaration
  | MANIFOLD type (WHERE expression)? block                                              # manifoldDeclaration
  | METHOD IDENT parameters? (ORDER expression)? (ON IDENT)?
      (block | ASSIGN expression SEMI)                               # methodDeclaration
  | VARIATIONAL IDENT parameters? (ORDER expression)? block          # variationalDeclaration
  | TABLEAU IDENT block                                              # tableauDeclaration
  | JOINT IDENT parameters block                                     # jointDeclaration
  ;

parameters : LPAREN (parameter (COMMA parameter)*)? RPAREN ;
parameter  : IDENT (COLON type)? (ASSIGN expression)? ;

block : LBRACE statement* RBRACE ;

function : FN IDENT names ASSIGN expression SEMI ;
names    : LPAREN (IDENT (COMMA IDENT)*)? RPAREN ;

// ------------------------------------------------------------------------------------------------- statements

statement
  // everywhere
  : LET target (COLON type)? ASSIGN expression SEMI                  # letStatement
  | function                                                         # functionStatement
  // models
  | PARAM target (COLON type)? (ASSIGN expression)? SEMI             # paramStatement
  | CONFIG target COLON type (VELOCITY | MOMENTUM) IDENT frame? SEMI # configStatement
  | STATE target COLON type frame? SEMI                              # stateStatement
  | LAGRANGIAN ASSIGN expression SEMI                                # lagrangianStatement
  | HAMILTONIAN ASSIGN expression SEMI                               # hamiltonianStatement
  | CONSTRAINT target (WHEN expression)? COLON equation SEMI          # constraintStatement
  | CONTACT target COLON expression (shapes | SEMI)                  # contactStatement
  | INSTANCE target (WHEN expression)? ASSIGN expression SEMI        # jointStatement
  | FORCE (ON target ASSIGN expression | expression AT expression) SEMI # forceStatement
  | DISSIPATION ASSIGN expression SEMI                               # dissipationStatement
  | INPUT target (COLON type)? (ASSIGN expression)? SEMI             # inputStatement
  | FLOW target ASSIGN expression SEMI                               # flowStatement
  | FOR binder (COMMA binder)* block                                 # forStatement
  | INITIAL (ADJUST target (COMMA target)* | target ASSIGN expression) SEMI # initialStatement
  | OBSERVE target ASSIGN expression SEMI                            # observeStatement
  | EVENT target ASSIGN expression (block | unopened | SEMI)         # eventStatement
  | EVERY expression (FROM expression)? block                        # everyStatement
  | STORED target (COLON type)? ASSIGN expression SEMI               # storedStatement
  // in the blocks of `event` and `every`
  | resetting                                                        # resetStatement
  // models
  | SIMULATE settings                                                # simulateStatement
  | VIEW shapes                                                      # viewStatement
  | VIEW_VALUE ASSIGN expression SEMI                                # viewValueStatement
  // groups and manifolds
  | ELEMENT target COLON type (VELOCITY IDENT)? SEMI                                   # elementStatement
  | ALGEBRA target COLON type SEMI                                   # algebraStatement
  | POINT target COLON type SEMI                                     # pointStatement
  | ACTING type SEMI                                                 # actingGroupStatement
  | HOLDS equation (COMMA equation)* SEMI                            # holdsStatement
  // methods, variational methods, tableaux
  | SOLVE target (COMMA target)* (FROM expression (COMMA expression)*)?
      (TOLERANCE expression)? (LIMIT expression)? COLON
      equation (COMMA equation)* SEMI                                # solveStatement
  | KEEP target FROM expression SEMI                                 # keepStatement
  | NEXT target ASSIGN expression SEMI                               # nextStatement
  | EMBEDDED target ASSIGN expression SEMI                           # embeddedStatement
  | DISCRETE (LAGRANGIAN | FORCE IDENT) names? ASSIGN expression SEMI # discreteStatement
  | ORDER expression SEMI                                            # orderStatement
  // groups, manifolds, methods, tableaux
  | target names? ASSIGN expression SEMI                             # definitionStatement
  ;

resetting : RESET target ASSIGN expression SEMI ;
unopened  : resetting+ RBRACE ;                                       // its '{' is missing

settings : LBRACE setting* RBRACE ;
setting  : IDENT (ASSIGN expression (RANGE expression)? | IDENT expression) SEMI ;

shapes : LBRACE shape* RBRACE ;
shape  : target ASSIGN expression SEMI ;

frame    : IN IDENT ;
equation : expression ASSIGN expression ;
binder   : BOUND IN expression RANGE expression ;

// `q`, `m[N]`, `x[1]`, `x[i in 2..N]`, `mu.w`
target   : IDENT (LBRACKET (binder (COMMA binder)* | expression (COMMA expression)*) RBRACKET)? (DOT IDENT)* ;

// `real`, `vec(3)`, `SO(3)`, `R^(n-1)`, `dual(SE(3))`
type     : IDENT (CARET exponent)? (LPAREN (expression (COMMA expression)*)? RPAREN)? ;
exponent : NUMBER | IDENT | LPAREN expression RPAREN ;

// ------------------------------------------------------------------------------------------------ expressions

expression
  : IF expression THEN expression ELSE expression                    # conditional
  | operand ((CARET | STAR | SLASH | CROSS | CDOT | PLUS | MINUS
      | EQ | NE | LT | LE | GT | GE | AND | OR) operand)*            # chain
  ;

operand : (MINUS | NOT)* primary postfix* ;

primary
  : NUMBER                                                           # number
  | STRING                                                           # string
  | IDENT                                                            # name
  | NEXT IDENT                                                       # nextValue
  | REDUCTION LPAREN binder (COMMA binder)* (WHERE expression)? COLON expression RPAREN # reduction
  | LBRACKET expression (COMMA expression)* RBRACKET                 # list
  | LPAREN argument (COMMA argument)* RPAREN                         # group
  ;

postfix
  : PRIME                                                            # primePostfix
  | LBRACKET expression (COMMA expression)* RBRACKET                 # indexPostfix
  | DOT IDENT                                                        # fieldPostfix
  | arguments                                                        # callPostfix
  ;

// `f(a, b)`, `SLGI(theta = 0.5)`, `compose(VLV; c1, c2)`
arguments : LPAREN (argument ((COMMA | COMPOSED) argument)*)? RPAREN ;
argument  : expression (ASSIGN expression)? ;

// ------------------------------------------------------------------------------------------------ reserved words

MODEL       : 'model' ;
TABLEAU     : 'tableau' ;
VARIATIONAL : 'variational' ;
IMPORT      : 'import' ;
FN          : 'fn' ;
LET         : 'let' ;
PARAM       : 'param' ;
CONFIG      : 'config' ;
DISSIPATION : 'dissipation' ;
INITIAL     : 'initial' ;
OBSERVE     : 'observe' ;
SIMULATE    : 'simulate' ;
FOR         : 'for' ;
IF          : 'if' ;
THEN        : 'then' ;
ELSE        : 'else' ;
AND         : 'and' ;
OR          : 'or' ;
NOT         : 'not' ;

// ---------------------------------------------------------------------------------------------- signs and atoms

LBRACE : '{' ;  RBRACE : '}' ;  LPAREN : '(' ;  RPAREN : ')' ;  LBRACKET : '[' ;  RBRACKET : ']' ;
SEMI : ';' ;  COMMA : ',' ;  COLON : ':' ;  DOT : '.' ;  RANGE : '..' ;  PRIME : '\'' ;
ASSIGN : '=' ;  EQ : '==' ;  NE : '!=' ;  LT : '<' ;  LE : '<=' ;  GT : '>' ;  GE : '>=' ;
PLUS : '+' ;  MINUS : '-' ;  STAR : '*' ;  SLASH : '/' ;  CARET : '^' ;  CROSS : '\u00D7' ;  CDOT : '\u00B7' ;

NUMBER : DIGITS ('.' DIGITS)? ([eE] [+-]? DIGITS)? ;
IDENT  : LETTER (LETTER | [0-9])* ;
STRING : '"' ~["\r\n]* '"' ;

fragment DIGITS : [0-9]+ ;
fragment LETTER : [A-Za-z_\u0391-\u03A1\u03A3-\u03A9\u03B1-\u03C9] ;

SPACE         : [ \t\r\n\f]+ -> skip ;
LINE_COMMENT  : '//' ~[\r\n]* -> channel(HIDDEN) ;
BLOCK_COMMENT : '/*' (~'*' | '*'+ ~[*/])* '*'+ '/' -> channel(HIDDEN) ;

// What other languages write, and what is not finished: each is reported with what was meant.
FOREIGN       : '**' | '&&' | '||' | '!' | ':=' | '+=' | '-=' | '*=' | '/=' | '<>' | '~=' | '%' | '#' ~[\r\n]* | '->' | '=>' ;
OPEN_STRING   : '"' ~["\r\n]* ;
OPEN_COMMENT  : '/*' (~'*' | '*'+ ~[*/])* '*'* ;
OTHER         : . ;

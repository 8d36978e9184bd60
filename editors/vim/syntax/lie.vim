" Colours of .lie files: models, groups and manifolds, methods of lmc.
if exists('b:current_syntax')
  finish
endif

syntax case match
syntax keyword lieDeclaration model tableau variational import fn
syntax keyword lieStatement let param config dissipation initial observe simulate for
syntax keyword lieConditional if then else
syntax keyword lieOperatorWord and or not

" Words that are keywords in their places alone: at the begin of a statement, or behind an expression.
syntax match lieDeclaration /\%(^\|}\)\s*\zs\%(group\|manifold\|method\|joint\)\ze\s\+\h/
syntax match lieStatement /\%(^\|[;{}]\)\s*\zs\%(state\|input\|flow\|event\|every\|reset\|constraint\|contact\|joint\|force\|element\|algebra\|point\|group\|holds\|solve\|keep\|next\|embedded\|discrete\|order\)\ze\s\+[^=[:space:]]/
syntax match lieStatement /\%(^\|[;{}]\)\s*\zs\%(lagrangian\|hamiltonian\)\ze\s*=/
syntax match lieStatement /\%(\<discrete\s\+\)\@<=\%(lagrangian\|force\)\>/
syntax match lieStatement /\%(^\|[;{}]\)\s*\zsview\ze\s*[{=]/
syntax match lieStatement /\%(\<initial\s\+\)\@<=adjust\ze\s\+\h/
syntax match lieStatement /\%(\<force\s\+\)\@<=on\ze\s\+\h/
syntax match lieModifier /\%([])[:alnum:]_']\s\+\)\@<=\%(velocity\|momentum\|in\|where\|at\|when\|on\|order\|from\|tolerance\|limit\)\ze\s\+[^=:[:space:]]/
syntax match lieModifier /^\s*\zs\%(velocity\|momentum\|in\|where\|at\|when\|on\|from\|tolerance\|limit\)\ze\s\+[([:alnum:]_[\]]/
syntax match lieModifier /\<next\ze\s\+\h/
syntax match lieReduction /\<\%(sum\|product\)\ze(\h\w*\s\+in\>/

syntax match lieNumber /\<\d\+\%(\.\d\+\)\?\%([eE][+-]\?\d\+\)\?/
" Of what begins at one place the last one counts: comments come behind signs.
syntax match lieSign /[-+*\/^=<>!×·']\|\.\./
syntax region lieString start=/"/ end=/"/ oneline
syntax keyword lieTodo contained TODO FIXME
syntax match lieComment ://.*$: contains=lieTodo,@Spell
syntax region lieComment start=:/\*: end=:\*/: contains=lieTodo,@Spell
syntax match lieType /:\s*\zs\h\w*\%(\^\w\+\)\?/
syntax keyword lieConstant pi e1 e2 e3 energy

highlight default link lieDeclaration Keyword
highlight default link lieStatement Statement
highlight default link lieConditional Conditional
highlight default link lieOperatorWord Operator
highlight default link lieModifier Keyword
highlight default link lieReduction Function
highlight default link lieNumber Number
highlight default link lieString String
highlight default link lieComment Comment
highlight default link lieTodo Todo
highlight default link lieSign Operator
highlight default link lieType Type
highlight default link lieConstant Constant

let b:current_syntax = 'lie'

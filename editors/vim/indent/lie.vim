" Indentation of .lie files: two blanks a brace; lines that go on stay where they are.
if exists('b:did_indent')
  finish
endif
let b:did_indent = 1

setlocal indentexpr=LieIndent()
setlocal indentkeys=0},o,O,!^F
let b:undo_indent = 'setlocal indentexpr< indentkeys<'

if exists('*LieIndent')
  finish
endif

function! LieIndent() abort
  let l:before = prevnonblank(v:lnum - 1)
  if l:before == 0
    return 0
  endif
  let l:text = substitute(getline(l:before), '//.*$', '', '')
  let l:depth = indent(l:before)
  if l:text =~# '{\s*$'
    let l:depth += shiftwidth()
  endif
  if getline(v:lnum) =~# '^\s*}'
    let l:depth -= shiftwidth()
  endif
  return l:depth < 0 ? 0 : l:depth
endfunction

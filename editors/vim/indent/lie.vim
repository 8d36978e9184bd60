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

let s:skip = 'synIDattr(synID(line("."), col("."), 0), "name") =~# "lieComment\\|lieString"'

" A line without its comments.
function! s:Code(number) abort
  let l:text = getline(a:number)
  if synIDattr(synID(a:number, match(l:text, '\S') + 1, 0), 'name') ==# 'lieComment'
    return ''
  endif
  return substitute(substitute(l:text, '"[^"]*"', '""', 'g'), '//.*$\|/\*.\{-}\*/', '', 'g')
endfunction

" The last line before another one that has more than comments; 0: there is none.
function! s:Before(number) abort
  let l:number = prevnonblank(a:number - 1)
  while l:number > 0 && s:Code(l:number) !~# '\S'
    let l:number = prevnonblank(l:number - 1)
  endwhile
  return l:number
endfunction

function! LieIndent() abort
  let l:line = getline(v:lnum)
  call cursor(v:lnum, 1)
  let l:depth = searchpair('{', '', '}', 'bnrmW', s:skip)
  if l:line =~# '^\s*}'
    return max([0, l:depth - 1]) * shiftwidth()
  endif
  let l:before = s:Before(v:lnum)
  if l:depth == 0 || l:before == 0
    return l:depth * shiftwidth()
  endif
  if l:line !~# '^\s*/[/*]' && s:Code(l:before) !~# '[;{}]\s*$'
    " The statement goes on. What is written already has its place, below a part of the line before.
    if l:line =~# '\S'
      return indent(v:lnum)
    endif
    let l:first = s:Before(l:before)
    return indent(l:before) + (l:first == 0 || s:Code(l:first) =~# '[;{}]\s*$' ? shiftwidth() : 0)
  endif
  " What stands behind a brace on its line has the rest of the body below it.
  let [l:row, l:column] = searchpairpos('{', '', '}', 'bnW', s:skip)
  let l:behind = match(getline(l:row), '\S', l:column)
  if l:behind >= 0 && getline(l:row)[l:behind :] !~# '^/[/*]'
    return strdisplaywidth(strpart(getline(l:row), 0, l:behind))
  endif
  return l:depth * shiftwidth()
endfunction

" Settings for .lie files, and in Neovim the language server of lmc.
if exists('b:did_ftplugin')
  finish
endif
let b:did_ftplugin = 1

setlocal commentstring=//\ %s comments=:// expandtab shiftwidth=2 softtabstop=2
let b:undo_ftplugin = 'setlocal commentstring< comments< expandtab< shiftwidth< softtabstop< formatexpr<'

let s:lmc = get(g:, 'lmc_path', 'lmc')
if !executable(s:lmc)
  if !exists('g:lmc_told')
    let g:lmc_told = 1
    echomsg 'lmc is not on PATH: colours alone. Set g:lmc_path to the program.'
  endif
  finish
endif
" The whole text, since `lmc fmt` takes whole files; one with errors stays as it is.
function! s:Format() abort
  let l:before = getline(1, '$')
  let l:after = systemlist(shellescape(s:lmc) . ' fmt -', l:before)
  if v:shell_error
    echohl ErrorMsg
    echomsg 'The text has errors and stays as it is: ' . get(l:after, 0, 'lmc fmt has failed')
    echohl None
    return
  endif
  if l:after ==# l:before
    return
  endif
  let l:view = winsaveview()
  if len(l:after) < len(l:before)
    silent execute len(l:after) + 1 . ',$delete _'
  endif
  call setline(1, l:after)
  call winrestview(l:view)
endfunction

" For `gq`; while a text is typed Vim breaks lines itself.
function! LieFormat() abort
  if mode() =~# '[iR]'
    return 1
  endif
  call s:Format()
  return 0
endfunction
setlocal formatexpr=LieFormat()

command! -buffer LmcFormat call s:Format()
" In commands `%`, `#` and `!` of a path have a meaning; the 1 takes it away.
command! -buffer -nargs=* LmcRun execute '!' . shellescape(s:lmc, 1) . ' run ' . shellescape(expand('%:p'), 1) . ' <args>'
command! -buffer LmcView execute '!' . shellescape(s:lmc, 1) . ' view ' . shellescape(expand('%:p'), 1) . ' --open'
command! -buffer LmcVerify execute '!' . shellescape(s:lmc, 1) . ' verify ' . shellescape(expand('%:p'), 1)

function! s:Derive() abort
  let l:file = expand('%:p')
  new
  setlocal buftype=nofile bufhidden=wipe noswapfile
  execute 'silent read !' . shellescape(s:lmc, 1) . ' derive ' . shellescape(l:file, 1)
  1delete _
endfunction
command! -buffer LmcDerive call s:Derive()

" Vim has no client of its own. For the plugin vim-lsp:
"   autocmd User lsp_setup call lsp#register_server({'name': 'lmc', 'cmd': ['lmc', 'lsp'], 'allowlist': ['lie']})
" For yegappan/lsp:
"   call LspAddServer([#{name: 'lmc', filetype: 'lie', path: 'lmc', args: ['lsp']}])
if !has('nvim-0.7') || !get(g:, 'lmc_lsp', 1)
  finish
endif

lua << LUA
local buffer = vim.api.nvim_get_current_buf()
local file = vim.api.nvim_buf_get_name(buffer)
_G.lmc_clients = _G.lmc_clients or {}
local path = vim.g.lmc_path or 'lmc'
if file ~= '' then
  local root = vim.fn.fnamemodify(file, ':h')
  local id = _G.lmc_clients.id
  if not id or not vim.lsp.get_client_by_id(id) then
    id = vim.lsp.start_client({
      name = 'lmc',
      cmd = { path, 'lsp' },
      root_dir = root,
      get_language_id = function() return 'lie' end,
      -- The lenses of a model.
      commands = {
        ['lmc.run'] = function() vim.cmd('LmcRun') end,
        ['lmc.view'] = function() vim.cmd('LmcView') end,
        ['lmc.verify'] = function() vim.cmd('LmcVerify') end,
        ['lmc.derive'] = function() vim.cmd('LmcDerive') end,
        ['lmc.explain'] = function(command) vim.cmd('!' .. vim.fn.shellescape(path, true) .. ' explain ' .. command.arguments[1]) end,
      },
    })
    _G.lmc_clients.id = id
  end
  if id then
    vim.lsp.buf_attach_client(buffer, id)
    vim.bo[buffer].omnifunc = 'v:lua.vim.lsp.omnifunc'
    local map = function(keys, action) vim.keymap.set('n', keys, action, { buffer = buffer, silent = true }) end
    map('K', vim.lsp.buf.hover)
    map('gd', vim.lsp.buf.definition)
    map('gr', vim.lsp.buf.references)
    map('[d', vim.diagnostic.goto_prev)
    map(']d', vim.diagnostic.goto_next)
    vim.api.nvim_buf_create_user_command(buffer, 'LmcRename', function(o)
      vim.lsp.buf.rename(o.args ~= '' and o.args or nil)
    end, { nargs = '?' })
    vim.api.nvim_buf_create_user_command(buffer, 'LmcFix', function() vim.lsp.buf.code_action() end, {})
  end
end
LUA

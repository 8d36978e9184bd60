-- Run by nvim_test.py inside of Neovim: uses the server as a person's editor does. Prints lines `ok …` or `FAIL …`.
local folder = vim.env.LMC_TEST_FOLDER

local function say(good, what)
  io.stdout:write((good and 'ok ' or 'FAIL ') .. what .. '\n')
end

local function wait(what, ready)
  local good = vim.wait(20000, ready, 20)
  say(good, what)
  return good
end

local function place(word, number)
  local at, row = 0, 0
  for k, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
    local from = 1
    while true do
      local found = line:find(word, from, true)
      if not found then break end
      at = at + 1
      if at == (number or 1) then
        vim.api.nvim_win_set_cursor(0, { k, found - 1 })
        return
      end
      from = found + 1
    end
    row = k
  end
  error('there is no ' .. word .. ' in ' .. row .. ' lines')
end

local function ask(method, params)
  local answers = vim.lsp.buf_request_sync(0, method, params or vim.lsp.util.make_position_params(), 20000)
  for _, answer in pairs(answers or {}) do
    if answer.error then return nil, answer.error.message end
    return answer.result
  end
end

vim.cmd('edit ' .. folder .. '/top.lie')
say(vim.bo.filetype == 'lie', 'the type of the file')
say(vim.bo.commentstring == '// %s', 'how comments are written')
wait('the client is attached', function() return #vim.lsp.buf_get_clients(0) == 1 end)
wait('the server answers', function() return vim.lsp.buf_get_clients(0)[next(vim.lsp.buf_get_clients(0))].initialized end)
ask('lmc/settle', {})
say(#vim.diagnostic.get(0) == 0, 'no messages about a good model')

place('R*chi', 1)
local hover = ask('textDocument/hover')
say(hover and hover.contents.value:find('dimension 3', 1, true) ~= nil, 'hover tells the dimension')
say(hover and hover.contents.value:find("J*Ω' = ", 1, true) ~= nil, 'hover tells the derived equation')

-- Behind a Greek name on its line: places are units of UTF-16, which Neovim converts from bytes.
place('J*Ω', 1)
local declared = ask('textDocument/definition')
say(declared and declared.range.start.line == 4, 'definition behind a Greek letter')
place('RKMK4', 1)
declared = ask('textDocument/definition')
say(declared and declared.uri:find('rkmk.lie', 1, true) ~= nil, 'definition in the library')

place('tip', 1)
vim.lsp.buf.rename('gipfel')
wait('rename changes the text', function()
  return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n'):find('height(gipfel)', 1, true) ~= nil
end)

-- A mistake, its message, its fix.
place('m*height', 1)
vim.cmd('normal! cwmm')
wait('a message while typing', function()
  ask('lmc/settle', {})
  return #vim.diagnostic.get(0) >= 1
end)
local message = vim.diagnostic.get(0)[1]
say(message and message.code == 'LIE0100', 'its code')
local range = vim.lsp.util.make_range_params()
range.context = { diagnostics = {} }
local actions = ask('textDocument/codeAction', range)
say(actions and #actions >= 1, 'what can be done about it')
vim.cmd('silent undo')

place('RKMK4', 1)
vim.cmd('normal! ciwRK')
local items = ask('textDocument/completion')
local methods = {}
for _, item in ipairs(items and items.items or {}) do methods[item.label] = true end
say(methods.RKMK4 and not methods.chi, 'completion of methods')
vim.cmd('silent undo')

vim.cmd('normal! ggO// first\n\n\n\n')
vim.api.nvim_buf_set_lines(0, 2, 2, false, { '   fn  f( x )=x*2 ;' })
vim.lsp.buf.formatting_sync(nil, 20000)
local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
say(text:find('\nfn f(x) = x*2;\n', 1, true) ~= nil, 'formatting')
say(#(ask('textDocument/documentSymbol', { textDocument = vim.lsp.util.make_text_document_params() }) or {}) == 2, 'outline')
say(vim.fn.synIDattr(vim.fn.synID(vim.fn.search('^model'), 1, 0), 'name') == 'lieDeclaration', 'colours')

-- Words are painted where the lexer has words, and nowhere else, in all models, libraries and methods.
local painted = { lieDeclaration = true, lieStatement = true, lieConditional = true, lieOperatorWord = true, lieModifier = true,
                  lieReduction = true }
local words, bad = 0, {}
local function missed(file, row, byte, name)
  table.insert(bad, vim.fn.fnamemodify(file, ':t') .. ':' .. row .. ':' .. byte .. ' ' .. name)
end
local moved = {}
for _, file in ipairs(vim.fn.split(vim.env.LMC_MODELS, '\n')) do
  vim.cmd('silent edit! ' .. file)
  if file:find('/examples/', 1, true) then -- indenting what is in order changes nothing
    local before = vim.api.nvim_buf_get_lines(0, 0, -1, false)
    vim.cmd('silent normal! gg=G')
    if not vim.deep_equal(before, vim.api.nvim_buf_get_lines(0, 0, -1, false)) then table.insert(moved, file) end
    vim.cmd('silent edit!')
  end
  vim.wait(20000, function() return #vim.lsp.buf_get_clients(0) == 1 end, 5)
  local data = ask('textDocument/semanticTokens/full', { textDocument = vim.lsp.util.make_text_document_params() }).data
  local row, column, is_word = 0, 0, {}
  for k = 1, #data, 5 do
    column = data[k] == 0 and column + data[k + 1] or data[k + 1]
    row = row + data[k]
    if data[k + 3] == 0 then
      words = words + 1
      local line = vim.fn.getline(row + 1)
      for byte = vim.str_byteindex(line, column, true), vim.str_byteindex(line, column + data[k + 2], true) - 1 do
        is_word[row * 10000 + byte] = true
      end
    end
  end
  for number, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
    for byte = 0, #line - 1 do
      local name = vim.fn.synIDattr(vim.fn.synID(number, byte + 1, 0), 'name')
      if (is_word[(number - 1) * 10000 + byte] or false) ~= (painted[name] or false) then missed(file, number, byte + 1, name) end
    end
  end
end
say(words > 2000 and #bad == 0, words .. ' words are painted; not: ' .. table.concat(bad, ', ', 1, math.min(#bad, 20)))
say(#moved == 0, 'indentation of the examples ' .. table.concat(moved, ', '))
vim.cmd('silent edit! ' .. folder .. '/typed.lie')
vim.api.nvim_feedkeys('imodel M {\nparam a = 1; // {\nlet b = 1\n+ 2\n+ 3;\nfor i in 1..2 {\nforce on q[i] = 1;\n}\n}\nfn f(x) = x;\27', 'tx', false)
local typed = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
say(typed == 'model M {\n  param a = 1; // {\n  let b = 1\n    + 2\n    + 3;\n  for i in 1..2 {\n    force on q[i] = 1;\n  }\n}\nfn f(x) = x;',
    'indentation while typing')
-- The commands of Vim itself: formatting takes the whole text, and leaves one with errors alone.
vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'fn f( x )=x*2 ;', '', '', 'fn g(x) = f( x );' })
vim.cmd('silent normal! Ggqq')
local formatted = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
say(formatted == 'fn f(x) = x*2;\n\nfn g(x) = f(x);', 'formatting by gq')
vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'fn f( x )=x*2 ;', 'fn g(' })
pcall(vim.cmd, 'silent LmcFormat')
say(table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n') == 'fn f( x )=x*2 ;\nfn g(', 'a text with errors stays as it is')
-- In commands `%` and `#` are names of files, and `!` is the last command.
local odd = folder .. "/it's 1#2%3!.lie"
vim.fn.writefile({ 'model Odd { config x : R velocity v; lagrangian = 0.5*v^2; initial v = 1; }' }, odd)
vim.cmd('silent edit! ' .. vim.fn.fnameescape(odd))
pcall(vim.cmd, 'silent LmcDerive')
say(vim.api.nvim_buf_get_lines(0, 0, 2, false)[2] == 'model Odd' or vim.api.nvim_buf_get_lines(0, 0, 1, false)[1] == 'model Odd',
    'a path with signs that commands replace')
vim.cmd('silent! bwipeout!')
vim.cmd('silent edit! ' .. folder .. '/top.lie')

-- What a person sees.
vim.cmd('set columns=100 lines=40')
place('Ω;', 1)
io.stdout:write(table.concat(vim.lsp.util.convert_input_to_markdown_lines(ask('textDocument/hover').contents), '\n') .. '\n')
vim.cmd('qall!')

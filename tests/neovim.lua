-- Drives a headless Neovim with the plugin: see tests/neovim.rs. Says "all is well", or what is not, and ends.
local function finish(said)
  io.stderr:write(said .. "\n")
  vim.cmd(said == "all is well" and "qall!" or "cquit")
end

local function wait(what, fits)
  if not vim.wait(60000, fits, 20) then
    finish("no " .. what)
  end
end

local function request(method, line, column)
  local params = {
    textDocument = { uri = vim.uri_from_bufnr(0) },
    position = { line = line, character = column },
  }
  local answers = vim.lsp.buf_request_sync(0, method, params, 60000) or {}
  for _, answer in pairs(answers) do
    return answer.result
  end
end

local function place(word, nth)
  for number, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
    local at = line:find(word, 1, true)
    if at then
      nth = nth - 1
      if nth == 0 then
        return number - 1, at - 1
      end
    end
  end
  finish("no " .. word)
end

local function main()
  vim.opt.runtimepath:append(vim.env.PLUGIN)
  vim.g.ape_command = { vim.env.APE, "lsp" }
  vim.cmd("runtime! ftdetect/l.lua")
  vim.cmd("filetype plugin on")
  vim.cmd("syntax on")
  vim.cmd("edit")
  if vim.bo.filetype ~= "l" then
    return finish("the type is " .. vim.bo.filetype)
  end
  wait("client", function()
    return not vim.tbl_isempty(vim.lsp.buf_get_clients(0))
  end)
  -- A mistake comes, and goes when it is undone.
  local last = vim.api.nvim_buf_line_count(0)
  vim.api.nvim_buf_set_lines(0, last, last, false, { "procedure broken() { x = 1; }" })
  wait("mistake", function()
    local found = vim.diagnostic.get(0)
    return #found == 1 and found[1].lnum == last and found[1].message:find(":=", 1, true) ~= nil
  end)
  vim.api.nvim_buf_set_lines(0, last, last + 1, false, {})
  wait("end of the mistake", function()
    return #vim.diagnostic.get(0) == 0
  end)
  -- A call leads to its procedure, and that to the one in the other version.
  local line, column = place("swap(", 2)
  local found = request("textDocument/definition", line, column) or {}
  local declared = place("procedure swap", 1)
  if not found[1] or found[1].range.start.line ~= declared then
    return finish("the definition is " .. vim.inspect(found))
  end
  found = request("textDocument/implementation", declared, 10) or {}
  local other = place("procedure swap", 2)
  if not found[1] or found[1].range.start.line ~= other then
    return finish("the counterpart is " .. vim.inspect(found))
  end
  -- The verdict arrives.
  wait("verdict", function()
    local lenses = request("textDocument/codeLens", 0, 0) or {}
    local proved = 0
    for _, lens in ipairs(lenses) do
      proved = proved + (lens.command.title:find("^equivalent: ") and 1 or 0)
    end
    return proved >= 2 and proved == #lenses
  end)
  finish("all is well")
end

local ok, wrong = pcall(main)
if not ok then
  finish(tostring(wrong))
end

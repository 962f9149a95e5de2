vim.bo.commentstring = "// %s"
vim.bo.shiftwidth = 2
vim.bo.expandtab = true
-- A name may hold a prime.
vim.opt_local.iskeyword:append("'")
-- Colours by the tree, where its parser was compiled.
if vim.treesitter.start and #vim.api.nvim_get_runtime_file("parser/l.so", false) > 0 then
  pcall(vim.treesitter.start)
end
require("ape").start(vim.api.nvim_get_current_buf())

vim.bo.commentstring = "// %s"
vim.bo.shiftwidth = 2
vim.bo.expandtab = true
-- A name may hold a prime.
vim.opt_local.iskeyword:append("'")
require("ape").start(vim.api.nvim_get_current_buf())

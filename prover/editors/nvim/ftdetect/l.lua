-- Neovim takes these files for input of lex otherwise.
vim.api.nvim_create_autocmd({ "BufRead", "BufNewFile" }, {
  pattern = "*.l",
  callback = function()
    vim.bo.filetype = "l"
  end,
})

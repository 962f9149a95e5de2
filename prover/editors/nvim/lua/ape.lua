-- Starts `ape lsp`, once for all files.
local ape = {}

local function options(command)
  return {
    name = "ape",
    cmd = command,
    root_dir = vim.fn.getcwd(),
    handlers = {
      -- Verdicts have changed: read them again where there is a window.
      ["workspace/codeLens/refresh"] = function()
        vim.schedule(ape.lenses)
        return vim.NIL
      end,
    },
    capabilities = ape.capabilities(),
  }
end

function ape.capabilities()
  local capabilities = vim.lsp.protocol.make_client_capabilities()
  capabilities.workspace = capabilities.workspace or {}
  capabilities.workspace.codeLens = { refreshSupport = true }
  return capabilities
end

-- Reads the verdicts of the current file again.
function ape.lenses()
  if vim.bo.filetype == "l" then
    pcall(vim.lsp.codelens.refresh)
  end
end

function ape.start(buffer)
  local command = vim.g.ape_command or { "ape", "lsp" }
  if vim.fn.executable(command[1]) == 0 then
    return
  end
  if vim.lsp.start then
    vim.lsp.start(options(command), { bufnr = buffer })
    return
  end
  ape.client = ape.client or vim.lsp.start_client(options(command))
  if ape.client then
    vim.lsp.buf_attach_client(buffer, ape.client)
  end
end

return ape

// Starts `ape lsp` for files of L, and ends it with the window.
const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

function activate() {
  const settings = workspace.getConfiguration("ape");
  const run = { command: settings.get("path"), args: ["lsp", ...settings.get("arguments")] };
  const options = {
    documentSelector: [{ language: "l" }],
    // The other version of a program may be a file that is not open.
    synchronize: { fileEvents: workspace.createFileSystemWatcher("**/*.l") },
  };
  client = new LanguageClient("ape", "ape", { run, debug: run }, options);
  return client.start();
}

function deactivate() {
  return client && client.stop();
}

module.exports = { activate, deactivate };

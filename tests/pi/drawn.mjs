// How the terminal draws calls of tools that stand for Pi's own, beside these: node drawn.mjs EXTENSION

import {
  createAgentSession,
  DefaultResourceLoader,
  initTheme,
  SessionManager,
  ToolExecutionComponent,
} from "@earendil-works/pi-coding-agent";

const CALLS = {
  bash: { command: "echo hi" },
  edit: { path: "a.txt", edits: [{ oldText: "a", newText: "b" }] },
  find: { pattern: "*.rs" },
  grep: { pattern: "needle", path: "src" },
  powershell: { command: "Get-Date" },
  read: { path: "a.txt", offset: 2 },
  write: { path: "a.txt", content: "text" },
};

const cwd = process.cwd();
const agentDir = process.env.PI_CODING_AGENT_DIR;

async function definitions(additionalExtensionPaths) {
  const resourceLoader = new DefaultResourceLoader({
    cwd,
    agentDir,
    noSkills: true,
    noPromptTemplates: true,
    noContextFiles: true,
    additionalExtensionPaths,
  });
  await resourceLoader.reload();
  const { session } = await createAgentSession({ cwd, agentDir, resourceLoader, sessionManager: SessionManager.inMemory() });
  await session.bindExtensions({});
  const found = Object.fromEntries(Object.keys(CALLS).map((name) => [name, session.getToolDefinition(name)]));
  session.dispose();
  return found;
}

function draw(name, definition) {
  const component = new ToolExecutionComponent(name, "call", CALLS[name], {}, definition, { requestRender() {} }, cwd);
  component.markExecutionStarted();
  component.setArgsComplete();
  component.updateResult({ content: [{ type: "text", text: "the result" }], details: {}, isError: false }, false);
  return component.render(80);
}

initTheme("dark");
const own = await definitions([]);
const standing = await definitions([process.argv[2]]);
const drawn = Object.keys(CALLS).map((name) => {
  if (own[name].description === standing[name].description) throw new Error(`nothing stands for ${name}`);
  return [name, { own: draw(name, own[name]), standing: draw(name, standing[name]) }];
});
console.log(JSON.stringify(Object.fromEntries(drawn)));
process.exit(0);

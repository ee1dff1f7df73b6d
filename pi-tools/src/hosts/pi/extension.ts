// Brings the tools of one pi-tools bundle into Pi.
//
// The bundle executable writes this file out with its own path in `EXECUTABLE`. `manifest` prints what its tools are;
// `serve` runs them and speaks JSON-RPC 2.0 with this file over its standard input and output, one object per line.

import { type ChildProcessWithoutNullStreams, execFile, execFileSync, spawn } from "node:child_process";
import { appendFile, existsSync, realpathSync, statSync } from "node:fs";
import type { Socket } from "node:net";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { promisify, stripVTControlCharacters } from "node:util";
import { validateToolArguments } from "@earendil-works/pi-ai";
import type { ToolCall } from "@earendil-works/pi-ai";
import {
  createBashToolDefinition,
  createEditToolDefinition,
  createFindToolDefinition,
  createGrepToolDefinition,
  createLsToolDefinition,
  createPowerShellToolDefinition,
  createReadToolDefinition,
  createWriteToolDefinition,
  ExtensionEditorComponent,
  withFileMutationQueue,
} from "@earendil-works/pi-coding-agent";
import type { AgentToolResult, AgentToolUpdateCallback, SourceInfo, ToolDefinition } from "@earendil-works/pi-coding-agent";
import type { ExtensionAPI, ExtensionContext, ExtensionToolContext, SessionEntry } from "@earendil-works/pi-coding-agent";
import type { SessionManager } from "@earendil-works/pi-coding-agent";
import type { Theme, ThemeStyle, ToolRenderers } from "@earendil-works/pi-coding-agent";
import { type Component, Text } from "@earendil-works/pi-tui";

const EXECUTABLE: string = "__PI_TOOLS_EXECUTABLE__";
/** And with the policy that it was told. */
const SERVE: string[] = ["serve"];
/** And what to do when this file and the executable do not fit any more. */
const MEND: string = "__PI_TOOLS_MEND__";

const PROTOCOL_VERSION = 1;
const MANIFEST_TIMEOUT_MS = 10_000;
const MANIFEST_MAX_BYTES = 64 * 1024 * 1024;
/** Pi waits for it, and does nothing else. It takes a few milliseconds. */
const PREPARE_TIMEOUT_MS = 5_000;
const START_TIMEOUT_MS = 10_000;
/** A bundle answers a cancelled call within 750 ms, whatever the tool does. Silence after this means it is stuck. */
const CANCEL_GRACE_MS = 1_200;
/** How long a call is waited for without sleeping. A small one takes less, and to be woken would take as long again. */
const AWAKE_MS = 0.2;
/** How long an answer that a process wrote before it died may take to arrive. */
const DRAIN_MS = 250;
/** How long a thread that goes on after its call keeps its files. Pi's own tools cannot be aborted while they wait. */
const LOCK_GRACE_MS = 5_000;
const TERMINATE_AFTER_MS = 1_000;
const KILL_AFTER_MS = 2_000;
const MAX_LINE_BYTES = 256 * 1024 * 1024;
const OUTPUT_TAIL_BYTES = 2_048;
/** Of a value in a line, as Pi shows those of tools that it does not know. */
const MAX_VALUE_LETTERS = 100;
/** Each update is drawn. More of them than this nobody sees. */
const UPDATE_INTERVAL_MS = 50;
/** Built-in tools that Pi offers to no model unless it is told to. */
const RARE_BUILTINS = ["find", "grep", "ls", "powershell"];

type JsonObject = Record<string, unknown>;
type Level = "info" | "warning" | "error";
type Settings = Partial<ReturnType<ExtensionAPI["getSettings"]>>;
/** Each built-in has types of its own. */
type AnyDefinition = ToolDefinition<any, any, any>;

interface Manifest {
  name: string;
  tools: ManifestTool[];
  entryRenderers: { customType: string; template: Segment[] }[];
}

/** Pi's own fields, passed on as they are, and four of ours. */
interface ManifestTool extends Omit<ToolDefinition, "execute"> {
  /** Whether it stands for a built-in tool of the same name. */
  overrides?: boolean;
  /** The keys of `details` that hold session state. */
  state?: string[];
  prepare?: Preparation;
  render?: Rendering;
}

/** How calls and results are drawn; what is left out, Pi draws. */
interface Rendering {
  call?: Segment[];
  result?: Segment[];
  /** How many lines of a result are seen until it is expanded, and whether they are the last. */
  lines: number;
  tail: boolean;
}

/** A text, or the place of a value. */
interface Segment {
  text?: string;
  path?: string[];
  style: ThemeStyle;
}

type Definition = Omit<ManifestTool, "overrides" | "state" | "prepare" | "render">;

interface Preparation {
  /** Whether the executable does it, with what is below as well. */
  custom?: boolean;
  renames?: { from: string; to: string }[];
  values?: { property: string; from: unknown; to: unknown }[];
}

interface Call {
  tool: string;
  callId: string;
  /** Whether the executable has prepared the arguments, and must not do it again. */
  prepared: boolean;
  /** The built-in tool that this one stands for. */
  original(): AnyDefinition | undefined;
  signal: AbortSignal | undefined;
  onUpdate: AgentToolUpdateCallback<unknown> | undefined;
  ctx: ExtensionToolContext;
}

/** A call that the tools process has not answered. */
interface OpenCall extends Call, PromiseWithResolvers<unknown> {
  /** What the tool asks of Pi. It ends with the call. */
  requests: Map<unknown, AbortController>;
  /** The newest update, which waits because the one before it was just told. */
  update?: AgentToolResult<unknown> | undefined;
  updateTimer?: NodeJS.Timeout | undefined;
}

interface FileLock {
  id: number;
  call: OpenCall;
  requestId: unknown;
  release(): void;
}

/** What a session is for the tools: their states, what extensions and tools have appended, and which one it is. */
interface SessionState {
  states: JsonObject;
  entries: { customType: string; data: unknown }[];
  session: SessionInfo;
}

interface SessionInfo {
  id: string;
  file: string | undefined;
  name: string | undefined;
}

/** The ids of the calls that have a file, by its path. All bundles of this Pi share it, each with an extension like this. */
const fileHolders: Map<string, string> = ((globalThis as { piToolsFileHolders?: Map<string, string> }).piToolsFileHolders ??= new Map());
/** Pi's tools that wait for the file of their `path`. */
const CHANGES_A_FILE = ["edit", "write"];

/** What this file uses of Pi. */
type Host = Pick<
  ExtensionAPI,
  | "appendEntry"
  | "getActiveTools"
  | "getAllTools"
  | "getSettings"
  | "on"
  | "registerEntryRenderer"
  | "registerTool"
  | "registerToolRenderer"
  | "setActiveTools"
>;

export default async function extension(pi: Host): Promise<void> {
  const registered = new Set<string>();
  let bundle = EXECUTABLE;
  let stateKeys: string[] = [];
  let running: ToolsProcess | undefined;
  let strayPrintTold = false;

  const reading = readManifest();
  // Pi draws a session that takes the place of another before it starts it. What is wrong is told when that starts.
  await reading.then(registerRenderers).catch(() => {});

  // Pi exits if a factory throws or two of them register one name. Here a problem is only a notice, and the tools
  // still reach the first request.
  pi.on("session_start", async (event, ctx) => {
    try {
      const manifest = await reading;
      bundle = manifest.name;
      stateKeys = manifest.tools.flatMap((tool) => tool.state ?? []);
      registerTools(manifest.tools, event.reason, ctx);
    } catch (error) {
      tell(ctx, `No tools from ${EXECUTABLE}: ${errorText(error)}`, "error");
    }
    running?.sendState(event.reason, currentState(ctx));
  });

  pi.on("session_tree", (_event, ctx) => running?.sendState("tree", currentState(ctx)));
  // The states stay: a call that runs goes on with them.
  pi.on("session_info_changed", (_event, ctx) => running?.sendInfo(sessionInfo(ctx)));

  pi.on("session_shutdown", () => {
    running?.shutdown();
    running = undefined;
  });

  function registerTools(tools: ManifestTool[], reason: string, ctx: ExtensionContext): void {
    const { cwd } = ctx;
    const owners = new Map(pi.getAllTools().map((tool) => [tool.name, tool.sourceInfo]));
    const refused = new Map<string, string[]>();
    for (const { state: _, overrides = false, prepare, render, ...definition } of tools) {
      const tool = definition.name;
      const problem = registered.has(tool) ? undefined : collision(tool, overrides, owners.get(tool));
      if (problem) {
        refused.set(problem, [...(refused.get(problem) ?? []), tool]);
        continue;
      }
      const prepared = prepare?.custom ?? false;
      const original = () => (overrides ? builtinDefinition(tool, cwd, pi.getSettings()) : undefined);
      pi.registerTool({
        ...(overrides && builtinLook(tool, cwd)),
        ...definition,
        ...(prepare && { prepareArguments: (args: unknown) => prepareArguments(tool, args, prepare) }),
        ...(render && renderers(render, prepare)),
        execute: (callId, params, signal, onUpdate, ctx) =>
          execute({ tool, callId, prepared, original, signal, onUpdate, ctx }, params),
      });
      // A reload leaves the user's choice.
      if (reason !== "reload" && !registered.has(tool)) offer(definition, overrides);
      registered.add(tool);
    }
    const notice = [...refused].map(([problem, tools]) => `${tools.join(", ")}: ${problem}`).join("\n");
    if (notice) tellOnce(ctx, `${bundle}: not registered:\n${notice}`, "error");
  }

  /**
   * Makes a tool active where Pi has not: when it read which tools the user wants it knew none of these, and a built-in
   * that it offers to nobody stays so under the same name.
   */
  function offer({ name, exposure = "direct", defaultActive = true }: Definition, overrides: boolean): void {
    const isDeclared = defaultActive && ["direct", "model-only"].includes(exposure);
    const isOffered = (overrides && isDeclared && RARE_BUILTINS.includes(name)) || isAskedFor(name, pi.getSettings());
    const active = pi.getActiveTools();
    if (isOffered && !active.includes(name)) pi.setActiveTools([...active, name]);
  }

  function registerRenderers({ tools, entryRenderers }: Manifest): void {
    const drawn = new Map(tools.map(({ name, render, prepare }) => [name, render && renderers(render, prepare)]));
    pi.registerToolRenderer((name, next) => next() ?? drawn.get(name));
    for (const { customType, template } of entryRenderers) {
      pi.registerEntryRenderer(customType, ({ data }, { expanded }, theme) => {
        return new Text(paint(fill(template, data, expanded ? whole : inOneLine), theme), 1, 0);
      });
    }
  }

  async function execute(call: Call, params: unknown): Promise<AgentToolResult<unknown>> {
    if (call.signal?.aborted) throw new Error("Operation aborted");
    running ??= startProcess(call.ctx);
    return await running.call(call, params);
  }

  function startProcess(ctx: ExtensionContext): ToolsProcess {
    const started: ToolsProcess = new ToolsProcess(ctx, {
      appendEntry: (customType, data) => pi.appendEntry(customType, data),
      onGone: () => {
        if (running === started) running = undefined;
      },
      onStrayPrint: (ctx, line) => {
        if (strayPrintTold) return;
        strayPrintTold = true;
        tell(ctx, `${bundle} printed to standard output, which is for the protocol: ${line.slice(0, 200)}`, "warning");
      },
    });
    started.sendState("spawn", currentState(ctx));
    return started;
  }

  function currentState(ctx: ExtensionContext): SessionState {
    const branch = ctx.sessionManager.getBranch();
    return { states: latestStates(branch, stateKeys), entries: customEntries(branch), session: sessionInfo(ctx) };
  }
}

/**
 * The same tools for one session of Pi's SDK: `createAgentSession({ customTools: await defineTools() })`. Disposing of
 * them ends their process; otherwise it ends with the program, which does not wait for it.
 *
 * Nobody tells such a session's tools of its events. So its branch is looked at with every message of the model, before
 * the first call of it.
 */
export async function defineTools(): Promise<ToolDefinition[] & Disposable> {
  type Handler = (event: object, ctx: ExtensionContext) => unknown;
  const handlers: Record<string, Handler> = {};
  const tools: ToolDefinition[] = [];
  const problems: string[] = [];
  let session: ExtensionContext["sessionManager"] | undefined;
  let message: string | undefined;

  await extension({
    on: ((event: string, handler: Handler) => (handlers[event] = handler)) as Host["on"],
    registerTool: (tool) => tools.push(tool as unknown as ToolDefinition),
    // A session of the SDK has nobody to look at it.
    registerToolRenderer: () => {},
    registerEntryRenderer: () => {},
    // Nor anything that would be active without being asked for.
    getAllTools: () => [],
    getSettings: () => ({}),
    getActiveTools: () => [],
    setActiveTools: () => {},
    // Only the type says that it cannot be written.
    appendEntry: (type, data) => (session as SessionManager | undefined)?.appendCustomEntry(type, data),
  });
  const ui = { notify: (problem: string) => problems.push(problem) };
  await handlers.session_start?.({ reason: "startup" }, { ui, hasUI: true, cwd: process.cwd() } as unknown as ExtensionContext);
  if (problems.length > 0) throw new Error(problems.join("\n"));

  const follow = (ctx: ExtensionContext) => {
    session = ctx.sessionManager;
    const last = session.getBranch().findLast((entry) => entry.type === "message" && entry.message.role === "assistant");
    if (last?.id !== message) handlers.session_tree?.({}, ctx);
    message = last?.id;
  };
  const followed = tools.map((tool): ToolDefinition => ({
    ...tool,
    execute: (callId, params, signal, onUpdate, ctx) => {
      follow(ctx);
      return tool.execute(callId, params, signal, onUpdate, ctx);
    },
  }));
  const dispose = () => void handlers.session_shutdown?.({}, {} as ExtensionContext);
  return Object.assign(followed, { [Symbol.dispose]: dispose });
}

function sessionInfo({ sessionManager }: ExtensionContext): SessionInfo {
  return { id: sessionManager.getSessionId(), file: sessionManager.getSessionFile(), name: sessionManager.getSessionName() };
}

async function readManifest(): Promise<Manifest> {
  const options = { timeout: MANIFEST_TIMEOUT_MS, killSignal: "SIGKILL", maxBuffer: MANIFEST_MAX_BYTES } as const;
  const { stdout } = await promisify(execFile)(EXECUTABLE, ["manifest"], options).catch((error: unknown) => {
    const { code, killed, signal, stderr } = error as { code?: unknown; killed?: boolean; signal?: string; stderr?: string };
    if (killed && !code) throw new Error(`its manifest took more than ${MANIFEST_TIMEOUT_MS / 1000} s`);
    if (typeof code !== "number" && !signal) throw new Error(startProblem(error));
    throw new Error(withOutput(`its manifest ended with ${ending(code, signal)}`, stderr ?? ""));
  });
  const manifest = parseObject(stdout);
  if (!manifest) throw new Error(`its manifest is not a JSON object but begins with ${JSON.stringify(stdout.slice(0, 100))}`);
  const { protocolVersion, name, tools, entryRenderers = [] } = manifest;
  if (protocolVersion !== PROTOCOL_VERSION) {
    throw new Error(`it speaks protocol version ${protocolVersion}, but this extension ${PROTOCOL_VERSION}: ${MEND}`);
  }
  if (typeof name !== "string" || !Array.isArray(tools) || !tools.every(isManifestTool)) {
    throw new Error("its manifest lacks a name, or one of its tools lacks a name or an object of parameters");
  }
  return { name, tools, entryRenderers: entryRenderers as Manifest["entryRenderers"] };
}

function isManifestTool(tool: unknown): tool is ManifestTool {
  return isObject(tool) && typeof tool.name === "string" && isObject(tool.parameters);
}

/** Why a tool is not registered, if there is a reason: only one can have a name. */
function collision(tool: string, overrides: boolean, owner: SourceInfo | undefined): string | undefined {
  if (!owner || (overrides && owner.source === "builtin")) return undefined;
  if (owner.source === "builtin") {
    return `Pi has a built-in tool of this name. Write overrides = "${tool}" to stand for it, or give the tool another name`;
  }
  const what = overrides ? "stands for Pi's built-in tool already" : "has a tool of this name";
  return `${owner.path} ${what}. Use one of the two${overrides ? "" : ", or give the tool another name"}`;
}

/** Whether `--tools`, or before that the setting `defaultTools`, names it, as `name` or `+name`. */
function isAskedFor(name: string, { defaultTools }: Settings): boolean {
  const flag = process.argv.findLastIndex((argument) => argument === "--tools" || argument === "-t");
  const given = flag >= 0 ? process.argv[flag + 1]?.split(",") : undefined;
  const entries = [...(Array.isArray(defaultTools) ? defaultTools.map(String) : []), ...(given ?? [])];
  const last = entries.findLast((entry) => entry.trim().replace(/^[+-]/, "") === name);
  return last !== undefined && !last.trim().startsWith("-");
}

/** `args` belongs to the transcript: what the model wrote must not be changed in place. */
function prepareArguments(tool: string, args: unknown, preparation: Preparation): unknown {
  return preparation.custom ? prepareInExecutable(tool, args) : withNewNames(args, preparation);
}

function withNewNames(args: unknown, { renames = [], values = [] }: Preparation): unknown {
  if (!isObject(args)) return args;
  let entries = Object.entries(args);
  for (const { from, to } of renames) {
    const superseded = entries.some(([key]) => key === to);
    entries = superseded
      ? entries.filter(([key]) => key !== from)
      : entries.map(([key, value]) => [key === from ? to : key, value]);
  }
  for (const { property, from, to } of values) {
    entries = entries.map(([key, value]) => [key, key === property && value === from ? to : value]);
  }
  return Object.fromEntries(entries);
}

/**
 * Draws calls and results by their templates. What the model has sent and what a session has kept may have any shape, and
 * while the model writes its arguments some are not there yet.
 */
function renderers({ call, result, lines, tail }: Rendering, prepare: Preparation = {}): ToolRenderers {
  return {
    ...(call && {
      renderCall: (args, theme, { expanded }) => {
        return new Text(paint(fill(call, withNewNames(args, prepare), expanded ? whole : inOneLine), theme), 0, 0);
      },
    }),
    ...(result && {
      renderResult: ({ content, details }, { expanded, isPartial }, theme, { isError, keyHint }) => {
        const text = textOf(content);
        const pieces = fill(result, { text, details }, whole);
        const isFilled = pieces.some(({ isValue }) => isValue) || !result.some(({ path }) => path);
        const style: ThemeStyle = { fg: isError ? "error" : isPartial ? "dim" : "toolOutput" };
        const drawn = new Text(paint(isFilled && !isError && !isPartial ? pieces : [{ text, style }], theme), 0, 0);
        if (expanded) return drawn;
        const muted = (text: string) => paint([{ text, style: { fg: "muted" } }], theme);
        return excerpt(drawn, lines, tail, (hidden) => {
          const more = `... (${hidden} ${tail ? "earlier" : "more"} lines, `;
          return `${muted(more)}${keyHint("app.tools.expand", "to expand")}${muted(")")}`;
        });
      },
    }),
  };
}

/** So many lines of a text, as they are when they are wrapped, and how many there are beside. */
function excerpt(text: Text, lines: number, tail: boolean, more: (hidden: number) => string): Component {
  const render = (width: number): readonly string[] => {
    const all = text.render(width);
    const hidden = all.length - lines;
    if (hidden <= 0) return all;
    const hint = new Text(more(hidden), 0, 0).render(width);
    return tail ? [...hint, ...all.slice(hidden)] : [...all.slice(0, lines), ...hint];
  };
  return { render, invalidate: () => text.invalidate() };
}

interface Piece {
  text: string;
  style: ThemeStyle;
  isValue?: boolean;
}

/** A value that is not there goes with the blank in front of it. */
function fill(template: Segment[], values: unknown, show: (value: unknown) => string): Piece[] {
  const pieces: Piece[] = [];
  for (const { text = "", path, style } of template) {
    const before = pieces.at(-1);
    const shown = path ? show(valueAt(values, path)) : before ? text : text.trimStart();
    if (path && !shown && before) before.text = before.text.trimEnd();
    if (shown) pieces.push({ text: shown, style, isValue: path !== undefined });
  }
  return pieces;
}

function valueAt(value: unknown, path: string[]): unknown {
  return path.reduce((at, key) => (isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined), value);
}

function whole(value: unknown): string {
  return printable(textOfValue(value)).trimEnd();
}

function inOneLine(value: unknown): string {
  const text = textOfValue(value).trimStart();
  const beginning = text.slice(0, 10 * MAX_VALUE_LETTERS);
  const letters = [...printable(beginning).replace(/\s+/g, " ").trimEnd()];
  const isCut = letters.length > MAX_VALUE_LETTERS || beginning !== text;
  return `${letters.slice(0, MAX_VALUE_LETTERS).join("")}${isCut ? "…" : ""}`;
}

function textOfValue(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (Array.isArray(value) && !value.some((item) => typeof item === "object")) return value.join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Without what would move the cursor, or paint by itself. */
function printable(text: string): string {
  return stripVTControlCharacters(text).replace(/[^\P{Cc}\t\n]/gu, "");
}

/** Line by line: one that is cut off must not take the end of a colour with it. */
function paint(pieces: Piece[], theme: Theme): string {
  const line = (text: string, style: ThemeStyle): string => {
    try {
      return text && theme.style(text, style);
    } catch {
      // Another version of Pi may lack the colour.
      return text;
    }
  };
  return pieces.map(({ text, style }) => text.split("\n").map((text) => line(text, style)).join("\n")).join("");
}

function textOf(content: unknown): string {
  const blocks = Array.isArray(content) ? content : [];
  return blocks.filter((block) => isObject(block) && block.type === "text").map(({ text }) => whole(text)).join("\n");
}

/** Pi does not wait for a promise here. */
function prepareInExecutable(tool: string, args: unknown): unknown {
  const options = { timeout: PREPARE_TIMEOUT_MS, killSignal: "SIGKILL", maxBuffer: MAX_LINE_BYTES, stdio: "pipe" } as const;
  let answer: JsonObject | undefined;
  try {
    answer = parseObject(execFileSync(EXECUTABLE, ["prepare", tool], { ...options, input: toJson(args) }).toString());
  } catch (error) {
    const { code, status, signal } = error as { code?: unknown; status?: unknown; signal?: unknown };
    const ended = signal ? `ended with signal ${signal}` : `ended with exit code ${status}`;
    const why = code === "ETIMEDOUT" ? `took more than ${PREPARE_TIMEOUT_MS / 1000} s` : (code ?? ended);
    throw new Error(`Tool "${tool}" failed: its arguments could not be prepared: ${EXECUTABLE}: ${why}`);
  }
  if (typeof answer?.error === "string") throw new Error(answer.error);
  if (!answer || !("arguments" in answer)) throw new Error(`Tool "${tool}" failed: ${EXECUTABLE} prepared no arguments`);
  return answer.arguments;
}

/** A built-in tool as Pi makes it. */
function builtinDefinition(tool: string, cwd: string, settings: Settings = {}): AnyDefinition | undefined {
  const { shellCommandPrefix: commandPrefix, images } = settings;
  const shellPath = settings.shellPath?.replace(/^~(?=\/|$)/, homedir());
  switch (tool) {
    case "bash":
      return createBashToolDefinition(cwd, { ...(commandPrefix && { commandPrefix }), ...(shellPath && { shellPath }) });
    case "edit":
      return createEditToolDefinition(cwd);
    case "find":
      return createFindToolDefinition(cwd);
    case "grep":
      return createGrepToolDefinition(cwd);
    case "ls":
      return createLsToolDefinition(cwd);
    case "powershell":
      return createPowerShellToolDefinition(cwd);
    case "read":
      return createReadToolDefinition(cwd, { autoResizeImages: images?.autoResize ?? true });
    case "write":
      return createWriteToolDefinition(cwd);
    default:
      return undefined;
  }
}

/** How a built-in is drawn. In the terminal Pi finds that by name, but for the frame; in HTML not for all of them. */
function builtinLook(tool: string, cwd: string): Partial<AnyDefinition> {
  const { renderShell, renderCall, renderResult } = builtinDefinition(tool, cwd) ?? {};
  return { ...(renderShell && { renderShell }), ...(renderCall && { renderCall }), ...(renderResult && { renderResult }) };
}

/** As Pi calls a tool for the model, but for the hooks of extensions. What fails is an output, too. */
async function executeBuiltin(
  builtin: AnyDefinition,
  { callId, ctx }: Call,
  args: unknown,
  signal: AbortSignal,
  onUpdate: AgentToolUpdateCallback<unknown>,
): Promise<object> {
  try {
    const prepared = (builtin.prepareArguments ? builtin.prepareArguments(args) : args) as ToolCall["arguments"];
    const validated = validateToolArguments(builtin, { type: "toolCall", id: callId, name: builtin.name, arguments: prepared });
    return await builtin.execute(callId, validated, signal, onUpdate, ctx);
  } catch (error) {
    return { content: [{ type: "text", text: errorText(error) }], details: {}, isError: true };
  }
}

/** For each key the last result that has it and is no error: Pi keeps `{}` as the details of a failed call. */
function latestStates(branch: SessionEntry[], keys: string[]): JsonObject {
  const states: JsonObject = {};
  for (const entry of branch) {
    if (entry.type !== "message" || entry.message.role !== "toolResult" || entry.message.isError) continue;
    const details: unknown = entry.message.details;
    if (!isObject(details)) continue;
    for (const key of keys) if (Object.hasOwn(details, key)) states[key] = details[key];
  }
  return states;
}

function customEntries(branch: SessionEntry[]): SessionState["entries"] {
  return branch.filter((entry) => entry.type === "custom").map(({ customType, data }) => ({ customType, data }));
}

interface ToolsProcessEvents {
  appendEntry(customType: string, data: unknown): void;
  /** It takes no more calls, the next one needs another process. Comes before any of its calls fails. */
  onGone(): void;
  onStrayPrint(ctx: ExtensionContext, line: string): void;
}

class ToolsProcess {
  private readonly child: ChildProcessWithoutNullStreams;
  private readonly events: ToolsProcessEvents;
  private readonly calls = new Map<number, OpenCall>();
  private readonly locks = new Set<FileLock>();
  private lastId = 0;
  private awakeUntil = 0;
  private lastLockId = 0;
  private outputTail = Buffer.alloc(0);
  private reason: string | undefined;
  private drain: NodeJS.Timeout | undefined;
  private toldToShutDown = false;
  private readonly starting: NodeJS.Timeout;

  constructor(ctx: ExtensionContext, events: ToolsProcessEvents) {
    const { cwd, mode, hasUI } = ctx;
    const child = spawnBundle(cwd);
    const { stdin, stdout, stderr } = child;
    if (!stdin) {
      // Without file descriptors there are no pipes, and the error still comes as an event.
      child.on("error", () => {});
      throw new Error("the tools process could not be run: too many open files");
    }
    this.child = child;
    this.events = events;
    child.on("error", (error) => this.end(`could not be run: ${startProblem(error, cwd)}`));
    child.on("exit", (code, signal) => {
      this.reason = `ended (${ending(code, signal)}) during the call`;
      this.lose(this.reason);
    });
    child.on("close", () => this.end("ended during the call"));
    const closed = () => this.lose("closed its input or output");
    stdin.on("error", closed);
    stdout.on("error", closed);
    stdout.on("end", closed);
    readLines(
      stdout,
      (line) => this.receive(line),
      () => this.kill(`sent a line of more than ${MAX_LINE_BYTES} bytes`),
    );
    stderr.on("error", () => {});
    stderr.on("data", (chunk: Buffer) => {
      this.keepOutput(chunk);
      log(chunk);
    });
    // Before the first answer there is nothing that a tool could wait for.
    this.starting = setTimeout(() => this.kill(`said nothing for ${START_TIMEOUT_MS / 1000} s`), START_TIMEOUT_MS).unref();
    // A program that embeds Pi must be able to end beside an idle process: disposing of a session emits no event.
    for (const handle of [child, stdin as Socket, stdout as Socket, stderr as Socket]) handle.unref();

    this.request("initialize", { protocolVersion: PROTOCOL_VERSION, host: { name: "pi" }, cwd, mode, hasUI });
  }

  sendState(reason: string, state: SessionState): void {
    this.send({ method: "session/state", params: { reason, ...state } });
  }

  sendInfo(session: SessionInfo): void {
    this.send({ method: "session/info", params: { ...session } });
  }

  async call(call: Call, params: unknown): Promise<AgentToolResult<unknown>> {
    const { tool, callId, prepared, signal } = call;
    const { cwd, mode, hasUI, model } = call.ctx;
    const answer = Promise.withResolvers<unknown>();
    // What earlier calls have printed explains nothing about this one.
    if (this.calls.size === 0) this.outputTail = Buffer.alloc(0);
    const { id: modelId, provider, contextWindow, maxTokens } = model ?? {};
    const known = modelId && { model: { id: modelId, provider, contextWindow, maxTokens } };
    const id = this.request("tools/call", { callId, name: tool, params, prepared, cwd, mode, hasUI, ...known });
    this.calls.set(id, { ...call, ...answer, requests: new Map() });
    (this.child.stdout as Socket).ref();
    this.stayAwake();

    let grace: NodeJS.Timeout | undefined;
    const cancel = () => {
      this.send({ method: "$/cancel", params: { id } });
      // Pi waits for ever for a call that does not settle.
      grace = setTimeout(() => this.kill(`was stopped, because ${tool} did not end when aborted`), CANCEL_GRACE_MS);
    };
    signal?.addEventListener("abort", cancel, { once: true });
    try {
      const result = await answer.promise;
      if (isObject(result) && Array.isArray(result.content)) return result as unknown as AgentToolResult<unknown>;
      throw new Error(`${tool}: the tools process answered with a result that has no content`);
    } finally {
      signal?.removeEventListener("abort", cancel);
      clearTimeout(grace);
    }
  }

  /** The event loop goes round, and does all else that there is to do. */
  private stayAwake(): void {
    const isAwake = this.awakeUntil > 0;
    this.awakeUntil = performance.now() + AWAKE_MS;
    if (isAwake) return;
    const turn = () => {
      if (this.calls.size > 0 && performance.now() < this.awakeUntil) setImmediate(turn);
      else this.awakeUntil = 0;
    };
    setImmediate(turn);
  }

  shutdown(): void {
    if (this.toldToShutDown) return;
    this.toldToShutDown = true;
    this.request("shutdown", {});
    this.child.stdin.end();
    setTimeout(() => this.child.kill("SIGTERM"), TERMINATE_AFTER_MS).unref();
    setTimeout(() => this.child.kill("SIGKILL"), KILL_AFTER_MS).unref();
  }

  private kill(reason: string): void {
    this.events.onGone();
    this.child.kill("SIGKILL");
    this.end(reason);
  }

  /** Nothing can be asked of it any more, but what it had answered before may still be in the pipe. */
  private lose(reason: string): void {
    this.events.onGone();
    if (this.calls.size === 0) this.end(reason);
    else this.drain ??= setTimeout(() => this.end(reason), DRAIN_MS);
  }

  private end(reason: string): void {
    this.events.onGone();
    clearTimeout(this.drain);
    clearTimeout(this.starting);
    // The tail may begin in the middle of a character.
    const output = this.outputTail.toString().replace(/^\uFFFD+/, "");
    const because = withOutput(`the tools process ${this.reason ?? reason}`, output);
    for (const [id, { tool, signal }] of [...this.calls]) {
      this.take(id)?.reject(new Error(signal?.aborted ? "Operation aborted" : `${tool}: ${because}`));
    }
    this.unlock(() => true);
    this.shutdown();
  }

  private receive(line: string): void {
    const message = parseObject(line);
    if (message) clearTimeout(this.starting);
    if (message?.jsonrpc !== "2.0") {
      // A tool has printed it by mistake.
      this.keepOutput(Buffer.from(`${line}\n`));
      const [call] = this.calls.values();
      if (call) this.events.onStrayPrint(call.ctx, line);
    } else if (typeof message.method !== "string") {
      const call = this.take(message.id as number);
      if (isObject(message.error)) call?.reject(new Error(String(message.error.message)));
      else call?.resolve(message.result);
    } else if (message.id === undefined) {
      this.receiveNotification(message.method, isObject(message.params) ? message.params : {});
    } else {
      void this.receiveRequest(message.id, message.method, isObject(message.params) ? message.params : {});
    }
  }

  private receiveNotification(method: string, params: JsonObject): void {
    const call = this.callOf(params);
    const { content, details, message, level, key, text, customType, data, id, lockId } = params;
    try {
      if (method === "tools/update" && call && Array.isArray(content)) return this.receiveUpdate(call, { content, details });
      if (method === "ui/notify" && typeof message === "string") call?.ctx.ui.notify(message, level as Level);
      if (method === "ui/setStatus") call?.ctx.ui.setStatus(String(key), text === null ? undefined : String(text));
      if (method === "session/appendEntry") this.events.appendEntry(String(customType), data);
    } catch {
      // The session was replaced meanwhile. Thrown from here the error would end Pi.
    }
    if (method === "host/unlock") this.unlock((lock) => lock.id === lockId);
    if (method === "$/cancel") {
      for (const { requests } of this.calls.values()) requests.get(id)?.abort();
      // Whoever no longer waits for a lock may have it already.
      this.unlock((lock) => lock.requestId === id);
    }
  }

  /** The first is told at once, and the newest whenever the interval is over. */
  private receiveUpdate(call: OpenCall, update: AgentToolResult<unknown>): void {
    call.update = update;
    if (!call.updateTimer) this.tellUpdate(call);
  }

  private tellUpdate(call: OpenCall): void {
    const { update } = call;
    call.update = undefined;
    call.updateTimer = update && setTimeout(() => this.tellUpdate(call), UPDATE_INTERVAL_MS);
    try {
      if (update) call.onUpdate?.(update);
    } catch {
      // As above.
    }
  }

  /** What a tool asks of Pi ends with its call, with the question, or by itself. */
  private async receiveRequest(id: unknown, method: string, params: JsonObject): Promise<void> {
    const call = this.callOf(params);
    try {
      if (!call) throw new Error(`no such call is running: ${params.callId}`);
      const controller = new AbortController();
      call.requests.set(id, controller);
      const signal = AbortSignal.any([controller.signal, ...(call.signal ? [call.signal] : [])]);
      const result = await this.perform(call, id, method, params, signal).finally(() => call.requests.delete(id));
      this.send({ id, result: result ?? null });
    } catch (error) {
      this.send({ id, error: { code: -32000, message: errorText(error) } });
    }
  }

  private async perform(
    call: OpenCall,
    id: unknown,
    method: string,
    params: JsonObject,
    signal: AbortSignal,
  ): Promise<unknown> {
    const { ctx } = call;
    const title = String(params.title);
    const options = { signal, ...(typeof params.timeoutMs === "number" && { timeout: params.timeoutMs }) };
    // Without a user Pi answers a question with no, which nobody has said.
    if (method.startsWith("ui/") && !ctx.hasUI) return null;
    switch (method) {
      case "ui/confirm": {
        const start = performance.now();
        const confirmed = await ctx.ui.confirm(title, String(params.message), options);
        // A no that nobody has said: it was closed from here, or its time is over. Timers may be a little early.
        const isOver = performance.now() - start > (options.timeout ?? Infinity) - 10;
        return signal.aborted || (isOver && !confirmed) ? null : confirmed;
      }
      case "ui/select":
        return await ctx.ui.select(title, params.options as string[], options);
      case "ui/input":
        return await ctx.ui.input(title, String(params.placeholder), options);
      case "ui/editor":
        return await this.edit(ctx, title, String(params.text), signal);
      case "host/executeTool": {
        refuseToWaitForItself(call, String(params.name), params.arguments);
        const onUpdate = (output: object) => this.send({ method: "host/executeTool/update", params: { id, output } });
        const { result, isError } = await ctx.executeTool(String(params.name), params.arguments, { signal, onUpdate });
        return { ...result, isError };
      }
      case "host/executeBuiltin": {
        const builtin = call.original();
        if (!builtin) throw new Error(`${call.tool} stands for no built-in tool of Pi: write overrides = ".." on it`);
        if (CHANGES_A_FILE.includes(call.tool) && [...this.locks].some((lock) => lock.call === call)) {
          throw new Error(`Pi's own ${call.tool} waits until nobody changes the file, and this call does: leave \`mutates\` out`);
        }
        const onUpdate = (output: object) => this.send({ method: "host/executeTool/update", params: { id, output } });
        return await executeBuiltin(builtin, call, params.arguments, signal, onUpdate);
      }
      case "host/lock":
        return await this.lock(call, id, String(params.path), signal);
      case "session/branch":
        return ctx.sessionManager.getBranch();
      default:
        throw new Error(`this version of the extension does not offer ${method}`);
    }
  }

  /** Pi's own editor cannot be closed from here. */
  private edit({ ui, mode }: ExtensionContext, title: string, text: string, signal: AbortSignal): Promise<string | undefined> {
    if (mode !== "tui") return unlessAborted(ui.editor(title, text), signal);
    return ui.custom<string | undefined>(
      (tui, _theme, keybindings, done) => {
        signal.addEventListener("abort", () => done(undefined), { once: true });
        if (signal.aborted) done(undefined);
        return new ExtensionEditorComponent(tui, keybindings, title, text, done, () => done(undefined));
      },
      { blocked: { kind: "question", message: title } },
    );
  }

  /** Enters Pi's own queue for the file, and stays there. */
  private async lock(call: OpenCall, requestId: unknown, path: string, signal: AbortSignal): Promise<{ lockId: number }> {
    if (isHeldBy((holder) => hasMade(holder, call.callId), path)) {
      throw new Error(`${path} is being changed by the call that made this one, and each would wait for the other`);
    }
    const held = Promise.withResolvers<FileLock>();
    const released = Promise.withResolvers<void>();
    const enter = (): Promise<void> | undefined => {
      if (signal.aborted) return;
      fileHolders.set(path, call.callId);
      const release = () => {
        if (fileHolders.get(path) === call.callId) fileHolders.delete(path);
        released.resolve();
      };
      const lock = { id: ++this.lastLockId, call, requestId, release };
      this.locks.add(lock);
      held.resolve(lock);
      return released.promise;
    };
    // A file that was not there has two names until somebody makes it: the call has it by the other one already.
    const isOwn = isHeldBy((holder) => holder === call.callId, path);
    (isOwn ? Promise.resolve(enter()) : withFileMutationQueue(path, async () => await enter())).catch(held.reject);
    const lock = await unlessAborted(held.promise, signal);
    if (!lock) throw new Error("Operation aborted");
    return { lockId: lock.id };
  }

  private callOf({ callId }: JsonObject): OpenCall | undefined {
    for (const call of this.calls.values()) if (call.callId === callId) return call;
    return undefined;
  }

  private take(id: number): OpenCall | undefined {
    const call = this.calls.get(id);
    if (this.calls.delete(id) && this.calls.size === 0) (this.child.stdout as Socket).unref();
    if (call?.updateTimer) {
      // The newest comes before the result, whatever the interval.
      clearTimeout(call.updateTimer);
      this.tellUpdate(call);
      clearTimeout(call.updateTimer);
    }
    for (const request of call?.requests.values() ?? []) request.abort();
    if (this.locks.size > 0) setTimeout(() => this.unlock((lock) => lock.call === call), LOCK_GRACE_MS).unref();
    return call;
  }

  private unlock(which: (lock: FileLock) => boolean): void {
    for (const lock of [...this.locks].filter(which)) {
      this.locks.delete(lock);
      lock.release();
    }
  }

  private keepOutput(chunk: Buffer): void {
    this.outputTail = Buffer.concat([this.outputTail, chunk]).subarray(-OUTPUT_TAIL_BYTES);
  }

  private request(method: string, params: JsonObject): number {
    const id = ++this.lastId;
    this.send({ id, method, params });
    return id;
  }

  private send(message: JsonObject): void {
    const { stdin } = this.child;
    if (stdin.writable) stdin.write(`${toJson({ jsonrpc: "2.0", ...message })}\n`);
  }
}

/** Splits on LF only, since JSON may contain U+2028, and before decoding, since a chunk may end inside a character. */
function readLines(stream: NodeJS.ReadableStream, onLine: (line: string) => void, onTooLong: () => void): void {
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  stream.on("data", (chunk: Buffer) => {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      if (pendingBytes === 0) onLine(chunk.toString("utf8", start, end));
      else onLine(Buffer.concat([...pending, chunk.subarray(start, end)]).toString());
      pending = [];
      pendingBytes = 0;
      start = end + 1;
    }
    if (start === chunk.length) return;
    pending.push(chunk.subarray(start));
    pendingBytes += chunk.length - start;
    if (pendingBytes > MAX_LINE_BYTES) {
      pending = [];
      pendingBytes = 0;
      onTooLong();
    }
  });
}

/** Of what cannot be told to end, nobody waits for the end. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  const aborted = new Promise<undefined>((resolve) => {
    signal.addEventListener("abort", () => resolve(undefined), { once: true });
    if (signal.aborted) resolve(undefined);
  });
  return Promise.race([promise, aborted]);
}

/** A call that has a file, or that was made by one that has, must not call Pi's tool to change it. */
function refuseToWaitForItself({ callId, ctx }: Call, tool: string, args: unknown): void {
  if (!CHANGES_A_FILE.includes(tool) || !isObject(args) || typeof args.path !== "string") return;
  const path = resolve(ctx.cwd, args.path.replace(/^@/, ""));
  if (isHeldBy((holder) => holder === callId || hasMade(holder, callId), path)) {
    throw new Error(`${tool}: ${path} is being changed by the call that calls it, and each would wait for the other`);
  }
}

function isHeldBy(isHolder: (callId: string) => boolean, path: string): boolean {
  let real = path;
  try {
    real = realpathSync(path);
  } catch {
    // It is not there yet.
  }
  return [path, real].some((name) => isHolder(fileHolders.get(name) ?? ""));
}

/** Pi's ids: the first call that `a` makes is `a/1`. */
function hasMade(maker: string, callId: string): boolean {
  return maker !== "" && callId.startsWith(`${maker}/`);
}

/** Most of what can be wrong comes as an event, the rest is thrown. */
function spawnBundle(cwd: string): ChildProcessWithoutNullStreams {
  try {
    return spawn(EXECUTABLE, SERVE, { cwd });
  } catch (error) {
    throw new Error(`the tools process could not be run: ${startProblem(error, cwd)}`);
  }
}

/** The system's own words name neither what is missing nor what to do. */
function startProblem(error: unknown, cwd?: string): string {
  const { code } = error as { code?: unknown };
  if (code === "ENOENT" && cwd !== undefined && !existsSync(cwd)) return `the working directory ${cwd} does not exist`;
  if (code === "ENOENT" && existsSync(EXECUTABLE)) return `the interpreter that ${EXECUTABLE} names does not exist`;
  if (code === "ENOENT") return `${EXECUTABLE} does not exist: ${MEND}, or put it there and /reload`;
  if (code === "EACCES" && statSync(EXECUTABLE, { throwIfNoEntry: false })?.isDirectory()) return `${EXECUTABLE} is a folder`;
  if (code === "EACCES") return `the file ${EXECUTABLE} is not executable`;
  return errorText(error);
}

function ending(code: unknown, signal: unknown): string {
  return signal ? `signal ${signal}` : `exit code ${code}`;
}

function withOutput(problem: string, output: string): string {
  const tail = output.slice(-OUTPUT_TAIL_BYTES).trimEnd();
  return tail ? `${problem}\n${tail}` : problem;
}

/** What tools print, for whoever looks for a fault of theirs. */
function log(chunk: Buffer): void {
  const file = process.env.PI_TOOLS_LOG;
  // A file that cannot be written is no reason to fail.
  if (file) appendFile(file, chunk, { mode: 0o600 }, () => {});
}

/** With half of a surrogate pair JSON is no text for others. Only such halves are written as escapes. */
function toJson(value: unknown): string {
  const text = JSON.stringify(value);
  return text.includes("\\ud") ? text.replace(/\\(?:\\|ud[89a-f][0-9a-f]{2})/g, (escape) => (escape === "\\\\" ? escape : "\ufffd")) : text;
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A reload evaluates this module again, and a new session begins as the one before. */
function tellOnce(ctx: ExtensionContext, message: string, level: Level): void {
  const surviving = globalThis as { piToolsTold?: Set<string> };
  const told = (surviving.piToolsTold ??= new Set());
  if (told.has(message)) return;
  told.add(message);
  tell(ctx, message, level);
}

/** Without a UI a notice goes to standard error, where somebody may look. */
function tell(ctx: ExtensionContext, message: string, level: Level): void {
  try {
    ctx.ui.notify(message, level);
    if (!ctx.hasUI) process.stderr.write(`${message}\n`);
  } catch {
    // The session was replaced meanwhile.
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

// Brings the tools of one pi-tools bundle into Pi.
//
// The bundle executable writes this file out with its own path in `EXECUTABLE`. `manifest` prints what its tools are;
// `serve` runs them and speaks JSON-RPC 2.0 with this file over its standard input and output, one object per line.

import { type ChildProcessWithoutNullStreams, execFile, execFileSync, spawn } from "node:child_process";
import type { Socket } from "node:net";
import { homedir } from "node:os";
import { promisify } from "node:util";
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
  withFileMutationQueue,
} from "@earendil-works/pi-coding-agent";
import type { AgentToolResult, AgentToolUpdateCallback, SourceInfo, ToolDefinition } from "@earendil-works/pi-coding-agent";
import type { ExtensionAPI, ExtensionContext, ExtensionToolContext, SessionEntry } from "@earendil-works/pi-coding-agent";

const EXECUTABLE: string = "__PI_TOOLS_EXECUTABLE__";
/** And with the policy that it was told. */
const SERVE: string[] = ["serve"];

const PROTOCOL_VERSION = 1;
const MANIFEST_TIMEOUT_MS = 10_000;
const MANIFEST_MAX_BYTES = 64 * 1024 * 1024;
/** Pi waits for it, and does nothing else. It takes a few milliseconds. */
const PREPARE_TIMEOUT_MS = 5_000;
/** A bundle answers a cancelled call within 750 ms, whatever the tool does. Silence after this means it is stuck. */
const CANCEL_GRACE_MS = 1_200;
/** How long an answer that a process wrote before it died may take to arrive. */
const DRAIN_MS = 250;
const TERMINATE_AFTER_MS = 1_000;
const KILL_AFTER_MS = 2_000;
const MAX_LINE_BYTES = 256 * 1024 * 1024;
const OUTPUT_TAIL_BYTES = 2_048;
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
}

/** Pi's own fields, passed on as they are, and three of ours. */
interface ManifestTool extends Omit<ToolDefinition, "execute"> {
  /** Whether it stands for a built-in tool of the same name. */
  overrides?: boolean;
  /** The keys of `details` that hold session state. */
  state?: string[];
  prepare?: Preparation;
}

type Definition = Omit<ManifestTool, "overrides" | "state" | "prepare">;

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
  locks: Set<FileLock>;
}

interface FileLock {
  id: number;
  requestId: unknown;
  release(): void;
}

/** What a session is for the tools: their states, what extensions and tools have appended, and which one it is. */
interface SessionState {
  states: JsonObject;
  entries: { customType: string; data: unknown }[];
  session: { id: string; file: string | undefined; name: string | undefined };
}

export default function (pi: ExtensionAPI): void {
  const registered = new Set<string>();
  let bundle = EXECUTABLE;
  let stateKeys: string[] = [];
  let running: ToolsProcess | undefined;
  let strayPrintTold = false;

  // Pi exits if a factory throws or two of them register one name. Here a problem is only a notice, and the tools
  // still reach the first request.
  pi.on("session_start", async (event, ctx) => {
    try {
      const manifest = await readManifest();
      bundle = manifest.name;
      stateKeys = manifest.tools.flatMap((tool) => tool.state ?? []);
      registerTools(manifest.tools, event.reason, ctx);
    } catch (error) {
      tell(ctx, `No tools from ${EXECUTABLE}: ${errorText(error)}`, "error");
    }
    running?.sendState(event.reason, currentState(ctx));
  });

  pi.on("session_tree", (_event, ctx) => running?.sendState("tree", currentState(ctx)));

  pi.on("session_shutdown", () => {
    running?.shutdown();
    running = undefined;
  });

  function registerTools(tools: ManifestTool[], reason: string, ctx: ExtensionContext): void {
    const { cwd } = ctx;
    const owners = new Map(pi.getAllTools().map((tool) => [tool.name, tool.sourceInfo]));
    const refused: string[] = [];
    for (const { state: _, overrides = false, prepare, ...definition } of tools) {
      const tool = definition.name;
      const problem = registered.has(tool) ? undefined : collision(tool, overrides, owners.get(tool));
      if (problem) {
        refused.push(`${tool}: ${problem}`);
        continue;
      }
      const prepared = prepare?.custom ?? false;
      const original = () => (overrides ? builtinDefinition(tool, cwd, pi.getSettings()) : undefined);
      pi.registerTool({
        ...(overrides && builtinLook(tool, cwd)),
        ...definition,
        ...(prepare && { prepareArguments: (args: unknown) => prepareArguments(tool, args, prepare) }),
        execute: (callId, params, signal, onUpdate, ctx) =>
          execute({ tool, callId, prepared, original, signal, onUpdate, ctx }, params),
      });
      // A reload leaves the user's choice.
      if (reason !== "reload" && !registered.has(tool)) offer(definition, overrides);
      registered.add(tool);
    }
    if (refused.length > 0) tellOnce(ctx, `${bundle}: not registered:\n${refused.join("\n")}`, "error");
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

  function currentState({ sessionManager }: ExtensionContext): SessionState {
    const branch = sessionManager.getBranch();
    const session = { id: sessionManager.getSessionId(), file: sessionManager.getSessionFile(), name: sessionManager.getSessionName() };
    return { states: latestStates(branch, stateKeys), entries: customEntries(branch), session };
  }
}

async function readManifest(): Promise<Manifest> {
  const options = { timeout: MANIFEST_TIMEOUT_MS, killSignal: "SIGKILL", maxBuffer: MANIFEST_MAX_BYTES } as const;
  const { stdout } = await promisify(execFile)(EXECUTABLE, ["manifest"], options).catch((error: unknown) => {
    const { code, killed } = error as { code?: unknown; killed?: boolean };
    if (code === "ENOENT") throw new Error("the file does not exist");
    if (code === "EACCES") throw new Error("the file is not executable");
    if (killed && !code) throw new Error(`its manifest took more than ${MANIFEST_TIMEOUT_MS / 1000} s`);
    throw error;
  });
  const manifest = parseObject(stdout);
  if (!manifest) throw new Error("its manifest is not a JSON object");
  const { protocolVersion, name, tools } = manifest;
  if (protocolVersion !== PROTOCOL_VERSION) {
    throw new Error(`it speaks protocol version ${protocolVersion}, but this extension ${PROTOCOL_VERSION}`);
  }
  if (typeof name !== "string" || !Array.isArray(tools) || !tools.every(isManifestTool)) {
    throw new Error("its manifest lacks a name, or one of its tools lacks a name or an object of parameters");
  }
  return { name, tools };
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
function prepareArguments(tool: string, args: unknown, { custom, renames = [], values = [] }: Preparation): unknown {
  if (custom) return prepareInExecutable(tool, args);
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

/** Pi does not wait for a promise here. */
function prepareInExecutable(tool: string, args: unknown): unknown {
  const options = { timeout: PREPARE_TIMEOUT_MS, killSignal: "SIGKILL", maxBuffer: MAX_LINE_BYTES, stdio: "pipe" } as const;
  let answer: JsonObject | undefined;
  try {
    answer = parseObject(execFileSync(EXECUTABLE, ["prepare", tool], { ...options, input: JSON.stringify(args) }).toString());
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
  private lastId = 0;
  private lastLockId = 0;
  private outputTail = Buffer.alloc(0);
  private reason: string | undefined;
  private drain: NodeJS.Timeout | undefined;
  private toldToShutDown = false;

  constructor(ctx: ExtensionContext, events: ToolsProcessEvents) {
    const child = spawn(EXECUTABLE, SERVE, { cwd: ctx.cwd });
    const { stdin, stdout, stderr } = child;
    if (!stdin) {
      // Without file descriptors there are no pipes, and the error still comes as an event.
      child.on("error", () => {});
      throw new Error("the tools process could not be run: too many open files");
    }
    this.child = child;
    this.events = events;
    child.on("error", (error) => this.end(`could not be run (${error.message})`));
    child.on("exit", (code, signal) => {
      this.reason = `ended (${signal ? `signal ${signal}` : `exit code ${code}`}) during the call`;
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
    stderr.on("data", (chunk: Buffer) => this.keepOutput(chunk));
    this.keepPiAlive(false);

    const { cwd, mode, hasUI } = ctx;
    this.request("initialize", { protocolVersion: PROTOCOL_VERSION, host: { name: "pi" }, cwd, mode, hasUI });
  }

  sendState(reason: string, state: SessionState): void {
    this.send({ method: "session/state", params: { reason, ...state } });
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
    this.calls.set(id, { ...call, ...answer, requests: new Map(), locks: new Set() });
    this.keepPiAlive(true);

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
    // The tail may begin in the middle of a character.
    const output = this.outputTail.toString().replace(/^\uFFFD+/, "").trimEnd();
    const because = `the tools process ${this.reason ?? reason}${output && `\n${output}`}`;
    for (const [id, { tool, signal }] of [...this.calls]) {
      this.take(id)?.reject(new Error(signal?.aborted ? "Operation aborted" : `${tool}: ${because}`));
    }
    this.shutdown();
  }

  private receive(line: string): void {
    const message = parseObject(line);
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
      if (method === "tools/update" && Array.isArray(content)) call?.onUpdate?.({ content, details });
      if (method === "ui/notify" && typeof message === "string") call?.ctx.ui.notify(message, level as Level);
      if (method === "ui/setStatus") call?.ctx.ui.setStatus(String(key), text === null ? undefined : String(text));
      if (method === "session/appendEntry") this.events.appendEntry(String(customType), data);
    } catch {
      // The session was replaced meanwhile. Thrown from here the error would end Pi.
    }
    for (const { requests, locks } of this.calls.values()) {
      if (method === "$/cancel") requests.get(id)?.abort();
      // Whoever no longer waits for a lock may have it already.
      const unlocks = ({ id: ofLock, requestId }: FileLock) => (method === "host/unlock" ? ofLock === lockId : requestId === id);
      if (method === "$/cancel" || method === "host/unlock") for (const lock of [...locks].filter(unlocks)) release(lock, locks);
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
        const confirmed = await ctx.ui.confirm(title, String(params.message), options);
        return signal.aborted ? null : confirmed;
      }
      case "ui/select":
        return await ctx.ui.select(title, params.options as string[], options);
      case "ui/input":
        return await ctx.ui.input(title, String(params.placeholder), options);
      case "ui/editor":
        return await unlessAborted(ctx.ui.editor(title, String(params.text)), signal);
      case "host/executeTool": {
        const onUpdate = (output: object) => this.send({ method: "host/executeTool/update", params: { id, output } });
        const { result, isError } = await ctx.executeTool(String(params.name), params.arguments, { signal, onUpdate });
        return { ...result, isError };
      }
      case "host/executeBuiltin": {
        const builtin = call.original();
        if (!builtin) throw new Error(`${call.tool} stands for no built-in tool of Pi: write overrides = ".." on it`);
        if (call.locks.size > 0 && ["edit", "write"].includes(call.tool)) {
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

  /** Enters Pi's own queue for the file, and stays there. */
  private async lock(call: OpenCall, requestId: unknown, path: string, signal: AbortSignal): Promise<{ lockId: number }> {
    const held = Promise.withResolvers<FileLock>();
    const released = Promise.withResolvers<void>();
    const enter = (): Promise<void> | undefined => {
      if (signal.aborted) return;
      const lock = { id: ++this.lastLockId, requestId, release: released.resolve };
      call.locks.add(lock);
      held.resolve(lock);
      return released.promise;
    };
    withFileMutationQueue(path, async () => await enter()).catch(held.reject);
    const lock = await unlessAborted(held.promise, signal);
    if (!lock) throw new Error("Operation aborted");
    return { lockId: lock.id };
  }

  private callOf({ callId }: JsonObject): OpenCall | undefined {
    return [...this.calls.values()].find((call) => call.callId === callId);
  }

  private take(id: number): OpenCall | undefined {
    const call = this.calls.get(id);
    if (this.calls.delete(id) && this.calls.size === 0) this.keepPiAlive(false);
    for (const request of call?.requests.values() ?? []) request.abort();
    for (const lock of call?.locks ?? []) lock.release();
    return call;
  }

  /** A program that embeds Pi must be able to end beside an idle process: disposing of a session emits no event. */
  private keepPiAlive(busy: boolean): void {
    const { stdin, stdout, stderr } = this.child;
    for (const handle of [this.child, stdin as Socket, stdout as Socket, stderr as Socket]) {
      if (busy) handle.ref();
      else handle.unref();
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
    if (stdin.writable) stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }
}

/** Splits on LF only, since JSON may contain U+2028, and before decoding, since a chunk may end inside a character. */
function readLines(stream: NodeJS.ReadableStream, onLine: (line: string) => void, onTooLong: () => void): void {
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  stream.on("data", (chunk: Buffer) => {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      onLine(Buffer.concat([...pending, chunk.subarray(start, end)]).toString());
      pending = [];
      pendingBytes = 0;
      start = end + 1;
    }
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

function release(lock: FileLock, locks: Set<FileLock>): void {
  locks.delete(lock);
  lock.release();
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

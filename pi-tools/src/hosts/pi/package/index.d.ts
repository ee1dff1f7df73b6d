import type { ToolDefinition } from "@earendil-works/pi-coding-agent";

/**
 * The tools, for one session: `createAgentSession({ customTools: await defineTools() })`. Disposing of them ends their
 * process; otherwise it ends with the program.
 */
export declare function defineTools(): Promise<ToolDefinition[] & Disposable>;

// A Pi extension that stands for the built-in `find`, as another bundle may.

import { createFindToolDefinition, type ExtensionAPI } from "@earendil-works/pi-coding-agent";

export default function (pi: ExtensionAPI): void {
  pi.registerTool({ ...createFindToolDefinition(process.cwd()), description: "The other one." });
}

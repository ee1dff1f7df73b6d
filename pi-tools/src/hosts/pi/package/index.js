// For Pi's SDK. Pi reads TypeScript, but Node does not read it below node_modules: here it is told to, once.
import { readFileSync } from "node:fs";
import { registerHooks, stripTypeScriptTypes } from "node:module";

const { href } = new URL("./extension.ts", import.meta.url);
const hooks = registerHooks({
  load(url, context, next) {
    if (url !== href) return next(url, context);
    const source = stripTypeScriptTypes(readFileSync(new URL(href), "utf8"));
    return { format: "module", shortCircuit: true, source };
  },
});

export const { defineTools } = await import(href);
hooks.deregister();

//! The tools that the conformance suite of MCP calls, by the names that it has for them.
pi_tools::main!();

//! What a system prompt says of tools: Pi's sections `<tools>` and `<rules>`, for programs that embed tools.
//!
//! Measured against Pi 1.6.0. White space is JavaScript's, as in Pi: U+FEFF is white, U+0085 is not.

mod builtins;

use std::fmt;

use crate::spec::{Exposure, ToolSpec};

pub use builtins::DEFAULT_BUILTINS;

/// What the prompt needs of one tool: plain data, from a [`ToolSpec`] or from elsewhere.
///
/// # Example
///
/// ```
/// use pi_tools::prompt::PromptTool;
///
/// let tool = PromptTool { name: "todo", snippet: Some("Manage to-dos"), ..PromptTool::default() };
/// assert!(tool.guidelines.is_empty());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PromptTool<'a> {
    /// The name that the model calls.
    pub name: &'a str,
    /// The line about the tool; without one it is not listed.
    pub snippet: Option<&'a str>,
    /// The tool's rules.
    pub guidelines: Vec<&'a str>,
    /// How the model reaches the tool; `None` is [`Exposure::Direct`].
    pub exposure: Option<Exposure>,
    /// Whether the tool is active without being named; `None` is yes.
    pub default_active: Option<bool>,
}

impl<'a> From<&'a ToolSpec> for PromptTool<'a> {
    fn from(spec: &'a ToolSpec) -> Self {
        Self {
            name: spec.name,
            snippet: spec.prompt_snippet,
            guidelines: spec.guidelines.to_vec(),
            exposure: spec.exposure,
            default_active: spec.default_active,
        }
    }
}

impl PromptTool<'_> {
    fn is_active_by_itself(&self) -> bool {
        matches!(self.exposure, None | Some(Exposure::Direct | Exposure::ModelOnly))
            && self.default_active != Some(false)
    }
}

/// The tools and rules of a system prompt, and which of the tools are active.
///
/// From [`Toolbox::prompt`](crate::Toolbox::prompt), or from [`Prompt::new`] for any data.
///
/// # Example
///
/// ```
/// use pi_tools::prompt::{Prompt, PromptTool};
///
/// let todo = PromptTool {
///     name: "todo",
///     snippet: Some("Manage to-dos"),
///     guidelines: vec!["Use todo to plan work"],
///     ..PromptTool::default()
/// };
/// let sections = Prompt::new().tool(todo).rule("Answer in French").sections();
/// assert_eq!(
///     sections.to_string(),
///     "<tools>\n- todo: Manage to-dos\n\nAdditional tools may be available.\n</tools>\n\n\
///      <rules>\n- Use todo to plan work\n- Answer in French\n- Be concise in your responses\n\
///      - Show file paths clearly when working with files\n</rules>"
/// );
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Prompt<'a> {
    builtins: Option<Vec<&'a str>>,
    extensions: Vec<PromptTool<'a>>,
    own: Vec<PromptTool<'a>>,
    only: Option<Vec<&'a str>>,
    without: Vec<&'a str>,
    activated: Option<Vec<&'a str>>,
    rules: Vec<&'a str>,
    custom: Option<&'a str>,
    cwd: Option<&'a str>,
}

impl<'a> Prompt<'a> {
    /// No tools, and no rules but Pi's own two.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds Pi's eight built-in tools, in front, of which these are active: [`DEFAULT_BUILTINS`] in Pi.
    ///
    /// ```
    /// use pi_tools::prompt::{DEFAULT_BUILTINS, Prompt};
    ///
    /// let rules = Prompt::new().builtins(DEFAULT_BUILTINS).sections().rules.unwrap();
    /// assert!(rules.starts_with("- Use bash for file operations like ls, rg, find\n- Use read "));
    /// ```
    pub fn builtins(mut self, active: impl IntoIterator<Item = &'a str>) -> Self {
        self.builtins = Some(active.into_iter().collect());
        self
    }

    /// Adds the tools of one extension, which come before those of [`tool`](Self::tool).
    ///
    /// Of two tools with one name the last counts, at the place of the first. A name that an extension before it has is
    /// left to that one; a built-in tool is replaced, with its snippet and guidelines.
    pub fn extension(mut self, tools: impl IntoIterator<Item = PromptTool<'a>>) -> Self {
        let mut extension = Vec::new();
        for tool in tools {
            put(&mut extension, tool);
        }
        let is_new = |tool: &PromptTool<'_>| find(&self.extensions, tool.name).is_none();
        extension.retain(is_new);
        self.extensions.append(&mut extension);
        self
    }

    /// Adds a tool of the program itself. It replaces any other of its name, at its place.
    pub fn tool(mut self, tool: PromptTool<'a>) -> Self {
        put(&mut self.own, tool);
        self
    }

    /// Keeps only the tools of these names, active in this order whatever they say of themselves: Pi's `--tools`.
    pub fn only(mut self, names: impl IntoIterator<Item = &'a str>) -> Self {
        self.only = Some(names.into_iter().collect());
        self
    }

    /// Removes the tools of these names: Pi's `--exclude-tools`.
    pub fn without(mut self, names: impl IntoIterator<Item = &'a str>) -> Self {
        self.without.extend(names);
        self
    }

    /// Makes the tools of these names the active ones: Pi's `setActiveTools`. Those that stay active keep their order and
    /// come first. Names that no tool has are ignored, as are hidden tools.
    pub fn activate(mut self, names: impl IntoIterator<Item = &'a str>) -> Self {
        self.activated = Some(names.into_iter().collect());
        self
    }

    /// Adds a rule of the host, behind the guidelines of the tools.
    pub fn rule(mut self, rule: &'a str) -> Self {
        self.rules.push(rule);
        self
    }

    /// Sets the host's own system prompt. As in Pi it stands in the place of tools and rules, which are both left out.
    pub fn system_prompt(mut self, text: &'a str) -> Self {
        self.custom = Some(text);
        self
    }

    /// Sets the working directory, for the section `<cwd>`.
    pub fn cwd(mut self, cwd: &'a str) -> Self {
        self.cwd = Some(cwd);
        self
    }

    /// The active tools, in the order in which the prompt has them.
    #[must_use]
    pub fn active(&self) -> Vec<PromptTool<'a>> {
        let registered = self.registered();
        let names = self.only.clone().unwrap_or_else(|| {
            let added = self.extensions.iter().chain(&self.own).map(|tool| tool.name);
            let added = added.filter(|name| find(&registered, name).is_some_and(PromptTool::is_active_by_itself));
            self.builtins.iter().flatten().copied().chain(added).collect()
        });
        let active = loadout(&registered, names);
        let Some(requested) = &self.activated else { return active };
        let kept = active.iter().map(|tool| tool.name).filter(|name| requested.contains(name));
        loadout(&registered, kept.chain(requested.iter().copied()))
    }

    /// The sections, of the active tools.
    #[must_use]
    pub fn sections(&self) -> PromptSections {
        let cwd = self.cwd.map(|cwd| cwd.replace('\\', "/"));
        if let Some(text) = self.custom.filter(|text| !text.is_empty()) {
            return PromptSections { system_prompt: Some(text.to_owned()), cwd, ..PromptSections::default() };
        }
        let active = self.active();
        PromptSections {
            system_prompt: None,
            tools: Some(tools(&active)),
            rules: Some(rules(&active, &self.rules)),
            cwd,
        }
    }

    /// The tools that there are, active or not.
    fn registered(&self) -> Vec<PromptTool<'a>> {
        let builtins = self.builtins.iter().flat_map(|_| builtins::builtins());
        let mut registered = Vec::new();
        for tool in builtins.chain(self.extensions.iter().cloned()).chain(self.own.iter().cloned()) {
            put(&mut registered, tool);
        }
        registered.retain(|tool| {
            self.only.as_ref().is_none_or(|names| names.contains(&tool.name)) && !self.without.contains(&tool.name)
        });
        registered
    }
}

fn find<'t, 'a>(tools: &'t [PromptTool<'a>], name: &str) -> Option<&'t PromptTool<'a>> {
    tools.iter().find(|tool| tool.name == name)
}

/// Adds a tool, at the place of the one with its name if there is one.
fn put<'a>(tools: &mut Vec<PromptTool<'a>>, tool: PromptTool<'a>) {
    match tools.iter_mut().find(|other| other.name == tool.name) {
        Some(other) => *other = tool,
        None => tools.push(tool),
    }
}

/// The tools of these names, each once, without those that nobody calls.
fn loadout<'a>(registered: &[PromptTool<'a>], names: impl IntoIterator<Item = &'a str>) -> Vec<PromptTool<'a>> {
    let mut loadout = Vec::new();
    for name in names {
        if let Some(tool) = find(registered, name).filter(|tool| tool.exposure != Some(Exposure::Hidden)) {
            put(&mut loadout, tool.clone());
        }
    }
    loadout
}

fn tools(active: &[PromptTool<'_>]) -> String {
    let lines = active.iter().filter_map(|tool| Some(format!("- {}: {}", tool.name, snippet(tool.snippet?)?)));
    let lines: Vec<String> = lines.collect();
    let list = if lines.is_empty() { "(none)".to_owned() } else { lines.join("\n") };
    format!("{list}\n\nAdditional tools may be available.")
}

fn rules(active: &[PromptTool<'_>], host: &[&str]) -> String {
    let is_active = |name| find(active, name).is_some();
    let searches = ["grep", "find", "ls"].into_iter().any(is_active);
    let shell = match (is_active("bash"), is_active("powershell")) {
        _ if searches => None,
        (true, true) => Some("Use bash or PowerShell for file operations like listing, searching, and finding files"),
        (true, false) => Some("Use bash for file operations like ls, rg, find"),
        (false, true) => Some("Use PowerShell for file operations like listing, searching, and finding files"),
        (false, false) => None,
    };
    let of_tools = active.iter().flat_map(|tool| tool.guidelines.iter().copied());
    let always = ["Be concise in your responses", "Show file paths clearly when working with files"];
    let all = shell.into_iter().chain(of_tools).chain(host.iter().copied()).chain(always);
    let lines: Vec<String> = guidelines(all).into_iter().map(|rule| format!("- {rule}")).collect();
    lines.join("\n")
}

/// A snippet as the prompt has it: on one line, with single spaces. `None` when nothing is left.
///
/// ```
/// use pi_tools::prompt::snippet;
///
/// assert_eq!(snippet("\u{feff}Manage\r\n  to-dos ").unwrap(), "Manage to-dos");
/// assert_eq!(snippet("\n"), None);
/// ```
#[must_use]
pub fn snippet(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split(is_white).filter(|word| !word.is_empty()).collect();
    (!words.is_empty()).then(|| words.join(" "))
}

/// Guidelines as the prompt has them: trimmed, without blank ones, each once, at its first place.
///
/// ```
/// assert_eq!(pi_tools::prompt::guidelines(["Use a.", " ", "Use b.", " Use a.\n"]), ["Use a.", "Use b."]);
/// ```
#[must_use]
pub fn guidelines<'a>(texts: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let mut guidelines = Vec::new();
    for text in texts.into_iter().map(|text| text.trim_matches(is_white)) {
        if !text.is_empty() && !guidelines.contains(&text) {
            guidelines.push(text);
        }
    }
    guidelines
}

/// What JavaScript's `\s` and `trim` take.
fn is_white(letter: char) -> bool {
    letter == '\u{feff}' || (letter.is_whitespace() && letter != '\u{85}')
}

/// The sections of a system prompt: the text between the tags of each, `None` for one that is left out.
///
/// Shown, they stand in their tags, joined by blank lines.
///
/// # Example
///
/// ```
/// use pi_tools::prompt::Prompt;
///
/// let sections = Prompt::new().system_prompt("You are a poet.").cwd(r"C:\verses").sections();
/// assert_eq!(sections.to_string(), "You are a poet.\n\n<cwd>\nC:/verses\n</cwd>");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PromptSections {
    /// The host's own system prompt, which has no tags.
    pub system_prompt: Option<String>,
    /// The active tools that have a snippet.
    pub tools: Option<String>,
    /// The rules.
    pub rules: Option<String>,
    /// The working directory, with slashes.
    pub cwd: Option<String>,
}

impl fmt::Display for PromptSections {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tagged = [("tools", &self.tools), ("rules", &self.rules), ("cwd", &self.cwd)];
        let tagged = tagged
            .into_iter()
            .filter_map(|(name, section)| Some(format!("<{name}>\n{}\n</{name}>", section.as_deref()?)));
        let sections: Vec<String> = self.system_prompt.clone().into_iter().chain(tagged).collect();
        f.write_str(&sections.join("\n\n"))
    }
}

//! `pi package`: npm packages that `pi install npm:NAME` takes, one of them for each platform.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use serde_json::{Map, Value, json};

use super::extension::{self, Extension, literal};
use super::platform::Platform;
use crate::error::ToolError;
use crate::tool::ToolRef;
use crate::toolbox::Toolbox;

/// What is packaged, and where.
#[derive(Clone, Copy)]
pub(crate) struct Package<'a> {
    /// The bundle's name, and that of the main package.
    pub(crate) bundle: &'a str,
    pub(crate) name: &'a str,
    pub(crate) version: &'a str,
    /// What Cargo knows: `description`, `license` and `repository`.
    pub(crate) about: &'a [(&'static str, &'static str)],
    pub(crate) out: &'a Path,
}

impl Package<'_> {
    /// Writes the packages, and returns their folders: those of the platforms, and the main one at the end. Without
    /// `executables` this one is packaged.
    ///
    /// # Errors
    ///
    /// When npm would not take the name, an executable is not for its platform, there is something else in the place of a
    /// package, or the system refuses to write.
    pub(crate) fn write(
        self,
        toolbox: &Toolbox,
        executables: &[(Platform, PathBuf)],
    ) -> Result<Vec<PathBuf>, ToolError> {
        self.check_name()?;
        let current;
        let executables = if executables.is_empty() {
            let platform = Platform::current().ok_or_else(|| {
                ToolError::new("npm has no name for this platform: name executables with `--binary PLATFORM=PATH`")
            })?;
            current = [(platform, env::current_exe()?)];
            &current
        } else {
            executables
        };
        for (index, (platform, path)) in executables.iter().enumerate() {
            if executables[..index].iter().any(|(other, _)| other == platform) {
                return Err(ToolError::new(format!("there are two executables for {platform}")));
            }
            platform.check(path)?;
        }
        // Nothing is written before all of it may be.
        for (platform, _) in executables {
            self.folder(&self.platform_name(*platform))?;
        }
        self.folder(self.name)?;
        let mut folders = Vec::new();
        for (platform, executable) in executables {
            folders.push(self.write_platform(*platform, executable)?);
        }
        folders.push(self.write_main(toolbox, executables)?);
        Ok(folders)
    }

    /// What npm demands of a name.
    fn check_name(self) -> Result<(), ToolError> {
        let is_part = |part: &str| {
            let is_safe =
                |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || "-_.~".contains(letter);
            !part.is_empty() && part.chars().all(is_safe) && !part.starts_with(['.', '_'])
        };
        let is_name = match self.name.strip_prefix('@').map(|rest| rest.split_once('/')) {
            None => is_part(self.name),
            Some(parts) => parts.is_some_and(|(scope, name)| is_part(scope) && is_part(name)),
        };
        if is_name && self.name.len() <= 200 {
            return Ok(());
        }
        Err(ToolError::new(format!(
            "{:?} is no name of an npm package, which has lower-case letters, digits, `-`, `_` and `.`, and perhaps a \
             scope: choose one with `--name my-tools` or `--name @me/my-tools`",
            self.name
        )))
    }

    fn platform_name(self, platform: Platform) -> String {
        format!("{}-{platform}", self.name)
    }

    /// A folder of the package's name, without its scope.
    fn folder(self, name: &str) -> Result<PathBuf, ToolError> {
        let folder = self.out.join(name.rsplit('/').next().unwrap_or(name));
        let present = folder.join("package.json");
        let is_own = match fs::read_to_string(&present) {
            Ok(text) => serde_json::from_str(&text).is_ok_and(|package: Value| package["name"] == name),
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        };
        if is_own {
            return Ok(folder);
        }
        Err(ToolError::new(format!(
            "{} is of another package than {name}: choose another folder with `--out`",
            present.display()
        )))
    }

    fn manifest(self, name: &str, more: Value) -> String {
        let mut manifest = Map::new();
        manifest.insert("name".into(), name.into());
        manifest.insert("version".into(), self.version.into());
        for (key, value) in self.about.iter().filter(|(_, value)| !value.is_empty()) {
            // Cargo has `MIT/Apache-2.0` from earlier times, which npm does not know.
            manifest.insert((*key).into(), value.replace('/', if *key == "license" { " OR " } else { "/" }).into());
        }
        let Value::Object(more) = more else { unreachable!("an object") };
        manifest.extend(more);
        format!("{:#}\n", Value::from(manifest))
    }

    fn write_platform(self, platform: Platform, executable: &Path) -> Result<PathBuf, ToolError> {
        let name = self.platform_name(platform);
        let folder = self.folder(&name)?;
        let file = platform.file_of(self.bundle);
        let manifest = json!({ "os": [platform.os], "cpu": [platform.cpu], "files": ["bin"] });
        extension::write(&folder.join("package.json"), &self.manifest(&name, manifest))?;
        let readme = format!(
            "# {name}\n\nThe executable of [{0}](https://www.npmjs.com/package/{0}) for {platform}.\n",
            self.name
        );
        extension::write(&folder.join("README.md"), &readme)?;
        let to = folder.join(file);
        copy(executable, &to).map_err(|error| {
            ToolError::new(format!("cannot copy {} to {}: {error}", executable.display(), to.display()))
        })?;
        Ok(folder)
    }

    fn write_main(self, toolbox: &Toolbox, executables: &[(Platform, PathBuf)]) -> Result<PathBuf, ToolError> {
        let folder = self.folder(self.name)?;
        let names: Vec<String> = executables.iter().map(|(platform, _)| platform.to_string()).collect();
        let mend = format!(
            "install the npm package {} again, with its optional dependencies; it has executables for {}",
            self.name,
            names.join(", ")
        );
        let import = "import executable from \"./executable.js\";\n";
        let extension =
            Extension { name: self.bundle, executable: "executable", import, policies: &[], mend: &mend }.text();
        let files: Map<String, Value> = executables
            .iter()
            .map(|(platform, _)| {
                let file = format!("{}/{}", self.platform_name(*platform), platform.file_of(self.bundle));
                (platform.to_string(), file.into())
            })
            .collect();
        let optional: Map<String, Value> =
            executables.iter().map(|(platform, _)| (self.platform_name(*platform), self.version.into())).collect();
        let peers: Map<String, Value> = pi_packages(&extension).map(|name| (name, "*".into())).collect();
        let manifest = json!({
            "keywords": ["pi-package", "pi-extension", "pi-tools"],
            "type": "module",
            "exports": {
                ".": { "types": "./index.d.ts", "default": "./index.js" },
                "./package.json": "./package.json",
            },
            "files": ["executable.js", "extension.ts", "index.d.ts", "index.js"],
            "pi": { "extensions": ["./extension.ts"] },
            "optionalDependencies": optional,
            "peerDependencies": peers,
        });
        let executable = include_str!("package/executable.js").replace("{ \"PLATFORM\": \"FILE\" }", &literal(&files));
        for (file, text) in [
            ("package.json", self.manifest(self.name, manifest)),
            ("README.md", self.readme(toolbox, &names)),
            ("extension.ts", extension),
            ("executable.js", executable),
            ("index.js", include_str!("package/index.js").to_owned()),
            ("index.d.ts", include_str!("package/index.d.ts").to_owned()),
        ] {
            extension::write(&folder.join(file), &text)?;
        }
        Ok(folder)
    }

    fn readme(self, toolbox: &Toolbox, platforms: &[String]) -> String {
        let description = self.about.iter().find(|(key, text)| *key == "description" && !text.is_empty());
        let description = description.map_or("Tools for the Pi coding agent.", |(_, text)| text);
        let rows: String = toolbox
            .tools()
            .map(|tool| {
                let what = cell(tool.description().lines().next().unwrap_or_default());
                format!("| `{}` | {what} | {} |\n", tool.spec().name, cell(&effects(tool)))
            })
            .collect();
        format!(
            "# {name}\n\n{description}\n\n\
             ```sh\npi install npm:{name}\n```\n\n\
             ## Tools\n\n| tool | what it does | effects |\n| --- | --- | --- |\n{rows}\n\
             They run in an executable of their own, with the rights of the user who runs Pi. There is one for {platforms}; \
             npm installs the one that fits.\n\n\
             ## In Pi's SDK\n\n\
             ```js\nimport {{ createAgentSession }} from \"@earendil-works/pi-coding-agent\";\n\
             import {{ defineTools }} from \"{name}\";\n\n\
             const {{ session }} = await createAgentSession({{ customTools: await defineTools() }});\n```\n\n\
             Made with pi-tools {version}.\n",
            name = self.name,
            platforms = platforms.join(", "),
            version = extension::VERSION,
        )
    }
}

/// Pi's own packages that a file imports. Pi brings them.
fn pi_packages(extension: &str) -> impl Iterator<Item = String> {
    let names = extension.split("from \"@earendil-works/").skip(1).filter_map(|rest| rest.split_once('"'));
    names.map(|(name, _)| format!("@earendil-works/{name}"))
}

/// What a tool does to the world, as far as it says.
fn effects(tool: ToolRef<'_>) -> String {
    let spec = tool.spec();
    let said = [
        (spec.read_only, "changes nothing", "changes things"),
        (spec.destructive, "destructive", "destroys nothing"),
        (spec.idempotent, "a second time changes nothing more", "does it again each time"),
        (spec.open_world, "reaches out of the machine", "stays on the machine"),
    ];
    let mut effects: Vec<String> =
        said.iter().filter_map(|(says, yes, no)| Some((if (*says)? { yes } else { no }).to_string())).collect();
    effects.extend(spec.confirm.map(|question| format!("asks before it runs: \"{question}\"")));
    effects.extend(spec.overrides.map(|name| format!("stands for Pi's own `{name}`")));
    if !tool.state_keys().is_empty() {
        effects.push("keeps state in the session".to_owned());
    }
    if effects.is_empty() { "does not say".to_owned() } else { effects.join("; ") }
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

/// What comes from elsewhere, from an artifact of CI for one, may have lost its mode.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    to.parent().map_or(Ok(()), fs::create_dir_all)?;
    fs::copy(from, to)?;
    #[cfg(unix)]
    fs::set_permissions(to, std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
    Ok(())
}

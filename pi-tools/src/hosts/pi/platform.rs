//! Platforms by npm's names, and which one an executable is for.

use std::fmt;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;
use std::str::FromStr;

use crate::error::ToolError;

const SYSTEMS: &[(&str, Format)] = &[
    ("linux", Format::Elf),
    ("darwin", Format::MachO),
    ("win32", Format::Pe),
    ("android", Format::Elf),
    ("freebsd", Format::Elf),
    ("openbsd", Format::Elf),
];

/// npm's name, Rust's name, and the numbers in the headers of ELF, Mach-O and PE.
const PROCESSORS: &[(&str, &str, u32, u32, u32)] = &[
    ("x64", "x86_64", 62, 0x0100_0007, 0x8664),
    ("arm64", "aarch64", 183, 0x0100_000c, 0xaa64),
    ("ia32", "x86", 3, 7, 0x14c),
    ("arm", "arm", 40, 12, 0x1c4),
    ("riscv64", "riscv64", 243, 0, 0x5064),
    ("ppc64", "powerpc64", 21, 0, 0),
    ("s390x", "s390x", 22, 0, 0),
];

#[derive(Clone, Copy, Debug, PartialEq)]
enum Format {
    Elf,
    MachO,
    Pe,
}

/// A platform, as npm names it: `linux-x64`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Platform {
    pub(crate) os: &'static str,
    pub(crate) cpu: &'static str,
}

impl Platform {
    pub(crate) fn current() -> Option<Self> {
        let os = match std::env::consts::OS {
            "macos" => "darwin",
            "windows" => "win32",
            os => os,
        };
        let (cpu, ..) = PROCESSORS.iter().find(|(_, name, ..)| *name == std::env::consts::ARCH)?;
        format!("{os}-{cpu}").parse().ok()
    }

    /// Where the executable of a bundle is in the package for this platform.
    pub(super) fn file_of(self, bundle: &str) -> String {
        format!("bin/{bundle}{}", if self.os == "win32" { ".exe" } else { "" })
    }

    /// # Errors
    ///
    /// When the file cannot be read, or is no executable for this platform.
    pub(super) fn check(self, path: &Path) -> Result<(), ToolError> {
        let failed = |problem: &dyn fmt::Display| Err(ToolError::new(format!("{self}={}: {problem}", path.display())));
        let header = match header(path) {
            Ok(header) => header,
            Err(error) => return failed(&error),
        };
        let Some((format, machine)) = read_header(&header) else {
            return failed(&format!("it is no executable for {self}, but something else"));
        };
        let expected = SYSTEMS.iter().find(|(os, _)| *os == self.os).map(|(_, format)| *format);
        let numbers = PROCESSORS.iter().map(|&(cpu, _, elf, mach_o, pe)| match format {
            Format::Elf => (cpu, elf),
            Format::MachO => (cpu, mach_o),
            Format::Pe => (cpu, pe),
        });
        let cpu = machine.map(|machine| numbers.into_iter().find(|(_, number)| *number == machine).map(|(cpu, _)| cpu));
        // One for several processors is not looked into.
        if expected == Some(format) && cpu.is_none_or(|cpu| cpu == Some(self.cpu)) {
            return Ok(());
        }
        let format = match format {
            Format::Elf => "an ELF executable, as for Linux,",
            Format::MachO => "a Mach-O executable, as for macOS (`darwin`),",
            Format::Pe => "a PE executable, as for Windows (`win32`),",
        };
        failed(&format!(
            "it is no executable for {self}: it is {format} for {}",
            cpu.flatten().unwrap_or("another processor")
        ))
    }
}

impl fmt::Display for Platform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.os, self.cpu)
    }
}

impl FromStr for Platform {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let find = || {
            let (os, cpu) = text.split_once('-')?;
            let (os, _) = SYSTEMS.iter().find(|(name, _)| *name == os)?;
            let (cpu, ..) = PROCESSORS.iter().find(|(name, ..)| *name == cpu)?;
            Some(Self { os, cpu })
        };
        find().ok_or_else(|| {
            let systems: Vec<&str> = SYSTEMS.iter().map(|(name, _)| *name).collect();
            let processors: Vec<&str> = PROCESSORS.iter().map(|(name, ..)| *name).collect();
            format!(
                "no platform of npm is called `{text}`: it is SYSTEM-PROCESSOR, of {} and {}",
                systems.join(", "),
                processors.join(", ")
            )
        })
    }
}

fn header(path: &Path) -> io::Result<Vec<u8>> {
    let mut header = Vec::new();
    File::open(path)?.take(4096).read_to_end(&mut header)?;
    Ok(header)
}

/// The format of an executable, and the number of its processor unless there are several.
fn read_header(header: &[u8]) -> Option<(Format, Option<u32>)> {
    let bytes = |at: usize, length: usize| header.get(at..at.checked_add(length)?);
    let little =
        |at, length| Some(bytes(at, length)?.iter().rev().fold(0, |number, byte| number << 8 | u32::from(*byte)));
    let big = |at, length| Some(bytes(at, length)?.iter().fold(0, |number, byte| number << 8 | u32::from(*byte)));
    match header {
        [0x7f, b'E', b'L', b'F', _, 2, ..] => Some((Format::Elf, Some(big(18, 2)?))),
        [0x7f, b'E', b'L', b'F', ..] => Some((Format::Elf, Some(little(18, 2)?))),
        [0xce | 0xcf, 0xfa, 0xed, 0xfe, ..] => Some((Format::MachO, Some(little(4, 4)?))),
        [0xca, 0xfe, 0xba, 0xbe, ..] => Some((Format::MachO, None)),
        [b'M', b'Z', ..] => {
            let at = usize::try_from(little(0x3c, 4)?).ok()?;
            (bytes(at, 4)? == b"PE\0\0").then_some(())?;
            Some((Format::Pe, Some(little(at.checked_add(4)?, 2)?)))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_executables() {
        let mut pe = vec![0; 0x48];
        pe[..2].copy_from_slice(b"MZ");
        pe[0x3c] = 0x40;
        pe[0x40..0x46].copy_from_slice(b"PE\0\0\x64\x86");
        assert_eq!(read_header(&pe), Some((Format::Pe, Some(0x8664))));
        pe[0x3c] = 0xff;
        assert_eq!(read_header(&pe), None);
        assert_eq!(read_header(b"\xcf\xfa\xed\xfe\x0c\0\0\x01"), Some((Format::MachO, Some(0x0100_000c))));
        assert_eq!(read_header(b"#!/bin/sh\n"), None);
        assert_eq!(read_header(b"\x7fELF"), None);
        let path = std::env::current_exe().unwrap();
        Platform::current().unwrap().check(&path).unwrap();
    }

    #[test]
    fn names_of_platforms() {
        assert_eq!("win32-arm64".parse(), Ok(Platform { os: "win32", cpu: "arm64" }));
        let error = "windows-x64".parse::<Platform>().unwrap_err();
        assert!(error.contains("`windows-x64`") && error.contains("win32"), "{error}");
    }
}

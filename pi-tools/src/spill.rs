//! Files with texts that are too long for an output, in a folder for each session.

use std::collections::BTreeSet;
use std::fs;
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The folders that are there, for a process that ends without dropping its sessions.
static FOLDERS: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// The files of one session. They go when it is dropped.
#[derive(Default)]
pub(crate) struct Spill {
    files: Mutex<Files>,
}

#[derive(Default)]
struct Files {
    /// Made with the first file.
    folder: Option<Folder>,
    count: u32,
}

impl Spill {
    /// Writes a text into a new file.
    pub(crate) fn write(&self, text: &str) -> io::Result<PathBuf> {
        let (mut file, path) = self.create()?;
        // Half of a text would pass for the whole.
        file.write_all(text.as_bytes()).inspect_err(|_| drop(fs::remove_file(&path)))?;
        Ok(path)
    }

    /// Makes a new file that only the user can read.
    pub(crate) fn create(&self) -> io::Result<(fs::File, PathBuf)> {
        let path = {
            let mut files = lock(&self.files);
            files.count += 1;
            let name = format!("output-{}.txt", files.count);
            match &files.folder {
                Some(folder) if folder.0.is_dir() => folder.0.join(name),
                // None yet, or somebody has tidied up.
                _ => files.folder.insert(Folder::create()?).0.join(name),
            }
        };
        let mut options = fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        Ok((options.open(&path)?, path))
    }
}

/// Removes all files of all sessions: for a process that ends at once.
#[cfg(any(feature = "mcp", feature = "pi"))]
pub(crate) fn remove_all() {
    for folder in std::mem::take(&mut *lock(&FOLDERS)) {
        let _ = fs::remove_dir_all(folder);
    }
}

/// A folder that only the user can look into.
struct Folder(PathBuf);

impl Folder {
    fn create() -> io::Result<Self> {
        // A name that nobody can take before.
        let name = format!("pi-tools-{:016x}", RandomState::new().hash_one(std::process::id()));
        let path = std::path::absolute(std::env::temp_dir())?.join(name);
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&path)?;
        lock(&FOLDERS).insert(path.clone());
        Ok(Self(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What cannot be removed is left to whoever tidies up temporary files.
        let _ = fs::remove_dir_all(&self.0);
        lock(&FOLDERS).remove(&self.0);
    }
}

/// No code of a tool runs under these locks.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

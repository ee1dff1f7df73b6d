//! Locks of files that all bundles of one user on one machine share.
//!
//! A file that is changed is never itself locked or opened: its lock is an empty file in a folder that only the user can
//! read, under a name made of its path. The system frees a lock with the process that has it. The empty files stay:
//! removing one would free it for somebody who still waits for the other.

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::error::ToolError;
use crate::host::FileLock;

/// How often is looked whether a lock is free.
const LOOK_AGAIN: Duration = Duration::from_millis(10);

/// Waits until no other process changes the file, by its absolute path. Dropped, it does not wait any more.
pub(crate) async fn lock(path: &Path) -> Result<FileLock, ToolError> {
    let failed = |error: io::Error| ToolError::new(format!("{}: cannot be locked: {error}", path.display()));
    let file = open(path).map_err(failed)?;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(FileLock::new(file)),
            Err(TryLockError::WouldBlock) => {}
            // A file system without locks, where processes cannot wait for each other.
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {
                return Ok(FileLock::default());
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        if tokio::runtime::Handle::try_current().is_ok() {
            tokio::time::sleep(LOOK_AGAIN).await;
        } else {
            // A thread that a tool has started by itself.
            std::thread::sleep(LOOK_AGAIN);
        }
    }
}

fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(folder()?.join(format!("{:016x}", hash(path.as_os_str().as_encoded_bytes()))))
}

/// The folder of the user's locks. In one that others can write to, they could keep locks for ever.
#[cfg(unix)]
fn folder() -> io::Result<PathBuf> {
    use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};

    let user = rustix::process::geteuid().as_raw();
    let folder = std::env::temp_dir().join(format!("pi-tools-locks-{user}"));
    create(DirBuilder::new().mode(0o700), &folder)?;
    let metadata = std::fs::symlink_metadata(&folder)?;
    if !metadata.is_dir() || metadata.uid() != user || metadata.mode() & 0o077 != 0 {
        let folder = folder.display();
        return Err(io::Error::other(format!("{folder} is open to other users: remove it, or set TMPDIR")));
    }
    Ok(folder)
}

/// The folder of the user's locks: the temporary folder is the user's already.
#[cfg(not(unix))]
fn folder() -> io::Result<PathBuf> {
    let folder = std::env::temp_dir().join("pi-tools-locks");
    create(&mut DirBuilder::new(), &folder)?;
    Ok(folder)
}

fn create(builder: &mut DirBuilder, folder: &Path) -> io::Result<()> {
    match builder.create(folder) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(io::Error::new(error.kind(), format!("{}: {error}", folder.display()))),
        Ok(()) => Ok(()),
    }
}

/// FNV-1a: bundles of different compilers must agree, and those of the standard library may change.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

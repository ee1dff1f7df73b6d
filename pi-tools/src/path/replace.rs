//! A file's content, replaced all at once.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Writes a file so that whoever reads it sees the old content or the new, and never a part, even after a crash.
///
/// The content goes into a new file beside it, which takes its name when all is on the disk. Symbolic links are followed
/// and stay; the mode stays, and the owner where the system allows it. Another hard link keeps the old content. Folders
/// are not made. It blocks.
///
/// ```
/// # let folder = std::env::temp_dir().join(format!("pi-tools-replace-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder).unwrap();
/// let file = folder.join("notes.txt");
/// pi_tools::path::replace_file(&file, "tea")?;
/// pi_tools::path::replace_file(&file, "milk")?;
/// assert_eq!(std::fs::read_to_string(&file)?, "milk");
/// # std::fs::remove_dir_all(folder).unwrap();
/// # Ok::<_, std::io::Error>(())
/// ```
///
/// # Errors
///
/// The system's, when the file may not be written or the folder takes no new file; and when the path is something other
/// than a file. The old content is there still.
pub fn replace_file(path: impl AsRef<Path>, content: impl AsRef<[u8]>) -> io::Result<()> {
    let path = super::real(&std::path::absolute(path)?)?;
    let old = match fs::metadata(&path) {
        Ok(metadata) if !metadata.is_file() => {
            return Err(io::Error::new(ErrorKind::InvalidInput, format!("{} is no regular file", path.display())));
        }
        Ok(metadata) => Some(metadata),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    if old.is_some() {
        // Whoever may not write the file must not do it by way of the folder.
        OpenOptions::new().write(true).open(&path)?;
    }
    let (mut file, new) = create_beside(&path, old.is_some())?;
    let written = fill(&mut file, content.as_ref(), old.as_ref());
    // Windows renames no open files.
    drop(file);
    let replaced = written.and_then(|()| fs::rename(&new, &path));
    if replaced.is_err() {
        // What went wrong matters more than what is left behind.
        _ = fs::remove_file(&new);
    }
    replaced
}

/// A new file in the same folder, which nobody else can read until it has the old one's mode.
fn create_beside(path: &Path, is_private: bool) -> io::Result<(File, PathBuf)> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if is_private {
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    #[cfg(not(unix))]
    let _ = is_private;
    loop {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let new = path.with_file_name(format!(".pi-tools-{}-{number}.tmp", std::process::id()));
        match options.open(&new) {
            // Left by a process that had the same number and was killed.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            result => return result.map(|file| (file, new)),
        }
    }
}

fn fill(file: &mut File, content: &[u8], old: Option<&Metadata>) -> io::Result<()> {
    file.write_all(content)?;
    if let Some(old) = old {
        #[cfg(unix)]
        {
            use std::os::unix::fs::{MetadataExt as _, fchown};

            let own = file.metadata()?;
            if (own.uid(), own.gid()) != (old.uid(), old.gid()) {
                // Only root gives files away.
                _ = fchown(&*file, Some(old.uid()), Some(old.gid()));
            }
        }
        // After the owner, whose change clears bits.
        file.set_permissions(old.permissions())?;
    }
    file.sync_all()
}

//! The real Pi in a terminal: keys go in, and a screen comes out.
//!
//! ```no_run
//! # use pi_tools_tests::pi::{self, Pi};
//! # use serde_json::json;
//! if pi::install().is_none() {
//!     return;
//! }
//! let mut terminal = Pi::options().bundle("target/debug/examples/todo").start_in_terminal();
//! let call = json!({"calls": [{"name": "todo", "arguments": {"action": "list"}}]});
//! terminal.prompt("go", json!([call, {"text": "That was all."}]));
//! let screen = terminal.wait_for("That was all.");
//! assert!(screen.contains("No to-dos."));
//! terminal.quit();
//! ```

use std::fs::File;
use std::io::{Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;
use std::time::Instant;

use rustix::pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use serde_json::Value;
use vt100::{Parser, Screen};

use crate::pi::{Home, Options, TIMEOUT, send_kill};

/// How many lines a terminal has at first, and how many columns.
pub const SIZE: (u16, u16) = (50, 120);

/// By these Pi finds out in which terminal it runs, and then speaks to that one.
const SAYS_WHICH_TERMINAL: [&str; 13] = [
    "ALACRITTY_",
    "COLORTERM",
    "DISPLAY",
    "GHOSTTY_",
    "ITERM_",
    "KITTY_",
    "SSH_",
    "STY",
    "TERM",
    "TMUX",
    "WARP_",
    "WEZTERM_",
    "ZELLIJ",
];

/// Keys, as terminals send them.
pub mod key {
    /// Enter.
    pub const ENTER: &str = "\r";
    /// Escape: aborts a run, and closes a dialog.
    pub const ESCAPE: &str = "\x1b";
    /// Up.
    pub const UP: &str = "\x1b[A";
    /// Down.
    pub const DOWN: &str = "\x1b[B";
    /// Ctrl+C: empties the line.
    pub const CTRL_C: &str = "\x03";
    /// Ctrl+D: in an empty line, ends Pi.
    pub const CTRL_D: &str = "\x04";
    /// Ctrl+O: shows all of the outputs, or no longer.
    pub const CTRL_O: &str = "\x0f";
}

/// A running Pi in a terminal, isolated from the user's own. Dropping it kills it and all that it started.
pub struct Terminal {
    child: Child,
    keyboard: File,
    screen: Arc<Shown>,
    home: Home,
}

/// What the terminal shows, and who waits for a change of it.
struct Shown {
    parser: Mutex<Parser>,
    changed: Condvar,
}

impl Options {
    /// Starts Pi in a terminal of [`SIZE`], and waits until it takes input.
    ///
    /// # Panics
    ///
    /// If [`install`](crate::pi::install) returns `None`, which a test has to check first, or if Pi does not start.
    pub fn start_in_terminal(self) -> Terminal {
        let (mut command, home) = self.command(&[]);
        for (name, _) in std::env::vars_os() {
            if SAYS_WHICH_TERMINAL.iter().any(|prefix| name.as_encoded_bytes().starts_with(prefix.as_bytes())) {
                command.env_remove(name);
            }
        }
        command.env("TERM", "xterm-256color");

        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        let terminal = openpt(flags).expect("a terminal");
        grantpt(&terminal).and_then(|()| unlockpt(&terminal)).expect("the terminal's other end");
        let other_end = ioctl_tiocgptpeer(&terminal, flags).expect("the terminal's other end");
        let terminal = File::from(terminal);
        set_size(&terminal, SIZE);
        let stdio = || Stdio::from(other_end.try_clone().expect("a descriptor"));
        let child = command.stdin(stdio()).stdout(stdio()).stderr(stdio()).spawn();
        let child = child.unwrap_or_else(|error| panic!("{command:?}: {error}"));
        // It has the other end still, and whoever reads would wait for more.
        drop((command, other_end));

        let (lines, columns) = SIZE;
        let shown = Shown { parser: Mutex::new(Parser::new(lines, columns, 0)), changed: Condvar::new() };
        let screen = Arc::new(shown);
        show(terminal.try_clone().expect("a descriptor"), Arc::clone(&screen));
        let terminal = Terminal { child, keyboard: terminal, screen, home };
        // It shows them when the session has started; what is sent before is refused.
        terminal.wait_for("[Extensions]");
        terminal
    }
}

impl Terminal {
    /// Types a prompt and sends it; the model answers with `steps`, as in [`Pi::prompt`](crate::pi::Pi::prompt).
    pub fn prompt(&mut self, text: &str, steps: Value) {
        self.home.script(steps);
        self.press(text);
        self.wait_for(text);
        self.press(key::ENTER);
    }

    /// Presses keys: what is typed, and the constants of [`key`].
    ///
    /// # Panics
    ///
    /// If the terminal is gone.
    pub fn press(&mut self, keys: &str) {
        if let Err(error) = self.keyboard.write_all(keys.as_bytes()) {
            panic!("nobody reads {keys:?}: {error}{}", self.report());
        }
    }

    /// What the screen shows, as lines of text.
    pub fn text(&self) -> String {
        self.shown().screen().contents()
    }

    /// Waits until the screen shows a text, and returns all that it shows then. A text does not stand across two lines, and
    /// what is drawn with it may come a moment later: wait for that, too.
    ///
    /// # Panics
    ///
    /// If it does not.
    pub fn wait_for(&self, text: &str) -> String {
        self.wait_until(text, |screen| screen.contains(text))
    }

    /// Waits until the screen does not show a text any more.
    ///
    /// # Panics
    ///
    /// If it goes on showing it.
    pub fn wait_gone(&self, text: &str) -> String {
        self.wait_until(&format!("the end of {text}"), |screen| !screen.contains(text))
    }

    /// Waits until the screen is as it is wanted; `awaited` is how that is called if it never comes.
    ///
    /// # Panics
    ///
    /// If it never comes.
    pub fn wait_until(&self, awaited: &str, wanted: impl Fn(&str) -> bool) -> String {
        let shown = self.shown();
        let (shown, timeout) = self
            .screen
            .changed
            .wait_timeout_while(shown, TIMEOUT, |parser| !wanted(&parser.screen().contents()))
            .expect("no reader panics");
        let text = shown.screen().contents();
        drop(shown);
        assert!(!timeout.timed_out(), "waited for {awaited}{}", self.report());
        text
    }

    /// Looks at the screen itself: at the colour and the style of what it shows.
    pub fn look<T>(&self, at: impl FnOnce(&Screen) -> T) -> T {
        at(self.shown().screen())
    }

    /// Makes the terminal larger or smaller: lines and columns.
    pub fn resize(&mut self, size: (u16, u16)) {
        self.screen.parser.lock().expect("no reader panics").screen_mut().set_size(size.0, size.1);
        set_size(&self.keyboard, size);
        // The terminal is nobody's own, so nobody else tells.
        let told = Command::new("kill").args(["-WINCH", &self.child.id().to_string()]).status();
        assert!(told.is_ok_and(|status| status.success()), "Pi is told of the size{}", self.report());
    }

    /// What the model got, as [`Pi::recorded`](crate::pi::Pi::recorded).
    pub fn recorded(&self) -> Vec<Value> {
        self.home.recorded()
    }

    /// The result of a tool that the model saw last: its text.
    ///
    /// # Panics
    ///
    /// If it saw none.
    pub fn last_result(&self) -> String {
        let request = self.recorded().pop().expect("a request");
        let messages = request["messages"].as_array().expect("messages").iter().rev();
        let result = messages.clone().find(|message| message["role"] == "toolResult").expect("a result");
        result["content"][0]["text"].as_str().expect("a text").to_owned()
    }

    /// Presses Ctrl+D, which ends a Pi that has nothing to do, and waits until it has ended.
    ///
    /// # Panics
    ///
    /// If it does not end.
    pub fn quit(&mut self) -> ExitStatus {
        self.press(key::CTRL_D);
        let deadline = Instant::now() + TIMEOUT;
        loop {
            if let Some(status) = self.child.try_wait().expect("wait for Pi") {
                return status;
            }
            assert!(Instant::now() < deadline, "Pi does not end{}", self.report());
            thread::sleep(std::time::Duration::from_millis(10));
        }
    }

    fn shown(&self) -> MutexGuard<'_, Parser> {
        self.screen.parser.lock().expect("no reader panics")
    }

    fn report(&self) -> String {
        format!("\n--- screen\n{}\n---", self.text())
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        send_kill(&format!("-{}", self.child.id()));
        let _ = self.child.wait();
    }
}

/// Keeps the screen up to date until the terminal is closed.
fn show(mut terminal: File, screen: Arc<Shown>) {
    thread::spawn(move || {
        let mut chunk = [0; 4096];
        while let Ok(length @ 1..) = terminal.read(&mut chunk) {
            screen.parser.lock().expect("no reader panics").process(&chunk[..length]);
            screen.changed.notify_all();
        }
    });
}

fn set_size(terminal: &File, (lines, columns): (u16, u16)) {
    let size = Winsize { ws_row: lines, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(terminal, size).expect("the terminal has a size");
}

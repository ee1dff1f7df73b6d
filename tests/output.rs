//! What tools give back, in all its kinds, and the helpers for tests of it.

#[path = "output/command_line.rs"]
mod command_line;
#[path = "output/images.rs"]
mod images;
#[path = "output/media.rs"]
mod media;
#[path = "output/structured.rs"]
mod structured;
#[path = "output/testing.rs"]
mod testing;

//! Holds the compile-fail programs.

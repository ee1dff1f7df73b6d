// State goes to another thread with the tool.
use pi_tools::prelude::*;
use std::marker::PhantomData;

#[derive(Clone, Default, Serialize, Deserialize, SessionState)]
struct Count(#[serde(skip)] PhantomData<*const u8>, u32);

fn main() {}

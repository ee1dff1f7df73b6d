//! What tools publish, in every dialect, and what calls are held to.

mod schemas {
    mod declared;
    mod enforced;
    mod peers;
    mod types;
}

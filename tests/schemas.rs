//! What tools publish, in every dialect, and what calls are held to.

mod schemas {
    mod awkward;
    mod declared;
    mod dialects;
    mod enforced;
    mod peers;
    mod types;
    mod ways;
}

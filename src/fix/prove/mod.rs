//! Proofs: which drafts pass on the original code and fail with the transformation.

pub(in crate::fix) mod alone;
pub(in crate::fix) mod choice;
pub(in crate::fix) mod compile;
pub(in crate::fix) mod in_place;
pub(in crate::fix) mod machine;
pub(in crate::fix) mod patch;
pub(in crate::fix) mod shorten;
pub(in crate::fix) mod together;
pub(in crate::fix) mod with_kept;

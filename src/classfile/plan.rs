//! The plan of what is woven into a class. Method and transformation numbers reach the runtime class `reneri.rt.Probe`
//! as `int`.

use super::constant::Constant;
use crate::base::id::MethodId;
use serde::{Deserialize, Serialize};

/// The probes and guards of one method.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MethodWeave {
    pub name: String,
    /// JVMS §4.3.3.
    pub descriptor: String,
    /// Sets `entered[method] = 1` at entry. Constructors and static initialisers can have nothing else.
    pub coverage: Option<MethodId>,
    /// Transformation numbers, none of them 0, each with the constant that the method returns at once while `active` is
    /// that number.
    pub guards: Vec<(u32, Constant)>,
    /// Calls `Probe.enter` with this method at entry, and `leave` or `threw` at every exit, those of guards included.
    pub observe: Option<MethodId>,
}

/// The plan of one class.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ClassWeave {
    /// At most one entry for each method.
    pub methods: Vec<MethodWeave>,
}

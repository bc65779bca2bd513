//! The plan of what is woven into a class. Method and transformation numbers reach the runtime class `reneri.rt.Probe`
//! as `int`.

use super::constant::Constant;
use serde::{Deserialize, Serialize};

/// The probes and guards of one method.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MethodWeave {
    pub name: String,
    /// JVMS §4.3.3.
    pub descriptor: String,
    /// A method number: sets `entered[number] = 1` at entry. Constructors and static initialisers can have nothing else.
    pub coverage: Option<u32>,
    /// Transformation numbers, none of them 0, each with the constant that the method returns at once while `active` is
    /// that number.
    pub guards: Vec<(u32, Constant)>,
    /// A method number: calls `Probe.enter` at entry, and `leave` or `threw` at every exit, those of guards included.
    pub observe: Option<u32>,
}

/// The plan of one class.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ClassWeave {
    /// At most one entry for each method.
    pub methods: Vec<MethodWeave>,
}

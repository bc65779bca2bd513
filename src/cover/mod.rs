//! Runs the tests of a recipe to find out which methods each test enters, how long it takes, and which tests fail or are
//! flaky.

mod assess;
mod attempt;
mod calls;
mod chance;
mod coverage;
mod discovery;
mod files;
mod fixture_coverage;
mod loader;
mod recorded_runs;
mod reuse;
mod run_log;
mod runs;
mod shared_state;
mod slow;
mod task;
#[cfg(test)]
mod test_data;

pub use calls::test_outlines;
pub use chance::by_chance;
pub use coverage::{Coverage, Quarantined, Test};
pub use discovery::{find, find_with_any_loader};
pub use files::writing;
pub use loader::{LoaderChoice, choose_loader};
pub use recorded_runs::RecordedRuns;
pub use reuse::EarlierRuns;
pub use shared_state::users_of_shared_state;
pub use task::{Progress, Task};

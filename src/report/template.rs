//! Fills in the templates of `report-templates`.

use crate::base::error::{Error, Result};
use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, Value};

/// A file of `report-templates`.
#[derive(Clone, Copy)]
pub(super) struct Template {
    pub name: &'static str,
    pub text: &'static str,
}

/// The template of one finding, which other templates import.
const FINDING: Template =
    Template { name: "finding.md.jinja", text: include_str!("../../report-templates/finding.md.jinja") };

impl Template {
    /// Renders the template. A line that contains only a tag leaves nothing behind. `environment`
    /// decides how text is escaped.
    pub fn fill_in(self, mut environment: Environment<'static>, values: Value) -> Result<String> {
        let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build();
        environment
            .set_syntax(syntax.map_err(|error| Error::bug(format!("minijinja refuses its settings: {error}.")))?);
        environment
            .add_template(FINDING.name, FINDING.text)
            .and_then(|()| environment.render_str(self.text, values))
            .map_err(|error| Error::bug(format!("report-templates/{} cannot be filled in: {error:#}.", self.name)))
    }
}

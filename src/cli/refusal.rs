//! Turns what clap refuses into help texts and errors.

use super::Request;
use crate::base::error::{Error, Result};

/// Turns help that was asked for into a request to print it, and any other refusal into an error of
/// our own form.
pub(super) fn refused(error: &clap::Error) -> Result<Request> {
    use clap::error::ErrorKind::{DisplayHelp, DisplayHelpOnMissingArgumentOrSubcommand, DisplayVersion};
    match error.kind() {
        // With colours: the writer strips them if the output is no terminal.
        DisplayHelp | DisplayVersion => Ok(Request::Print(error.render().ansi().to_string())),
        DisplayHelpOnMissingArgumentOrSubcommand => Err(Error::usage(
            "reneri was not told what to do.",
            "Start `reneri analyze` in the folder of a Maven project, or `reneri --help` to see what there is.",
        )),
        _ => {
            let text = message(error);
            let mut what = text.chars();
            let what: String = what.next().map(char::to_uppercase).into_iter().flatten().chain(what).collect();
            Err(Error::usage(what, "See `reneri analyze --help` for all options with their meaning."))
        }
    }
}

/// The message of an error, without the label and the advice that clap adds.
pub(super) fn message(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let text = text.split("\n\nFor more information").next().unwrap_or(&text).trim();
    text.strip_prefix("error: ").unwrap_or(text).to_owned()
}

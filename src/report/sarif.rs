//! Writes SARIF 2.1.0, which code scanning services read.
//!
//! <https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html>

use super::files::Files;
use super::flow::{self, Frame};
use super::message::Message;
use super::model::{BaselineState, Entry, Evidence, Interrupted, Report};
use super::order::{self, Finding};
use super::plain::plain;
use super::symptoms::{SymptomText, symptom_texts, word};
use crate::base::error::{Error, Result};
use crate::diagnose::{At, Symptom};
use crate::fix::edit;
use crate::text::escape::link_target;
use crate::text::words;
use serde_sarif::sarif::{
    self, ArtifactChange, ArtifactContent, ArtifactLocation, CodeFlow, Invocation, Location, LogicalLocation,
    MultiformatMessageString, Notification, PhysicalLocation, Region, Replacement, ReportingConfiguration,
    ReportingDescriptor, ResultLevel, Run, Sarif, ThreadFlow, ThreadFlowLocation, Tool, ToolComponent, Version,
};
use std::collections::BTreeMap;

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
/// The folder that paths are relative to (§3.14.14). The reader of the file knows where it is.
const ROOT: &str = "%SRCROOT%";
/// The version is increased if fingerprints of the same finding change (§3.27.17).
const FINGERPRINT: &str = "reneriTransformation/v1";

/// Renders one result for each finding with a known source, most useful first, and one rule for
/// each symptom.
///
/// GitHub rejects the whole file if one location has no file ("expected a physical location").
pub(super) fn sarif(report: &Report, files: &Files<'_>) -> Result<String> {
    let rules = symptom_texts()?;
    let results = order::groups(report)
        .iter()
        .flat_map(|group| &group.findings)
        .filter_map(|finding| result(finding, &rules, files))
        .collect::<Vec<_>>();
    let driver = ToolComponent::builder()
        .name(&report.tool.name)
        .version(&report.tool.version)
        .semantic_version(&report.tool.version)
        .rules(rules.iter().map(rule).collect::<Vec<_>>())
        .build();
    let root = ArtifactLocation::builder().description(message("The root of the repository.")).build();
    let mut run = Run::builder()
        .tool(Tool::builder().driver(driver).build())
        .column_kind("unicodeCodePoints")
        .original_uri_base_ids(BTreeMap::from([(ROOT.to_owned(), root)]))
        .results(results)
        .build();
    run.invocations = report.interrupted.map(|interrupted| vec![invocation(interrupted)]);
    let log = Sarif::builder().schema(SCHEMA).version(Version::V2_1_0.to_string()).runs(vec![run]).build();
    let mut text = serde_json::to_string_pretty(&log)
        .map_err(|error| Error::bug(format!("The report cannot be written as SARIF: {error}.")))?;
    text.push('\n');
    Ok(text)
}

/// The run of reneri that was interrupted.
fn invocation(interrupted: Interrupted) -> Invocation {
    let notification = Notification::builder().level("warning").message(message(&interrupted.sentence())).build();
    Invocation::builder().execution_successful(false).tool_execution_notifications(vec![notification]).build()
}

fn rule(text: &SymptomText) -> ReportingDescriptor {
    let said = |text: &str| MultiformatMessageString::builder().text(text).build();
    let level = match text.name {
        Symptom::Undecided => "note",
        _ => "warning",
    };
    ReportingDescriptor::builder()
        .id(word(text.name))
        .short_description(said(&format!("{}.", capital(&text.short))))
        .full_description(said(&format!("{}. What to do: {}.", capital(&text.short), text.remedy)))
        .help(MultiformatMessageString::builder().text(text.long.trim()).markdown(text.long.trim()).build())
        .default_configuration(ReportingConfiguration::builder().level(level).build())
        .build()
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(char::to_uppercase).into_iter().flatten().chain(chars).collect()
}

fn message(text: &str) -> sarif::Message {
    sarif::Message::builder().text(text).build()
}

fn result(finding: &Finding<'_>, rules: &[SymptomText], files: &Files<'_>) -> Option<sarif::Result> {
    let first = finding.first()?;
    let said = Message::of(finding)?;
    let rule = rules.iter().position(|rule| rule.name == said.symptom).and_then(|index| i64::try_from(index).ok())?;
    let method = words::full_method(&first.class, &first.method, &first.descriptor);
    let place = location(place(files, first.file.as_deref()?, first.line), &method, None);
    let mut result = sarif::Result::builder()
        .rule_id(word(said.symptom))
        .rule_index(rule)
        .level(if said.symptom == Symptom::Undecided { ResultLevel::Note } else { ResultLevel::Warning })
        .message(sarif::Message::builder().text(said.text()).markdown(said.markdown()).build())
        .locations(vec![place])
        .partial_fingerprints(BTreeMap::from([(FINGERPRINT.to_owned(), first.short_id.clone())]))
        .build();
    // Either all results of a run have it, or none (§3.27.24).
    result.baseline_state = first.baseline_state.map(|state| match state {
        BaselineState::New => "new".into(),
        BaselineState::Unchanged => "unchanged".into(),
    });
    result.fixes = fix(first, files).map(|fix| vec![fix]);
    result.code_flows = code_flow(first, files).map(|flow| vec![flow]);
    Some(result)
}

/// The patch, if it is verified.
fn fix(entry: &Entry, files: &Files<'_>) -> Option<sarif::Fix> {
    let suggestion = entry.suggestions.iter().find(|suggestion| suggestion.is_proven())?;
    let file = suggestion.file.as_deref()?;
    let line = |index: usize| i64::try_from(index + 1).ok();
    let replacements = edit::changes(suggestion.patch.as_deref()?)?.into_iter().map(|change| {
        let region = Region::builder().start_line(line(change.start)?).start_column(1);
        let region = region.end_line(line(change.end)?).end_column(1).build();
        let inserted = ArtifactContent::builder().text(change.lines.concat()).build();
        Some(Replacement::builder().deleted_region(region).inserted_content(inserted).build())
    });
    let artifact = ArtifactLocation::builder().uri(link_target(&files.in_repository(file))).uri_base_id(ROOT).build();
    let change = ArtifactChange::builder()
        .artifact_location(artifact)
        .replacements(replacements.collect::<Option<Vec<_>>>()?)
        .build();
    Some(sarif::Fix::builder().description(message(&plain(&suggestion.brief))).artifact_changes(vec![change]).build())
}

/// The way from the test to the method, and to the expression of the test that sees the difference,
/// if there is one. Calls in foreign code are left out.
fn code_flow(entry: &Entry, files: &Files<'_>) -> Option<CodeFlow> {
    let way = flow::way(entry)?;
    let frames: Vec<Frame> = way.stack.iter().map(|frame| Frame::parse(frame)).collect();
    let last = frames.len() - 1;
    let mut locations: Vec<Location> = frames
        .iter()
        .enumerate()
        .filter_map(|(index, frame)| {
            // Several modules may have a class of that name.
            let file = if index == last { entry.file.clone() } else { files.of_class(&frame.class) };
            let name = format!("{}.{}", frame.class, frame.method);
            let said = match index {
                0 => "The test".to_owned(),
                _ if index == last => "The method that was changed".to_owned(),
                _ => frame.short_name(),
            };
            Some(location(place(files, &file?, frame.line), &name, Some(&said)))
        })
        .collect();
    let seen = way.seen.filter(|evidence| evidence.at == At::Test);
    if let Some((evidence, file)) = seen.and_then(|evidence| Some((evidence, evidence.file.as_deref()?))) {
        let mut place = place(files, file, evidence.line);
        place.region = region(evidence).or(place.region);
        locations.push(location(place, &evidence.test, Some("The difference is here; no assertion depends on it")));
    }
    let steps = (1..)
        .zip(locations)
        .map(|(order, location)| ThreadFlowLocation::builder().location(location).execution_order(order).build())
        .collect::<Vec<_>>();
    Some(CodeFlow::builder().thread_flows(vec![ThreadFlow::builder().locations(steps).build()]).build())
}

fn location(place: PhysicalLocation, name: &str, said: Option<&str>) -> Location {
    let logical = LogicalLocation::builder().fully_qualified_name(name).kind("function").build();
    let mut location = Location::builder().physical_location(place).logical_locations(vec![logical]).build();
    location.message = said.map(message);
    location
}

fn place(files: &Files<'_>, file: &str, line: Option<u32>) -> PhysicalLocation {
    let artifact = ArtifactLocation::builder().uri(link_target(&files.in_repository(file))).uri_base_id(ROOT).build();
    let mut place = PhysicalLocation::builder().artifact_location(artifact).build();
    place.region = line.map(|line| Region::builder().start_line(line).build());
    place
}

fn region(evidence: &Evidence) -> Option<Region> {
    let region = Region::builder().start_line(evidence.line?).start_column(evidence.column?);
    Some(region.end_line(evidence.end_line?).end_column(evidence.end_column?).build())
}

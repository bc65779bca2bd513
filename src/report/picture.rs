//! Lays out the picture of a difference: the calls from the test down to the method, and beside
//! them how far the difference gets on its way back. `report-templates/report.html.jinja` draws it.

use super::flow::{Flow, Loss, Stop};
use super::plain::plain;
use super::values::{self, Difference};
use crate::text::escape::{shorten, visible};
use serde::Serialize;

const WIDTH: u32 = 840;
const BOX_WIDTH: u32 = 420;
const BOX_HEIGHT: u32 = 46;
const GAP: u32 = 26;
/// Horizontal position of the line along which the difference rises.
const RISE: u32 = BOX_WIDTH + 40;
const LABEL: u32 = RISE + 22;
/// Longest text in a box, in characters.
const LONGEST: usize = 50;
/// Longest text of a label, in characters.
const LONGEST_LABEL: usize = 44;

/// The picture. All lengths are in pixels, from the upper left corner.
#[derive(Serialize)]
pub(super) struct Picture {
    width: u32,
    height: u32,
    /// Text for readers who cannot see the picture.
    description: String,
    boxes: Vec<Call>,
    /// Path of the difference (SVG 2, §9.3).
    path: String,
    /// The place where the difference is lost; `None` if unknown.
    cross: Option<Point>,
    labels: Vec<Label>,
}

#[derive(Serialize)]
struct Call {
    y: u32,
    width: u32,
    height: u32,
    kind: &'static str,
    name: String,
    /// The full name, in case `name` is cut.
    full: String,
    place: String,
}

#[derive(Serialize)]
struct Point {
    x: u32,
    y: u32,
}

#[derive(Serialize)]
struct Label {
    x: u32,
    y: u32,
    strong: bool,
    text: String,
}

/// Lays out the picture. `did` is what the transformation did to the method, in plain words.
pub(super) fn picture(flow: &Flow<'_>, did: &str) -> Picture {
    let last = flow.stops.len().saturating_sub(1);
    let boxes: Vec<Call> = flow.stops.iter().enumerate().map(|(index, stop)| call(stop, index, last, did)).collect();
    let middle = |index: usize| top(index) + BOX_HEIGHT / 2;
    let (method, test) = (middle(last), middle(0));
    let (path, cross) = match flow.loss {
        Loss::NeverThere => {
            (format!("M{BOX_WIDTH} {method}H{}", BOX_WIDTH + 20), Some(Point { x: BOX_WIDTH + 28, y: method }))
        }
        Loss::OnTheWay => {
            let y = top(0) + BOX_HEIGHT + GAP / 2;
            (format!("M{BOX_WIDTH} {method}H{RISE}V{}", y + 8), Some(Point { x: RISE, y }))
        }
        Loss::InTheTest => {
            let path = format!("M{BOX_WIDTH} {method}H{RISE}V{test}H{}", BOX_WIDTH + 22);
            (path, Some(Point { x: BOX_WIDTH + 13, y: test }))
        }
        Loss::Unknown => (format!("M{BOX_WIDTH} {method}H{}", BOX_WIDTH + 20), None),
    };
    let lost = flow.loss.in_words();
    let mut description = format!("The calls from the test to the method, {did}: {lost}");
    let mut labels = Vec::new();
    match (flow.loss, &cross) {
        (Loss::OnTheWay, Some(cross)) => labels.push(label(cross.y + 5, true, lost)),
        (Loss::InTheTest, _) => labels.push(label(test - 4, true, lost)),
        _ => labels.push(label(method + 5, true, lost)),
    }
    if let Some(evidence) = flow.seen {
        description = format!("{description}. {}", plain(&values::difference_in_words(flow.entries, evidence)));
        let Difference { property, today, changed } = values::difference(flow.entries, evidence);
        let lines = [property, format!("today: {today}"), format!("with the change: {changed}")];
        let first = if flow.loss == Loss::InTheTest { test + 14 } else { method - 8 };
        for (y, text) in (first..).step_by(18).zip(lines) {
            labels.push(label(y, false, &plain(&text)));
        }
    }
    Picture {
        width: WIDTH,
        height: top(last) + BOX_HEIGHT + 12,
        description: visible(&description).into_owned(),
        boxes,
        path,
        cross,
        labels,
    }
}

fn top(index: usize) -> u32 {
    1 + u32::try_from(index).unwrap_or(0) * (BOX_HEIGHT + GAP)
}

fn call(stop: &Stop, index: usize, last: usize, did: &str) -> Call {
    let (name, place) = match stop {
        Stop::Cut(number) => (format!("… {number} more …"), String::new()),
        Stop::Frame(frame) => (frame.short_name(), frame.line.map(|line| format!("line {line}")).unwrap_or_default()),
    };
    let (kind, place) = match index {
        0 => ("test", place),
        _ if index == last => ("method", did.to_owned()),
        _ => ("call", place),
    };
    Call {
        y: top(index),
        width: BOX_WIDTH - 1,
        height: BOX_HEIGHT,
        kind,
        name: short(&name, LONGEST),
        full: visible(&name).into_owned(),
        place: short(&place, LONGEST),
    }
}

fn label(y: u32, strong: bool, text: &str) -> Label {
    Label { x: LABEL, y, strong, text: short(text, LONGEST_LABEL) }
}

fn short(text: &str, longest: usize) -> String {
    shorten(&visible(text), longest).0.into_owned()
}

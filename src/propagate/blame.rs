//! From an error of javac in an instrumented source to the probes that are to blame for it, wider with each pass that it survives.

use super::compiler::Complaint;
use super::text::{Origin, Utf16, Woven};
use super::wrap::{Form, SourcePlaces};

/// The probes of one source in one pass.
#[derive(Debug)]
pub struct Probed<'f> {
    pub places: &'f SourcePlaces,
    /// The chosen ones: indices into the places, in order.
    pub chosen: &'f [usize],
    pub woven: &'f Woven,
    /// How many passes of this source, this one included, ended in complaints.
    pub passes: usize,
}

/// What to do about a complaint: probes to take back (indices into the places), and whether that is because there was no value to probe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    pub take_back: Vec<usize>,
    pub no_value: bool,
}

/// Passes in which javac's position is followed closely; then the whole statement, the whole member, and the whole file are taken back.
const CLOSE: usize = 2;

/// So few probes of a method that is too large are taken back at once.
const FEW: usize = 16;

impl Probed<'_> {
    /// Who is to blame for `complaint`. Empty only if the source has no probes left.
    #[must_use]
    pub fn blame(&self, complaint: &Complaint, positions: &Utf16<'_>) -> Verdict {
        let code = complaint.code.strip_prefix("compiler.err.").unwrap_or(&complaint.code);
        let no_value = code.contains("void");
        let verdict = |take_back: Vec<usize>| Verdict { take_back, no_value };
        let Some(position) = complaint.position.or(complaint.start) else {
            return verdict(self.chosen.to_vec());
        };
        let origin = self.woven.origin(positions.byte(position));
        let at = match origin {
            Origin::Original(at) => at,
            Origin::Probe(index) => match self.chosen.get(index).copied() {
                Some(place) if self.passes <= CLOSE => return verdict(vec![place]),
                Some(place) => self.places.places.get(place).map_or(0, |place| place.start),
                None => 0,
            },
        };
        if code.starts_with("limit.") {
            return verdict(self.too_large(at));
        }
        let mut choices: Vec<Vec<usize>> = Vec::new();
        if self.passes <= CLOSE {
            if no_value {
                choices.push(self.innermost_around((at, at + 1)));
            }
            if let Some(call) = smallest(&self.places.calls, at).filter(|_| concerns_call(code)) {
                choices.push(self.outermost_in(call));
                choices.push(self.innermost_around(call));
            }
            choices.push(self.innermost_around((at, at + 1)));
        }
        if self.passes <= CLOSE + 1
            && let Some(statement) = smallest(&self.places.statements, at)
        {
            choices.push(self.all_in(statement));
        }
        if self.passes <= CLOSE + 2
            && let Some(member) = self.member(at)
        {
            choices.push(self.all_in(member));
        }
        verdict(choices.into_iter().find(|choice| !choice.is_empty()).unwrap_or_else(|| self.chosen.to_vec()))
    }

    /// A method beyond the 64 KB of JVMS §4.7.3 keeps the outermost probes, then those of them that are more than a name, then
    /// half of the rest, and so on.
    fn too_large(&self, at: usize) -> Vec<usize> {
        let all = self.member(at).map(|member| self.all_in(member)).filter(|all| !all.is_empty());
        let all = all.unwrap_or_else(|| self.chosen.to_vec());
        let mut end = 0;
        let nested: Vec<usize> = all
            .iter()
            .copied()
            .filter(|index| {
                let Some(place) = self.places.places.get(*index).filter(|place| place.form == Form::Wrap) else {
                    return false;
                };
                let nested = place.end <= end;
                end = end.max(place.end);
                nested
            })
            .collect();
        let place = |index: &usize| self.places.places.get(*index);
        let wraps: Vec<usize> =
            all.iter().copied().filter(|i| place(i).is_some_and(|place| place.form == Form::Wrap)).collect();
        let names: Vec<usize> =
            wraps.iter().copied().filter(|i| place(i).is_some_and(|place| place.bare_name)).collect();
        let half = wraps.get(wraps.len() / 2..).filter(|_| wraps.len() > FEW).map(<[usize]>::to_vec);
        let choices = [nested, names, half.unwrap_or_default(), wraps];
        choices.into_iter().find(|choice| !choice.is_empty()).unwrap_or(all)
    }

    fn member(&self, at: usize) -> Option<(usize, usize)> {
        let members = self.places.members.iter().map(|member| (member.start, member.end));
        members.filter(|range| contains(*range, at)).min_by_key(|(start, end)| end - start)
    }

    fn range(&self, place: usize) -> Option<(usize, usize)> {
        let place = self.places.places.get(place)?;
        Some(match place.form {
            Form::Wrap => (place.start, place.end),
            Form::Caught { body } => (place.start, body),
            Form::Thrown { body, end } => (body, end),
        })
    }

    fn all_in(&self, (start, end): (usize, usize)) -> Vec<usize> {
        let inside = |index: &usize| self.range(*index).is_some_and(|range| start <= range.0 && range.1 <= end);
        self.chosen.iter().copied().filter(inside).collect()
    }

    /// The wraps inside, but not around, a call that no other wrap inside it contains.
    fn outermost_in(&self, (start, end): (usize, usize)) -> Vec<usize> {
        let mut covered = start;
        let mut found = Vec::new();
        for index in self.chosen.iter().copied() {
            let Some(place) = self.places.places.get(index).filter(|place| place.form == Form::Wrap) else {
                continue;
            };
            let inside = start <= place.start && place.end <= end && (place.start, place.end) != (start, end);
            if inside && place.start >= covered {
                covered = place.end;
                found.push(index);
            }
        }
        found
    }

    fn innermost_around(&self, (start, end): (usize, usize)) -> Vec<usize> {
        let wraps = self.chosen.iter().copied().filter_map(|index| {
            let place = self.places.places.get(index).filter(|place| place.form == Form::Wrap)?;
            (place.start <= start && end <= place.end).then_some((place.end - place.start, index))
        });
        wraps.min().map(|(_, index)| index).into_iter().collect()
    }
}

fn contains((start, end): (usize, usize), at: usize) -> bool {
    start <= at && at < end
}

fn smallest(ranges: &[(usize, usize)], at: usize) -> Option<(usize, usize)> {
    let after = ranges.partition_point(|(start, _)| *start <= at);
    let before = ranges.get(..after).unwrap_or_default();
    before.iter().copied().filter(|range| contains(*range, at)).min_by_key(|(start, end)| end - start)
}

/// Errors about what a call means or throws: its parts are to blame, not what stands around it.
fn concerns_call(code: &str) -> bool {
    ["cant.apply", "ref.ambiguous", "cant.resolve", "unreported.exception", "not.def", "report.access", "cant.deref"]
        .iter()
        .any(|prefix| code.starts_with(prefix))
}

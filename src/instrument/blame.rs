//! Finds the probes that cause an error of javac in an instrumented source. With each pass that the
//! error survives, more probes are taken back.

use super::compiler::Complaint;
use super::place::{Form, SourcePlaces};
use super::positions::Utf16;
use super::weave::{Origin, Woven};

/// The probes of one source in one pass.
#[derive(Debug)]
pub struct Probed<'f> {
    pub places: &'f SourcePlaces,
    /// The chosen probes: indices into the places, in order.
    pub chosen: &'f [usize],
    pub woven: &'f Woven,
    /// Passes of this source that ended in complaints, including this one.
    pub passes: usize,
}

/// The reaction to a complaint: probes to take back (indices into the places), and whether the
/// reason is that there was no value to probe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    pub take_back: Vec<usize>,
    pub no_value: bool,
}

/// Number of passes that follow javac's position closely. Later ones take back the whole statement,
/// then the whole member, then the whole file.
const CLOSE: usize = 2;

/// After this many passes, all probes of a source are taken back.
const LAST: usize = 12;

/// Number of probes of a method that is too large that may be taken back at once.
const FEW: usize = 16;

impl Probed<'_> {
    /// The probes that cause `complaint`. Empty only if the source has no probes left.
    #[must_use]
    pub fn blame(&self, complaint: &Complaint, positions: &Utf16<'_>) -> Verdict {
        if self.passes > LAST {
            return Verdict { take_back: self.chosen.to_vec(), no_value: false };
        }
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

    /// The probes to take back from a method beyond the 64 KB of JVMS §4.7.3. First the nested ones
    /// go, then those around a bare name, then half of the rest, and so on.
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
        // A pass for a few names does not pay.
        let names = Some(names).filter(|names| names.len() * 4 >= wraps.len()).unwrap_or_default();
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

    /// The wraps inside a call, but not around it, that no other wrap inside it contains.
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

/// Whether an error is about what a call means or throws. Then its parts cause the error, not its
/// surroundings.
fn concerns_call(code: &str) -> bool {
    ["cant.apply", "ref.ambiguous", "cant.resolve", "unreported.exception", "not.def", "report.access", "cant.deref"]
        .iter()
        .any(|prefix| code.starts_with(prefix))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::super::finder::places;
    use super::super::weave::weave;
    use super::*;

    const SOURCE: &str = "class C { int x = f(1); void m() { g(a, () -> h(b)); k(c); } void n() { l(d); } }";

    /// The texts that are taken back for an error of this code at the first occurrence of `at` in
    /// the instrumented text.
    fn taken_back(code: &str, at: &str, passes: usize) -> Vec<&'static str> {
        let found = places(SOURCE).unwrap();
        let chosen: Vec<usize> = (0..found.places.len()).collect();
        let woven = weave(SOURCE, &found.places.iter().collect::<Vec<_>>(), 0);
        let position = woven.text.find(at);
        assert!(position.is_some(), "{at} in {}", woven.text);
        let complaint = Complaint {
            source: Some(0),
            code: format!("compiler.err.{code}"),
            start: position,
            position,
            end: position,
            message: String::new(),
        };
        let probed = Probed { places: &found, chosen: &chosen, woven: &woven, passes };
        let verdict = probed.blame(&complaint, &Utf16::new(&woven.text));
        verdict.take_back.iter().map(|index| &SOURCE[found.places[*index].start..found.places[*index].end]).collect()
    }

    #[test]
    fn an_error_in_a_probe_takes_that_probe_back() {
        assert_eq!(taken_back("prob.found.req", "reneri.rt.Probe.p(4, ", 1), ["b"]);
        assert_eq!(taken_back("void.not.allowed.here", "h(", 1), ["h(b)"]);
    }

    #[test]
    fn an_error_of_a_call_takes_back_its_arguments() {
        assert_eq!(taken_back("cant.apply.symbols", "g(", 1), ["a", "h(b)"]);
        assert_eq!(taken_back("ref.ambiguous", "k(", 2), ["c"]);
    }

    #[test]
    fn an_error_that_survives_takes_back_the_statement_then_the_member_then_the_file() {
        assert_eq!(taken_back("ref.ambiguous", "k(", 3), ["k(c)", "c"]);
        let member = ["g(a, () -> h(b))", "a", "h(b)", "b", "k(c)", "c"];
        assert_eq!(taken_back("ref.ambiguous", "k(", 4), member);
        assert_eq!(taken_back("ref.ambiguous", "k(", 5).len(), 9);
        assert_eq!(taken_back("var.might.not.have.been.initialized", "void n", 1), ["l(d)", "d"]);
        assert_eq!(taken_back("does.not.override.abstract", "class C", 1).len(), 9);
    }

    #[test]
    fn a_method_that_is_too_large_loses_nested_probes_first() {
        assert_eq!(taken_back("limit.code", "void m", 1), ["a", "h(b)", "b", "c"]);
    }
}

//! Reads the stack of the current thread: class, method, file and line of each frame.

#![allow(unsafe_code)]

use super::environment::{Environment, Tools};
use crate::observation::Frame;
use std::collections::HashMap;

/// The most frames of a stack that are read, from the method outwards.
const LONGEST_STACK: i32 = 96;

/// Frames by method ID. They must be discarded with the class loader of the methods.
pub type Frames = HashMap<usize, FrameTable>;

/// The frame of a method, without a line, and the method's line table.
#[derive(Clone)]
pub struct FrameTable {
    frame: Frame,
    lines: Vec<(i64, u32)>,
    is_hidden: bool,
}

/// The stack of the current thread, innermost frame first, without the first `skip` frames, and without those of
/// hidden classes. No stack trace of Java has them, and their names are not the same in every JVM.
pub fn stack(jvm: Environment, tools: &Tools, frames: &mut Frames, skip: i32) -> Vec<Frame> {
    // SAFETY: a null thread means the current one. Checked for all calls here: JVMTI throws nothing, and the one local reference
    // of each frame is deleted.
    let infos = unsafe { tools.0.get_stack_trace(std::ptr::null_mut(), skip, LONGEST_STACK) };
    infos
        .unwrap_or_default()
        .iter()
        .filter_map(|info| {
            let table = frames.entry(info.method as usize).or_insert_with(|| frame_table(jvm, tools, info.method));
            if table.is_hidden {
                return None;
            }
            let line = table.lines.iter().rev().find(|(start, _)| *start <= info.location).map(|(_, line)| *line);
            Some(Frame { line, ..table.frame.clone() })
        })
        .collect()
}

/// The class that declares the method in the frame at `depth` of the current thread, as a local reference; null if there is
/// no such frame.
pub fn class_at(tools: &Tools, depth: i32) -> jni::sys::jclass {
    let tools = &tools.0;
    // SAFETY: a null thread means the current one.
    let frame = unsafe { tools.get_stack_trace(std::ptr::null_mut(), depth, 1) }.unwrap_or_default();
    // SAFETY: the method ID comes from a frame of the current thread, so its class is loaded.
    let class = frame.first().and_then(|frame| unsafe { tools.get_method_declaring_class(frame.method) }.ok());
    class.map_or(std::ptr::null_mut(), |class| class.cast())
}

fn frame_table(jvm: Environment, tools: &Tools, method: jvmti_bindings::sys::jni::jmethodID) -> FrameTable {
    let tools = &tools.0;
    // SAFETY: the method ID comes from a frame of the current thread, so its class is loaded.
    let (name, class) = unsafe { (tools.get_method_name(method), tools.get_method_declaring_class(method)) };
    let (mut class_name, mut file, mut is_hidden) = (String::new(), None, false);
    if let Ok(class) = class {
        // SAFETY: `class` is a live local reference.
        if let Ok((signature, _)) = unsafe { tools.get_class_signature(class) } {
            is_hidden = is_of_hidden_class(&signature);
            class_name = signature.trim_start_matches('L').trim_end_matches(';').replace('/', ".");
        }
        // SAFETY: `class` is a live local reference.
        file = unsafe { tools.get_source_file_name(class) }.ok();
        // A stack has a class for each of its frames.
        jvm.delete(class.cast());
    }
    // SAFETY: the method ID is valid, as above.
    let mut lines: Vec<(i64, u32)> = unsafe { tools.get_line_number_table(method) }
        .unwrap_or_default()
        .iter()
        .filter_map(|entry| Some((entry.start_location, u32::try_from(entry.line_number).ok()?)))
        .collect();
    lines.sort_unstable();
    let method = name.map(|(name, _, _)| name).unwrap_or_default();
    FrameTable { frame: Frame { class: class_name, method, file, line: None }, lines, is_hidden }
}

/// Whether a signature as JVMTI gives it belongs to a class that the JVM makes for a lambda expression or a method reference,
/// or to another hidden class: `La/B$$Lambda$14.0x7f1c;` (JVMTI, `GetClassSignature`). Before Java 15, a slash was in
/// place of the dot.
fn is_of_hidden_class(signature: &str) -> bool {
    signature.contains('.') || signature.contains("$$Lambda")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_of_lambda_expressions_are_hidden() {
        for hidden in
            ["La/B$$Lambda$14.0x00007f9da80bc238;", "La/B$$Lambda.0x1f;", "La/B$$Lambda$1/250421012;", "La/B.1;"]
        {
            assert!(is_of_hidden_class(hidden), "{hidden}");
        }
        for other in ["La/B;", "La/B$Inner$1;", "La/Lambda;"] {
            assert!(!is_of_hidden_class(other), "{other}");
        }
    }
}

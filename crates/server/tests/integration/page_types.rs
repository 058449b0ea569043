// SPDX-License-Identifier: Apache-2.0 OR MIT
//! ui/src/api/types.ts has the types of the server's JSON for the page. They are read from the Rust
//! sources with their attributes for serde, and compared with the file; after a change of them
//! `UPDATE=1 cargo test -p irqscope-server --test integration page_types` writes it.
//!
//! Reading sources needs no derive in the crates that have the types, and keeps their comments.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::LazyLock;

use irqscope_analysis::CauseKind;
use irqscope_wire::{GeneratorKind, Load, RunState, Shape, Stage, StartAt, View};
use syn::punctuated::Punctuated;
use syn::{
    Attribute, Expr, Fields, GenericArgument, Item, ItemEnum, ItemStruct, Lit, Meta, PathArguments,
    Token, Type,
};

/// Answers and requests; the types of their fields follow.
const ROOTS: [&str; 34] = [
    "CaseBursts",
    "CaseIsolation",
    "CaseLocks",
    "ComparedPaths",
    "ShownPath",
    "Sweep",
    "Tails",
    "Verdicts",
    "Causes",
    "Checked",
    "LakeContents",
    "LakeHistograms",
    "LakeMaxima",
    "LakeTrend",
    "Hello",
    "Snapshot",
    "Known",
    "SettingsSet",
    "Connect",
    "Start",
    "StartScenario",
    "Begun",
    "RunList",
    "RunDetails",
    "FinishedCase",
    "WorstSamples",
    "Comparisons",
    "ErrorBody",
    "FinishedLines",
    "Found",
    "Hold",
    "TriggerDetails",
    "Manifest",
    "Summary",
];

/// Where types are looked for. One that is nowhere here is `unknown` to the page.
const SOURCES: [&str; 27] = [
    "analysis/src/bursts",
    "analysis/src/causes",
    "analysis/src/compare",
    "analysis/src/gate",
    "analysis/src/isolate",
    "analysis/src/live",
    "analysis/src/locks",
    "analysis/src/outside.rs",
    "analysis/src/path",
    "analysis/src/scope",
    "analysis/src/summary.rs",
    "analysis/src/sweep.rs",
    "analysis/src/tail",
    "run/src/manifest.rs",
    "server/src/api_error.rs",
    "server/src/error.rs",
    "server/src/lake",
    "server/src/routes",
    "server/src/runs",
    "server/src/session",
    "wire/src/account.rs",
    "wire/src/generator.rs",
    "wire/src/load.rs",
    "wire/src/locks.rs",
    "wire/src/plan.rs",
    "wire/src/scheduling.rs",
    "wire/src/state.rs",
];

/// Fields that have no type of their own in Rust.
const FIELDS: [(&str, &str, &str); 10] = [
    ("Locks", "decisions", "readonly (readonly [string, number])[]"),
    ("GeneratorState", "limits", "Limits"),
    ("GeneratorStatus", "settings", "Settings"),
    ("Differs", "asked", "number | string"),
    ("Differs", "set", "number | string"),
    ("Hold", "above_ns", "Readonly<Partial<Record<Stage, number>>>"),
    ("LiveLines", "above_ns", "Readonly<Partial<Record<Stage, number>>>"),
    ("RunDetails", "manifest", "Manifest"),
    ("RunDetails", "summary", "Summary"),
    ("SweepSeries", "knee", KNEE),
];

/// Types that the page makes no use of, and that name many others.
const UNKNOWN: [&str; 3] = ["LoadCpu", "PartFigures", "Plan"];

/// Types whose name is another's in settings.ts, and what they are called instead.
const CALLED: [(&str, &str); 6] = [
    ("Limits", "ShiftLimits"),
    ("Point", "SweepPoint"),
    ("Row", "CauseRow"),
    ("Rows", "CauseRows"),
    ("Series", "SweepSeries"),
    ("Settings", "LockSettings"),
];

/// Where a stage stops keeping up, by its kind.
const KNEE: &str = "{ readonly kind: \"below\"; readonly next_hz: number } \
                    | { readonly kind: \"at\"; readonly frequency_hz: number; readonly next_hz: number; readonly ratio: number } \
                    | { readonly kind: \"beyond\"; readonly frequency_hz: number }";

/// Kinds of causes by their names.
static KINDS: LazyLock<Vec<&str>> =
    LazyLock::new(|| CauseKind::ALL.iter().map(|kind| kind.name()).collect());

/// Returns the sets of names.
fn names() -> BTreeMap<&'static str, &'static [&'static str]> {
    [
        ("CauseKind", KINDS.as_slice()),
        ("GeneratorKind", GeneratorKind::NAMES),
        ("Load", Load::NAMES),
        ("RunState", RunState::NAMES),
        ("Shape", Shape::NAMES),
        ("Stage", Stage::NAMES),
        ("StartAt", StartAt::NAMES),
        ("View", View::NAMES),
    ]
    .into()
}

struct Source {
    file: PathBuf,
    name: String,
    item: Rc<Item>,
}

/// Reads every public type of the sources.
fn sources() -> Vec<Source> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut all = Vec::new();
    for source in SOURCES {
        let path = crates.join(source);
        let files = match std::fs::read_dir(&path) {
            Ok(files) => files.map(|file| file.unwrap().path()).collect(),
            Err(_) => vec![path],
        };
        for file in files {
            let text = std::fs::read_to_string(&file).unwrap();
            for item in syn::parse_file(&text).unwrap().items {
                let name = match &item {
                    Item::Struct(item) => item.ident.to_string(),
                    Item::Enum(item) => item.ident.to_string(),
                    _ => continue,
                };
                all.push(Source { file: file.clone(), name, item: Rc::new(item) });
            }
        }
    }
    all
}

/// Returns the words of an attribute such as `#[serde(rename = "a", skip)]`, each with its text.
fn words(attributes: &[Attribute], of: &str) -> BTreeMap<String, String> {
    let mut words = BTreeMap::new();
    for attribute in attributes.iter().filter(|one| one.path().is_ident(of)) {
        let all = attribute.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated);
        for meta in all.unwrap() {
            let text = match &meta {
                Meta::NameValue(pair) => text(&pair.value),
                _ => String::new(),
            };
            words.insert(meta.path().segments.last().unwrap().ident.to_string(), text);
        }
    }
    words
}

fn text(value: &Expr) -> String {
    match value {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Str(text) => text.value(),
            _ => String::new(),
        },
        _ => String::new(),
    }
}

/// Returns the comment, on a line.
fn comment(attributes: &[Attribute], indent: &str) -> String {
    let mut lines = Vec::new();
    for attribute in attributes {
        if let Meta::NameValue(pair) = &attribute.meta
            && pair.path.is_ident("doc")
        {
            lines.push(text(&pair.value).trim().to_owned());
        }
    }
    if lines.is_empty() { String::new() } else { format!("{indent}/** {} */\n", lines.join(" ")) }
}

fn snake(name: &str) -> String {
    let mut snake = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
    }
    snake
}

fn union(names: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    names.into_iter().map(|name| format!("{:?}", name.as_ref())).collect::<Vec<_>>().join(" | ")
}

struct Printer {
    sources: Vec<Source>,
    /// By name, what is printed; empty while it is being made.
    printed: BTreeMap<String, String>,
}

impl Printer {
    /// Prints a type that a file names, and all that it names in turn; returns what to call it.
    fn print(&mut self, name: &str, file: Option<&Path>) -> String {
        if let Some(names) = names().get(name) {
            self.printed
                .entry(name.into())
                .or_insert_with(|| format!("export type {name} = {};\n", union(*names)));
            return name.into();
        }
        let mut found: Vec<&Source> = self.sources.iter().filter(|one| one.name == name).collect();
        if found.iter().any(|one| Some(&*one.file) == file) {
            found.retain(|one| Some(&*one.file) == file);
        }
        let (item, file) = match &found[..] {
            _ if UNKNOWN.contains(&name) => return "unknown".into(),
            [] if file.is_some() => return "unknown".into(),
            [one] => (one.item.clone(), one.file.clone()),
            _ => panic!("{} types are called {name}", found.len()),
        };
        let called = CALLED.iter().find(|(rust, _)| *rust == name).map_or(name, |(_, ts)| ts);
        if !self.printed.contains_key(called) {
            self.printed.insert(called.into(), String::new());
            let printed = match &*item {
                Item::Struct(item) => self.structure(called, item, &file),
                Item::Enum(item) => enumeration(called, item),
                _ => unreachable!("only these two are read"),
            };
            self.printed.insert(called.into(), printed);
        }
        called.into()
    }

    fn structure(&mut self, name: &str, item: &ItemStruct, file: &Path) -> String {
        let whole = words(&item.attrs, "serde");
        let is_request = !words(&item.attrs, "derive").contains_key("Serialize");
        let (mut bases, mut fields) = (Vec::new(), String::new());
        let Fields::Named(named) = &item.fields else {
            panic!("{name} has no names for its fields")
        };
        for field in &named.named {
            let serde = words(&field.attrs, "serde");
            let ident = field.ident.as_ref().unwrap().to_string();
            let key = serde.get("rename").unwrap_or(&ident).trim_start_matches("r#").to_owned();
            let own = FIELDS.iter().find(|(of, field, _)| (*of, *field) == (name, &*ident));
            let mut ts = match own {
                Some((_, _, ts)) => (*ts).to_owned(),
                None if serde.contains_key("skip") => continue,
                None => self.of(&field.ty, file),
            };
            if serde.contains_key("flatten") {
                bases.push(ts);
                continue;
            }
            let may_lack = if is_request {
                let has_default = |words: &BTreeMap<_, _>| words.contains_key("default");
                has_default(&serde) || has_default(&whole) || ts.ends_with(" | null")
            } else {
                serde.contains_key("skip_serializing_if")
            };
            if is_request {
                ts = ts.trim_end_matches(" | null").to_owned();
            }
            let mark = if may_lack { "?" } else { "" };
            fields += &comment(&field.attrs, "  ");
            writeln!(fields, "  readonly {key}{mark}: {ts};").unwrap();
        }
        let bases =
            if bases.is_empty() { String::new() } else { format!(" extends {}", bases.join(", ")) };
        format!("{}export interface {name}{bases} {{\n{fields}}}\n", comment(&item.attrs, ""))
    }

    /// Returns the type of what a Rust type is in JSON.
    fn of(&mut self, ty: &Type, file: &Path) -> String {
        match ty {
            Type::Reference(reference) => self.of(&reference.elem, file),
            Type::Array(array) => list(&self.of(&array.elem, file)),
            Type::Slice(slice) => list(&self.of(&slice.elem, file)),
            Type::Path(path) => {
                let last = path.path.segments.last().unwrap();
                let mut inner = Vec::new();
                if let PathArguments::AngleBracketed(arguments) = &last.arguments {
                    for argument in &arguments.args {
                        if let GenericArgument::Type(ty) = argument {
                            inner.push(self.of(ty, file));
                        }
                    }
                }
                match (last.ident.to_string().as_str(), &inner[..]) {
                    ("Option", [inner]) if inner == "unknown" => inner.clone(),
                    ("Option", [inner]) => format!("{inner} | null"),
                    ("Vec", [inner]) => list(inner),
                    ("Arc" | "Box", [inner]) => inner.clone(),
                    ("BTreeMap", [key, value]) => {
                        format!("Readonly<Partial<Record<{key}, {value}>>>")
                    }
                    ("String" | "str", _) => "string".into(),
                    ("bool", _) => "boolean".into(),
                    ("u8" | "u16" | "u32" | "u64" | "usize" | "i64" | "f64" | "Quantile", _) => {
                        "number".into()
                    }
                    (name, _) => self.print(name, Some(file)),
                }
            }
            _ => "unknown".into(),
        }
    }
}

fn list(of: &str) -> String {
    if of.contains(' ') { format!("readonly ({of})[]") } else { format!("readonly {of}[]") }
}

fn enumeration(name: &str, item: &ItemEnum) -> String {
    let is_snake =
        words(&item.attrs, "serde").get("rename_all").is_some_and(|all| all == "snake_case");
    assert!(is_snake && item.variants.iter().all(|one| one.fields.is_empty()), "{name}");
    let names = union(item.variants.iter().map(|one| snake(&one.ident.to_string())));
    format!("{}export type {name} = {names};\n", comment(&item.attrs, ""))
}

#[test]
fn the_page_has_the_types_of_the_server() {
    let mut printer = Printer { sources: sources(), printed: BTreeMap::new() };
    for root in ROOTS {
        printer.print(root, None);
    }
    let all: Vec<String> = printer.printed.into_values().collect();
    let head = "// SPDX-License-Identifier: Apache-2.0 OR MIT\n\
        // Written from the server's types by\n\
        // `UPDATE=1 cargo test -p irqscope-server --test integration page_types`; change those instead.\n\n\
        import type { Limits, Settings } from \"./settings.js\";\n\n";
    let new = head.to_owned() + &all.join("\n");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ui/src/api/types.ts");
    if std::env::var_os("UPDATE").is_some() {
        return std::fs::write(path, new).unwrap();
    }
    let remedy =
        "write it anew: UPDATE=1 cargo test -p irqscope-server --test integration page_types";
    let old = std::fs::read_to_string(path).unwrap_or_default();
    assert!(old == new, "ui/src/api/types.ts is not what the server's types say; {remedy}");
}

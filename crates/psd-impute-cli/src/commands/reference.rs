//! The site's page of all options, `docs/options.md`, from the same definitions as the commands. `TRYCMD=overwrite` writes it.

#![allow(clippy::unwrap_used)]

use crate::Arguments;
use clap::{Arg, Command, CommandFactory};
use std::fmt::Write;
use std::fs;
use std::path::Path;

const HEAD: &str = "# All options

Written from the definitions of the commands; `psd-impute COMMAND --help` says the same. The [guide](command.md) goes through the tasks.
";

#[test]
fn the_page_of_options_is_up_to_date() {
    let mut command = Arguments::command();
    // Subcommands then know their full names.
    command.build();
    let mut page = HEAD.to_string();
    for subcommand in subcommands(&command) {
        describe(&mut page, subcommand);
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/options.md");
    if std::env::var_os("TRYCMD").is_some_and(|mode| mode == "overwrite") {
        fs::write(&path, &page).unwrap();
    }
    assert!(
        fs::read_to_string(&path).unwrap() == page,
        "docs/options.md is out of date: TRYCMD=overwrite cargo test -p psd-impute-cli writes it"
    );
}

fn subcommands(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|sub| sub.get_name() != "help")
}

/// A section for a command, or one for each of its subcommands.
fn describe(page: &mut String, command: &Command) {
    if command.has_subcommands() {
        return subcommands(command).for_each(|sub| describe(page, sub));
    }
    let name = command.get_bin_name().unwrap().trim_start_matches("psd-impute ");
    let about = command.get_long_about().or(command.get_about()).unwrap();
    let usage = command.clone().render_usage().to_string();
    writeln!(page, "\n## {name}\n\n{}.\n", one_line(about)).unwrap();
    writeln!(page, "```text\n{}\n```", usage.trim_start_matches("Usage: ")).unwrap();
    let shown = |arg: &&Arg| !arg.is_hide_set() && arg.get_id() != "help";
    let arguments: Vec<&Arg> = command.get_arguments().filter(shown).collect();
    if !arguments.is_empty() {
        writeln!(page, "\n| argument | meaning |\n|---|---|").unwrap();
    }
    for arg in arguments {
        writeln!(page, "| {} | {} |", name_of(arg), meaning(arg).replace('|', "\\|")).unwrap();
    }
}

/// An argument as it is typed: `-o`, `--output <OUTPUT>`.
fn name_of(arg: &Arg) -> String {
    let long = code(&arg.to_string());
    match (arg.get_short(), arg.get_long()) {
        (Some(short), Some(_)) => format!("`-{short}`, {long}"),
        _ => long,
    }
}

/// Code in a cell of a table, where Markdown readers disagree on a bar between backticks.
fn code(text: &str) -> String {
    if !text.contains('|') {
        return format!("`{text}`");
    }
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('|', "&#124;");
    format!("<code>{text}</code>")
}

/// The help of an argument, its possible values and its default.
fn meaning(arg: &Arg) -> String {
    let help = arg.get_long_help().or(arg.get_help()).unwrap();
    let mut text = one_line(help);
    if !text.ends_with('.') {
        text.push('.');
    }
    if !arg.get_action().takes_values() {
        return text;
    }
    let values = arg.get_possible_values();
    for value in values.iter().filter(|value| !value.is_hide_set()) {
        let help = value.get_help().map(|help| format!(": {}", one_line(help))).unwrap_or_default();
        write!(text, "<br>`{}`{help}", value.get_name()).unwrap();
    }
    let default = arg.get_default_values().iter().map(|value| value.to_str().unwrap());
    let default: Vec<&str> = default.collect();
    if !default.is_empty() {
        let before = if values.is_empty() { " " } else { "<br>" };
        write!(text, "{before}Default: `{}`.", default.join(" ")).unwrap();
    }
    text
}

/// A text in one line, without the final full stop.
fn one_line(text: impl ToString) -> String {
    let text = text.to_string().split_whitespace().collect::<Vec<_>>().join(" ");
    let sentence = if text.ends_with("...") { None } else { text.strip_suffix('.') };
    sentence.unwrap_or(&text).to_string()
}

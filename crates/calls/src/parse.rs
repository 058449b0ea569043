// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The grammar of calls.

use winnow::ascii::{dec_uint, digit1, hex_uint, multispace0};
use winnow::combinator::{
    alt, cut_err, delimited, eof, opt, preceded, repeat, separated, terminated,
};
use winnow::error::{ContextError, ErrMode};
use winnow::prelude::*;
use winnow::token::{none_of, one_of, take_while};

/// How deep words may lie in words.
const DEPTH: usize = 3;

/// A call as it was written.
pub(crate) struct Written<'a> {
    pub keeps: Option<usize>,
    pub name: &'a str,
    pub arguments: Vec<Word<'a>>,
    pub may_fail: bool,
}

/// An argument as it was written.
pub(crate) enum Word<'a> {
    /// Numbers and names of constants.
    Joined(Vec<i64>, Vec<&'a str>),
    Result(usize),
    Bytes(usize),
    Text(String),
    Words(Vec<Word<'a>>),
}

type Parsed<T> = Result<T, ErrMode<ContextError>>;

/// Reads a call; the error is what could not be read.
pub(crate) fn call(text: &str) -> Result<Written<'_>, String> {
    let mut rest = text;
    written.parse_next(&mut rest).map_err(|_| rest.to_owned())
}

fn written<'a>(input: &mut &'a str) -> Parsed<Written<'a>> {
    let result = terminated(result, (multispace0, '=', multispace0));
    let keeps = preceded(multispace0, opt(result)).parse_next(input)?;
    let name = identifier.parse_next(input)?;
    let inner = separated(0.., |input: &mut _| word(DEPTH, input), (multispace0, ',', multispace0));
    let arguments =
        delimited((multispace0, '(', multispace0), inner, (multispace0, cut_err(')'), multispace0))
            .parse_next(input)?;
    let may_fail = opt('?').parse_next(input)?.is_some();
    (multispace0, eof).parse_next(input)?;
    Ok(Written { keeps, name, arguments, may_fail })
}

fn identifier<'a>(input: &mut &'a str) -> Parsed<&'a str> {
    let first = one_of(|c: char| c.is_ascii_alphabetic() || c == '_');
    let rest = take_while(0.., |c: char| c.is_ascii_alphanumeric() || c == '_');
    (first, rest).take().parse_next(input)
}

fn result(input: &mut &str) -> Parsed<usize> {
    preceded('r', dec_uint::<_, u8, _>).map(usize::from).parse_next(input)
}

fn word<'a>(depth: usize, input: &mut &'a str) -> Parsed<Word<'a>> {
    match input.as_bytes().first() {
        Some(b'"') => text.parse_next(input),
        Some(b'&') => preceded('&', cut_err(size)).map(Word::Bytes).parse_next(input),
        Some(b'[') if depth > 0 => {
            let inner = separated(
                0..,
                |input: &mut _| word(depth - 1, input),
                (multispace0, ',', multispace0),
            );
            delimited(('[', multispace0), inner, (multispace0, cut_err(']')))
                .map(Word::Words)
                .parse_next(input)
        }
        Some(b'r') if input.as_bytes().get(1).is_some_and(u8::is_ascii_digit) => {
            result.map(Word::Result).parse_next(input)
        }
        _ => joined.parse_next(input),
    }
}

/// Reads numbers and names with `|` between them.
fn joined<'a>(input: &mut &'a str) -> Parsed<Word<'a>> {
    enum Term<'a> {
        Number(i64),
        Name(&'a str),
    }
    let term = alt((number.map(Term::Number), identifier.map(Term::Name)));
    let terms: Vec<Term<'a>> =
        separated(1.., term, (multispace0, '|', multispace0)).parse_next(input)?;
    let (mut numbers, mut names) = (Vec::new(), Vec::new());
    for term in terms {
        match term {
            Term::Number(number) => numbers.push(number),
            Term::Name(name) => names.push(name),
        }
    }
    Ok(Word::Joined(numbers, names))
}

fn size(input: &mut &str) -> Parsed<usize> {
    number.verify_map(|number| usize::try_from(number).ok()).parse_next(input)
}

/// Reads a number: decimal or hexadecimal, any 64 bits, and negative or with a unit of bytes.
fn number(input: &mut &str) -> Parsed<i64> {
    let hexadecimal = preceded("0x", cut_err(hex_uint::<_, u64, _>)).map(u64::cast_signed);
    let decimal = (opt('-'), digit1, opt(one_of(['K', 'M', 'G']))).verify_map(scaled);
    alt((hexadecimal, decimal)).parse_next(input)
}

fn scaled((minus, digits, unit): (Option<char>, &str, Option<char>)) -> Option<i64> {
    let shift = match unit {
        Some('K') => 10,
        Some('M') => 20,
        Some('G') => 30,
        _ => 0,
    };
    let value = digits.parse::<i128>().ok()?.checked_mul(1 << shift)?;
    let value = if minus.is_some() { -value } else { value };
    // Addresses and masks are unsigned.
    i64::try_from(value).ok().or_else(|| u64::try_from(value).ok().map(u64::cast_signed))
}

fn text<'a>(input: &mut &'a str) -> Parsed<Word<'a>> {
    let escaped = preceded('\\', one_of(['"', '\\']));
    let char = alt((escaped, none_of(['"', '\\'])));
    let chars = repeat(0.., char);
    delimited('"', chars, cut_err('"')).map(Word::Text).parse_next(input)
}

// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The board's name on a network without a name server: a query for `irqscope.local` is answered
//! with its address (multicast DNS, RFC 6762).

use smoltcp::wire::DnsPacket;

pub const PORT: u16 = 5353;
pub const GROUP: [u8; 4] = [224, 0, 0, 251];
/// An answer at most.
pub const LONGEST: usize = 64;
/// `irqscope.local`, as it is on the wire.
const NAME: &[u8] = b"\x08irqscope\x05local\x00";
const LABELS: [&[u8]; 2] = [b"irqscope", b"local"];

const HEADER: usize = 12;
/// Of the header's third byte: an answer, and one that has a right to be.
const ANSWER: u8 = 0x84;
const A: u16 = 1;
const ANY: u16 = 255;
const INTERNET: u16 = 1;
/// In a question: answer me alone. In an answer: what was known before is over.
const TOP_BIT: u16 = 0x8000;
const SECONDS: u32 = 120;
/// Time to live for a legacy unicast query: its source port is not 5353, and the client keeps
/// nothing (RFC 6762, 6.7).
const SHORT_SECONDS: u32 = 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    pub length: usize,
    /// To the group; else to the client.
    pub to_group: bool,
}

/// Writes the answer to a packet that came from this port. None: it asks nothing that concerns this
/// board.
pub fn answer(
    asked: &[u8],
    from_port: u16,
    address: [u8; 4],
    answer: &mut [u8; LONGEST],
) -> Option<Answer> {
    let packet = DnsPacket::new_checked(asked).ok()?;
    let is_question = asked[2] & 0x80 == 0;
    let alone = find(&packet, asked).filter(|_| is_question)?;
    // An ordinary resolver needs its number and its question back.
    let ordinary = from_port != PORT;
    let mut said = Said { bytes: answer, length: 0 };
    said.word(if ordinary { packet.transaction_id() } else { 0 });
    said.put(&[ANSWER, 0]);
    for count in [u16::from(ordinary), 1, 0, 0] {
        said.word(count);
    }
    if ordinary {
        said.put(NAME);
        said.word(A);
        said.word(INTERNET);
    }
    said.put(NAME);
    said.word(A);
    said.word(if ordinary { INTERNET } else { INTERNET | TOP_BIT });
    said.put(&(if ordinary { SHORT_SECONDS } else { SECONDS }).to_be_bytes());
    said.word(address.len() as u16);
    said.put(&address);
    Some(Answer { length: said.length, to_group: !(ordinary || alone) })
}

/// Returns whether the board's address is asked for; if so, whether the answer goes to the client
/// alone.
fn find(packet: &DnsPacket<&[u8]>, bytes: &[u8]) -> Option<bool> {
    let mut at = HEADER;
    for _ in 0..packet.question_count() {
        let end = at + name_length(bytes.get(at..)?)?;
        let [high, low, class_high, class_low] = *bytes.get(end..end + 4)? else { return None };
        let kind = u16::from_be_bytes([high, low]);
        let class = u16::from_be_bytes([class_high, class_low]);
        let named = is_ours(packet, bytes.get(at..)?);
        if named && matches!(kind, A | ANY) && class & !TOP_BIT == INTERNET {
            return Some(class & TOP_BIT != 0);
        }
        at = end + 4;
    }
    None
}

/// Compares names; they do not distinguish small letters from capital ones.
fn is_ours(packet: &DnsPacket<&[u8]>, name: &[u8]) -> bool {
    let mut labels = packet.parse_name(name);
    let ours = LABELS
        .iter()
        .all(|label| matches!(labels.next(), Some(Ok(asked)) if asked.eq_ignore_ascii_case(label)));
    ours && labels.next().is_none()
}

/// Returns a name's length in the packet: up to its end, or to a pointer to the rest.
fn name_length(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        match *bytes.get(at)? {
            0 => return Some(at + 1),
            label if label & 0xc0 == 0 => at += 1 + usize::from(label),
            label if label & 0xc0 == 0xc0 => return Some(at + 2),
            _ => return None,
        }
    }
}

struct Said<'a> {
    bytes: &'a mut [u8; LONGEST],
    length: usize,
}

impl Said<'_> {
    /// Appends bytes; all of an answer is known to fit.
    fn put(&mut self, bytes: &[u8]) {
        for (place, byte) in self.bytes[self.length..].iter_mut().zip(bytes) {
            *place = *byte;
        }
        self.length += bytes.len();
    }

    fn word(&mut self, word: u16) {
        self.put(&word.to_be_bytes());
    }
}

const _: () = assert!(HEADER + 2 * NAME.len() + 4 + 10 + 4 <= LONGEST);

#[cfg(test)]
mod tests {
    use super::*;

    const ADDRESS: [u8; 4] = [192, 168, 77, 1];

    fn asking(questions: &[(&[u8], u16, u16)]) -> Vec<u8> {
        let mut bytes = vec![0x12, 0x34, 0, 0, 0, questions.len() as u8, 0, 0, 0, 0, 0, 0];
        for (name, kind, class) in questions {
            bytes.extend_from_slice(name);
            bytes.extend(kind.to_be_bytes());
            bytes.extend(class.to_be_bytes());
        }
        bytes
    }

    fn told(asked: &[u8], from_port: u16) -> Option<(Vec<u8>, bool)> {
        let mut buffer = [0; LONGEST];
        let Answer { length, to_group } = answer(asked, from_port, ADDRESS, &mut buffer)?;
        Some((buffer[..length].to_vec(), to_group))
    }

    #[test]
    fn who_asks_for_the_name_is_told_the_address_by_way_of_the_group() {
        let (said, to_group) = told(&asking(&[(NAME, A, INTERNET)]), PORT).unwrap();
        let header = [0, 0, 0x84, 0, 0, 0, 0, 1, 0, 0, 0, 0];
        let record = [0, 1, 0x80, 1, 0, 0, 0, 120, 0, 4, 192, 168, 77, 1];
        assert_eq!(said, [&header, NAME, &record].concat());
        assert!(to_group);
        assert_eq!(told(&asking(&[(NAME, ANY, INTERNET | TOP_BIT)]), PORT), Some((said, false)));
    }

    #[test]
    fn an_ordinary_resolver_gets_its_number_and_its_question_back() {
        let (said, to_group) = told(&asking(&[(NAME, A, INTERNET)]), 40_000).unwrap();
        assert_eq!(said[..6], [0x12, 0x34, 0x84, 0, 0, 1]);
        assert_eq!(said[HEADER..HEADER + NAME.len()], *NAME);
        assert_eq!(said[said.len() - 4..], ADDRESS);
        assert!(!to_group);
    }

    #[test]
    fn one_question_among_others_is_found_in_capitals_and_behind_a_pointer() {
        let capitals = b"\x08IRQScope\x05LOCAL\x00";
        let other = b"\x05other\x05local\x00";
        // "irqscope", then what stands behind "other".
        let pointing = b"\x08irqscope\xc0\x12";
        assert!(told(&asking(&[(other, A, 1), (capitals, A, 1)]), PORT).is_some());
        assert!(told(&asking(&[(other, A, 1), (pointing, A, 1)]), PORT).is_some());
    }

    #[test]
    fn what_does_not_concern_this_board_is_left_unanswered() {
        let (longer, aaaa) = (b"\x01a\x08irqscope\x05local\x00", 28);
        assert_eq!(told(&asking(&[(longer, A, 1)]), PORT), None);
        assert_eq!(told(&asking(&[(NAME, aaaa, 1)]), PORT), None);
        let (said, _) = told(&asking(&[(NAME, A, 1)]), 40_000).unwrap();
        assert_eq!(told(&said, PORT), None, "an answer is no question");
    }

    #[test]
    fn any_bytes_are_read_without_a_panic() {
        let good = asking(&[(b"\x05other\x05local\x00", A, 1), (b"\x08irqscope\xc0\x12", A, 1)]);
        (0..good.len()).for_each(|length| drop(told(&good[..length], PORT)));
        for place in 0..good.len() {
            for value in [0, 1, 0x3f, 0x40, 0xc0, 0xff] {
                let mut damaged = good.clone();
                damaged[place] = value;
                told(&damaged, PORT);
            }
        }
    }
}

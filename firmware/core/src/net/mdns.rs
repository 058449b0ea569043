// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The board's name on a network without a name server, and its service: queries for
//! `irqscope-SERIAL.local` are answered with its address (multicast DNS, RFC 6762), those for
//! `_irqscope._tcp` with the name (DNS-SD, RFC 6763). No two boards have the same serial number.

use smoltcp::wire::DnsPacket;

use super::PORT as SERVED;

pub const PORT: u16 = 5353;
pub const GROUP: [u8; 4] = [224, 0, 0, 251];
/// An answer at most.
pub const LONGEST: usize = 448;

const LABEL: usize = 25;
const HEADER: usize = 12;
/// Of the header's third byte: an answer, and one that has a right to be.
const ANSWER: u8 = 0x84;
const ANY: u16 = 255;
const INTERNET: u16 = 1;
/// In a question: answer me alone. In an answer: what was known before is over.
const TOP_BIT: u16 = 0x8000;
const SECONDS: u32 = 120;
/// Time to live for a legacy unicast query: its source port is not 5353, and the client keeps
/// nothing (RFC 6762, 6.7).
const SHORT_SECONDS: u32 = 10;

/// The first label of a board's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label([u8; LABEL]);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    pub length: usize,
    /// To the group; else to the client.
    pub to_group: bool,
    /// Other boards answer, too: each after a time of its own (RFC 6762, 6).
    pub is_shared: bool,
}

/// The facts that a board knows about itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Record {
    /// Which services there are: the board's.
    Services,
    /// Which boards have the service: this one.
    Instance,
    /// Where the service of this board is.
    Server,
    /// Anything else about it: nothing.
    Text,
    /// The board's address.
    Address,
}

use Record::{Address, Instance, Server, Services, Text};

const SERVICE: [&[u8]; 3] = [b"_irqscope", b"_tcp", b"local"];
const ALL: [Record; 5] = [Services, Instance, Server, Text, Address];

impl Record {
    const fn kind(self) -> u16 {
        match self {
            Services | Instance => 12,
            Server => 33,
            Text => 16,
            Address => 1,
        }
    }

    /// Returns whether other boards have one of the same name.
    const fn is_shared(self) -> bool {
        matches!(self, Services | Instance)
    }

    /// Returns whether a client that asks for this record wants the other one next.
    fn leads_to(self, other: Self) -> bool {
        let follow: &[Self] = match self {
            Instance => &[Server, Text, Address],
            Server => &[Address],
            Services | Text | Address => &[],
        };
        follow.contains(&other)
    }

    fn name(self, label: &Label) -> impl Iterator<Item = &[u8]> + Clone {
        const META: [&[u8]; 4] = [b"_services", b"_dns-sd", b"_udp", b"local"];
        let (own, rest): (_, &[&[u8]]) = match self {
            Services => (None, &META),
            Instance => (None, &SERVICE),
            Server | Text => (Some(&label.0[..]), &SERVICE),
            Address => (Some(&label.0[..]), &SERVICE[2..]),
        };
        own.into_iter().chain(rest.iter().copied())
    }
}

impl Label {
    pub fn new(serial: u64) -> Self {
        let mut label = *b"irqscope-0000000000000000";
        for (place, digit) in label.iter_mut().rev().take(16).enumerate() {
            *digit = b"0123456789abcdef"[(serial >> (4 * place)) as usize & 15];
        }
        Self(label)
    }

    /// Writes the answer to a packet that came from this port. None: it asks nothing that concerns
    /// this board.
    pub fn answer(
        &self,
        asked: &[u8],
        from_port: u16,
        address: [u8; 4],
        answer: &mut [u8; LONGEST],
    ) -> Option<Answer> {
        let packet = DnsPacket::new_checked(asked).ok()?;
        let is_question = asked[2] & 0x80 == 0;
        let Wanted { records, alone, question } =
            self.find(&packet, asked).filter(|_| is_question)?;
        let also = ALL.map(|record| {
            !wants(&records, record)
                && ALL.iter().any(|it| wants(&records, *it) && it.leads_to(record))
        });
        // An ordinary resolver needs its number and its question back.
        let ordinary = from_port != PORT;
        let mut said = Said { bytes: answer, length: 0, ordinary };
        said.word(if ordinary { packet.transaction_id() } else { 0 });
        said.put(&[ANSWER, 0]);
        for count in [u16::from(ordinary), count(&records), 0, count(&also)] {
            said.word(count);
        }
        if ordinary {
            said.name(question.0.name(self));
            said.word(question.1);
            said.word(INTERNET);
        }
        for chosen in [&records, &also] {
            let chosen = ALL.iter().filter(|record| wants(chosen, **record));
            chosen.for_each(|record| said.record(*record, self, address));
        }
        Some(Answer {
            length: said.length,
            to_group: !(ordinary || alone),
            is_shared: ALL.iter().any(|record| wants(&records, *record) && record.is_shared()),
        })
    }

    /// Returns the records that a packet asks for.
    fn find(&self, packet: &DnsPacket<&[u8]>, bytes: &[u8]) -> Option<Wanted> {
        let mut at = HEADER;
        let mut wanted: Option<Wanted> = None;
        for _ in 0..packet.question_count() {
            let end = at + name_length(bytes.get(at..)?)?;
            let [high, low, class_high, class_low] = *bytes.get(end..end + 4)? else { return None };
            let kind = u16::from_be_bytes([high, low]);
            let class = u16::from_be_bytes([class_high, class_low]);
            let asks = |record: Record| {
                matches!(kind, ANY) | (kind == record.kind())
                    && class & !TOP_BIT == INTERNET
                    && is_name(packet, &bytes[at..], record.name(self))
            };
            let alone = class & TOP_BIT != 0;
            for (place, record) in ALL.into_iter().enumerate().filter(|(_, record)| asks(*record)) {
                let none = Wanted { records: [false; 5], alone: true, question: (record, kind) };
                let wanted = wanted.get_or_insert(none);
                wanted.records[place] = true;
                wanted.alone &= alone;
            }
            at = end + 4;
        }
        wanted
    }
}

struct Wanted {
    records: [bool; 5],
    /// Every question is to be answered to the client alone.
    alone: bool,
    /// The first question: what has its name, and the kind that it asks for.
    question: (Record, u16),
}

fn wants(records: &[bool; 5], record: Record) -> bool {
    records[record as usize]
}

fn count(records: &[bool; 5]) -> u16 {
    records.iter().map(|wanted| u16::from(*wanted)).sum()
}

/// Compares names; they do not distinguish small letters from capital ones.
fn is_name<'a>(
    packet: &DnsPacket<&[u8]>,
    name: &[u8],
    mut ours: impl Iterator<Item = &'a [u8]>,
) -> bool {
    let mut labels = packet.parse_name(name);
    let same = ours
        .by_ref()
        .all(|label| matches!(labels.next(), Some(Ok(asked)) if asked.eq_ignore_ascii_case(label)));
    same && labels.next().is_none()
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
    ordinary: bool,
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

    fn name<'a>(&mut self, labels: impl Iterator<Item = &'a [u8]>) {
        for label in labels {
            self.put(&[label.len() as u8]);
            self.put(label);
        }
        self.put(&[0]);
    }

    fn record(&mut self, record: Record, label: &Label, address: [u8; 4]) {
        self.name(record.name(label));
        self.word(record.kind());
        let alone = !self.ordinary && !record.is_shared();
        self.word(if alone { INTERNET | TOP_BIT } else { INTERNET });
        self.put(&(if self.ordinary { SHORT_SECONDS } else { SECONDS }).to_be_bytes());
        let at = self.length;
        self.word(0);
        match record {
            Services => self.name(Instance.name(label)),
            Instance => self.name(Server.name(label)),
            Server => {
                // Priority, weight.
                self.put(&[0; 4]);
                self.word(SERVED);
                self.name(Address.name(label));
            }
            Text => self.put(&[0]),
            Address => self.put(&address),
        }
        let length = (self.length - at - 2) as u16;
        self.bytes[at..at + 2].copy_from_slice(&length.to_be_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADDRESS: [u8; 4] = [192, 168, 77, 1];
    const SERIAL: u64 = 0x0123_4567_89ab_cdef;
    const NAME: &[u8] = b"\x19irqscope-0123456789abcdef\x05local\x00";
    const SERVED_AS: &[u8] = b"\x09_irqscope\x04_tcp\x05local\x00";
    const A: u16 = 1;
    const PTR: u16 = 12;

    fn asking(questions: &[(&[u8], u16, u16)]) -> Vec<u8> {
        let mut bytes = vec![0x12, 0x34, 0, 0, 0, questions.len() as u8, 0, 0, 0, 0, 0, 0];
        for (name, kind, class) in questions {
            bytes.extend_from_slice(name);
            bytes.extend(kind.to_be_bytes());
            bytes.extend(class.to_be_bytes());
        }
        bytes
    }

    fn told_by(serial: u64, asked: &[u8], from_port: u16) -> Option<(Vec<u8>, Answer)> {
        let mut buffer = [0; LONGEST];
        let answer = Label::new(serial).answer(asked, from_port, ADDRESS, &mut buffer)?;
        Some((buffer[..answer.length].to_vec(), answer))
    }

    fn told(asked: &[u8], from_port: u16) -> Option<(Vec<u8>, bool)> {
        told_by(SERIAL, asked, from_port).map(|(said, answer)| (said, answer.to_group))
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
    fn two_boards_answer_who_asks_for_the_service_each_with_its_own_name() {
        let asked = asking(&[(SERVED_AS, PTR, INTERNET)]);
        for serial in [SERIAL, SERIAL ^ 1] {
            let (said, answer) = told_by(serial, &asked, 40_000).unwrap();
            assert!(answer.is_shared && !answer.to_group);
            assert_eq!(said[..HEADER], [0x12, 0x34, 0x84, 0, 0, 1, 0, 1, 0, 0, 0, 3]);
            let label = Label::new(serial).0;
            let instance = [b"\x19", &label[..], SERVED_AS].concat();
            let name = [b"\x19", &label[..], b"\x05local\x00"].concat();
            let short = [0, 0, 0, 10];
            let expected = [
                &asked[HEADER..],
                // The service is this board's, which is at a name and a port,
                SERVED_AS,
                &[0, 12, 0, 1],
                &short,
                &[0, 48],
                &instance,
                &instance,
                &[0, 33, 0, 1],
                &short,
                &[0, 39, 0, 0, 0, 0, 0x1b, 0xc6],
                &name,
                // has no more to say,
                &instance,
                &[0, 16, 0, 1],
                &short,
                &[0, 1, 0],
                // and the name is at an address.
                &name,
                &[0, 1, 0, 1],
                &short,
                &[0, 4, 192, 168, 77, 1],
            ];
            assert_eq!(said[HEADER..], expected.concat());
        }
        let others = asking(&[(NAME, A, INTERNET)]);
        assert_eq!(told_by(SERIAL ^ 1, &others, PORT), None);
    }

    #[test]
    fn who_asks_for_all_services_is_told_this_one() {
        let asked = asking(&[(b"\x09_services\x07_dns-sd\x04_udp\x05local\x00", PTR, INTERNET)]);
        let (said, answer) = told_by(SERIAL, &asked, PORT).unwrap();
        assert!(said.ends_with(SERVED_AS) && answer.is_shared && answer.to_group);
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
        let capitals = b"\x19IRQScope-0123456789ABCDEF\x05LOCAL\x00";
        let other = b"\x05other\x05local\x00";
        // The label, then what stands behind "other".
        let pointing = b"\x19irqscope-0123456789abcdef\xc0\x12";
        assert!(told(&asking(&[(other, A, 1), (capitals, A, 1)]), PORT).is_some());
        assert!(told(&asking(&[(other, A, 1), (pointing, A, 1)]), PORT).is_some());
    }

    #[test]
    fn everything_at_once_fits() {
        let instance = [b"\x19irqscope-0123456789abcdef", SERVED_AS].concat();
        let meta = b"\x09_services\x07_dns-sd\x04_udp\x05local\x00";
        // The longest name first: an ordinary resolver gets it back.
        let all: [&[u8]; 4] = [&instance, meta, SERVED_AS, NAME];
        let (said, _) = told(&asking(&all.map(|name| (name, ANY, 1))), 40_000).unwrap();
        assert!(said.len() <= LONGEST && said.ends_with(&ADDRESS), "{}", said.len());
    }

    #[test]
    fn what_does_not_concern_this_board_is_left_unanswered() {
        let longer = [b"\x01a", NAME].concat();
        let aaaa = 28;
        assert_eq!(told(&asking(&[(&longer, A, 1)]), PORT), None);
        assert_eq!(told(&asking(&[(b"\x08irqscope\x05local\x00", A, 1)]), PORT), None);
        assert_eq!(told(&asking(&[(NAME, aaaa, 1)]), PORT), None);
        let (said, _) = told(&asking(&[(NAME, A, 1)]), 40_000).unwrap();
        assert_eq!(told(&said, PORT), None, "an answer is no question");
    }

    #[test]
    fn any_bytes_are_read_without_a_panic() {
        let pointing = b"\x19irqscope-0123456789abcdef\xc0\x12";
        let good =
            asking(&[(b"\x05other\x05local\x00", A, 1), (pointing, A, 1), (SERVED_AS, PTR, 1)]);
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

// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Snapshots a few times in a second, as long as somebody looks and something
//! changes.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::watch;

use super::snapshot::{Measurement, Snapshot};
use super::{Inner, lock};

/// Between two snapshots.
const PAUSE: Duration = Duration::from_millis(250);

pub struct Publisher {
    newest: watch::Sender<Arc<Snapshot>>,
    /// Goes up with every change.
    changes: AtomicU64,
    /// The changes that the newest snapshot has seen; one is made at a time.
    seen: Mutex<u64>,
}

impl Default for Publisher {
    fn default() -> Self {
        let newest = watch::Sender::new(Arc::new(Snapshot::default()));
        Self { newest, changes: AtomicU64::new(1), seen: Mutex::new(0) }
    }
}

impl Publisher {
    pub fn touch(&self) {
        self.changes.fetch_add(1, Ordering::Relaxed);
    }

    pub fn subscribe(&self) -> watch::Receiver<Arc<Snapshot>> {
        self.newest.subscribe()
    }
}

impl Inner {
    /// Makes a snapshot if anything has changed.
    pub(super) fn publish(&self) {
        let publisher = &self.publisher;
        let mut seen = lock(&publisher.seen);
        let changes = publisher.changes.load(Ordering::Relaxed);
        if *seen == changes {
            return;
        }
        *seen = changes;
        let measurement = lock(&self.measurement).clone();
        let generator = lock(&self.generator).clone();
        publisher.newest.send_replace(Arc::new(Snapshot {
            sequence: changes,
            generator,
            measurement: measurement.as_deref().map(Measurement::of),
        }));
    }
}

/// Starts the thread, which holds the state only while it makes a snapshot.
pub fn start(inner: &Arc<Inner>) {
    let desk = Arc::downgrade(inner);
    std::thread::spawn(move || {
        while let Some(desk) = desk.upgrade() {
            if desk.stop.requested() {
                return;
            }
            if desk.publisher.newest.receiver_count() > 0 {
                desk.publish();
            }
            drop(desk);
            std::thread::sleep(PAUSE);
        }
    });
}

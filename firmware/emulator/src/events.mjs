// SPDX-License-Identifier: Apache-2.0 OR MIT
// @ts-check
// What is to happen in which cycle: a heap. Of one cycle, in the order of being asked.

/** @typedef {{ cycle: number, order: number, act: () => void }} Event */

export class Events {
  constructor() {
    /** @type {Event[]} */
    this.heap = [];
    this.asked = 0;
  }

  /** The next one's cycle. */
  get next() {
    return this.heap.length > 0 ? this.heap[0].cycle : Infinity;
  }

  /** @param {number} cycle @param {() => void} act */
  at(cycle, act) {
    const { heap } = this;
    heap.push({ cycle, order: this.asked++, act });
    let child = heap.length - 1;
    while (child > 0) {
      const parent = (child - 1) >> 1;
      if (!before(heap[child], heap[parent])) break;
      [heap[child], heap[parent]] = [heap[parent], heap[child]];
      child = parent;
    }
  }

  /** @returns {Event} */
  take() {
    const { heap } = this;
    const first = heap[0];
    const last = /** @type {Event} */ (heap.pop());
    if (heap.length > 0) {
      heap[0] = last;
      let parent = 0;
      for (;;) {
        let least = parent;
        for (const child of [2 * parent + 1, 2 * parent + 2]) {
          if (child < heap.length && before(heap[child], heap[least])) least = child;
        }
        if (least === parent) break;
        [heap[parent], heap[least]] = [heap[least], heap[parent]];
        parent = least;
      }
    }
    return first;
  }
}

/** @param {Event} a @param {Event} b */
function before(a, b) {
  return a.cycle < b.cycle || (a.cycle === b.cycle && a.order < b.order);
}

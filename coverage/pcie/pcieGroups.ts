/** Covergroups of transactions between NIC and host. */

import { bins, enumBins } from '../../uvm/coverage/binSpec.ts';
import { covergroup } from '../../uvm/coverage/covergroup.ts';
import { binsof, where } from '../../uvm/coverage/selection.ts';

/** Numbers as in descriptors of the PCIe block. */
export const DIRECTION = { read: 0, write: 1 } as const;
/** What a NIC reaches in host memory, by what the provider has opened to it; data are the rest. */
export const TARGET = {
  data: 0,
  workQueue: 1,
  completionQueue: 2,
  eventQueue: 3,
  context: 4,
  mailbox: 5,
  interrupt: 6,
} as const;

/** Lengths of a request. */
export const DMA_LENGTH = { flush: 0, belowDword: 1, dword: 2, belowLine: 3, line: 4, more: 5, largest: 6 } as const;
/** Where in a line of 64 bytes it begins. */
export const DMA_ADDRESS = { line: 0, dword: 1, odd: 2 } as const;
/** Reads that are outstanding together. */
export const DMA_READS = { none: 0, one: 1, two: 2, few: 3, some: 4, many: 5 } as const;

/** A request of a NIC. One object for all: valid while it is sampled. */
export class DmaSample {
  direction = 0;
  target = 0;
  /** `DMA_LENGTH`, `DMA_ADDRESS`. */
  length = 0;
  address = 0;
  endsAtPage = false;
  /** `DMA_READS`: reads without their whole answer, itself included. */
  reads = 0;
  /** There are as many as there may be. */
  atTheLimit = false;
  /** Writes have not reached memory yet. */
  behindWrites = false;

  /** All of it in one number. */
  get key(): number {
    const flags = (this.endsAtPage ? 1 : 0) | (this.atTheLimit ? 2 : 0) | (this.behindWrites ? 4 : 0);
    const { direction, target, length, address, reads } = this;
    return direction | (target << 1) | (length << 4) | (address << 7) | (reads << 9) | (flags << 12);
  }

  set key(key: number) {
    this.direction = key & 1;
    this.target = (key >>> 1) & 7;
    this.length = (key >>> 4) & 7;
    this.address = (key >>> 7) & 3;
    this.reads = (key >>> 9) & 7;
    this.endsAtPage = (key & (1 << 12)) !== 0;
    this.atTheLimit = (key & (2 << 12)) !== 0;
    this.behindWrites = (key & (4 << 12)) !== 0;
  }
}

/** @param limit largest that is allowed @returns `DMA_LENGTH` */
export function dmaLength(bytes: number, limit: number): number {
  if (bytes === limit) return DMA_LENGTH.largest;
  if (bytes <= 4) return bytes === 4 ? DMA_LENGTH.dword : bytes === 0 ? DMA_LENGTH.flush : DMA_LENGTH.belowDword;
  return bytes < 64 ? DMA_LENGTH.belowLine : bytes === 64 ? DMA_LENGTH.line : DMA_LENGTH.more;
}

/** @returns `DMA_READS` */
export function dmaReads(outstanding: number): number {
  if (outstanding <= 2) return outstanding;
  return outstanding < 8 ? DMA_READS.few : outstanding < 32 ? DMA_READS.some : DMA_READS.many;
}

const DIRECTIONS = enumBins(DIRECTION);

export const dmaCg = covergroup<DmaSample>('dma_cg', { comment: 'requests of NICs to host memory' }, (g) => {
  const direction = g.coverpoint('direction', (d) => d.direction, DIRECTIONS);
  const length = g.coverpoint('length', (d) => d.length, enumBins(DMA_LENGTH));
  const address = g.coverpoint('address', (d) => d.address, enumBins(DMA_ADDRESS));
  const page = g.coverpoint('page_end', (d) => (d.endsAtPage ? 1 : 0), [bins('before', 0), bins('at', 1)]);
  g.cross('direction_x_length', [direction, length], {
    ignore: { flushes_read: binsof(direction, 'write').and(binsof(length, 'flush')) },
  });
  g.cross('direction_x_address', [direction, address]);
  g.cross('direction_x_page_end', [direction, page]);
});

export const dmaTargetCg = covergroup<DmaSample>(
  'dma_target_cg',
  { comment: 'what NICs read and write; reads and writes of contexts are misses and evictions of their caches' },
  (g) => {
    const direction = g.coverpoint('direction', (d) => d.direction, DIRECTIONS);
    const target = g.coverpoint('target', (d) => d.target, enumBins(TARGET));
    const behind = g.coverpoint('writes_before', (d) => (d.behindWrites ? 1 : 0), [
      bins('none', 0),
      bins('under_way', 1),
    ]);
    g.cross('direction_x_target', [direction, target], {
      ignore: {
        software_reads_those: where(
          (d, t) => d === 'read' && ['completionQueue', 'eventQueue', 'interrupt'].includes(t as string),
        ),
        software_writes_those: where((d, t) => d === 'write' && t === 'workQueue'),
      },
    });
    g.cross('target_x_writes_before', [target, behind]);
  },
);

export const readsCg = covergroup<DmaSample>(
  'outstanding_reads_cg',
  { comment: 'reads that a NIC has outstanding together' },
  (g) => {
    const reads = g.coverpoint(
      'outstanding',
      (d) => d.reads,
      enumBins(DMA_READS, ['one', 'two', 'few', 'some', 'many']),
    );
    const limit = g.coverpoint('at_the_limit', (d) => (d.atTheLimit ? 1 : 0), [bins('no', 0), bins('yes', 1)], {
      fromBin: (bin) => (bin === 'yes' ? '+PCIE_TAGS=2' : undefined),
    });
    const target = g.coverpoint('target', (d) => d.target, enumBins(TARGET, ['data', 'workQueue', 'context']));
    g.cross('target_x_outstanding', [target, reads]);
    g.cross('target_x_limit', [target, limit]);
  },
);

/** The last part of an answer. One object for all: valid while it is sampled. */
export class AnswerSample {
  /** At most 15 are told apart. */
  parts = 0;
  /** Reads that were sent before it are still without their whole answer. */
  overtakes = false;
  /** A part of another answer came between its parts. */
  interleaved = false;
  /** `CPL_STATUS`. */
  status = 0;
  lost = false;

  /** All of it in one number. */
  get key(): number {
    const flags = (this.overtakes ? 1 : 0) | (this.interleaved ? 2 : 0) | (this.lost ? 4 : 0);
    return Math.min(this.parts, 15) | (this.status << 4) | (flags << 7);
  }

  set key(key: number) {
    this.parts = key & 15;
    this.status = (key >>> 4) & 7;
    this.overtakes = (key & (1 << 7)) !== 0;
    this.interleaved = (key & (2 << 7)) !== 0;
    this.lost = (key & (4 << 7)) !== 0;
  }
}

export const readAnswerCg = covergroup<AnswerSample>(
  'read_answer_cg',
  { comment: 'how reads of NICs are answered' },
  (g) => {
    const parts = g.coverpoint('parts', (a) => a.parts, [
      bins('one', 1),
      bins('two', 2),
      bins('few', [3, 8]),
      bins('many', [9, 15]),
    ]);
    const order = g.coverpoint('order', (a) => (a.overtakes ? 1 : 0), [bins('in_order', 0), bins('overtakes', 1)]);
    const mixed = g.coverpoint(
      'parts_between',
      (a) => (a.interleaved ? 1 : 0),
      [bins('none', 0), bins('of_others', 1)],
      { iff: (a) => a.parts > 1 },
    );
    g.coverpoint('fate', (a) => (a.lost ? 3 : a.status === 0 ? 0 : a.status === 1 ? 1 : 2), [
      bins('success', 0),
      bins('unsupported', 1),
      bins('aborted', 2),
      bins('lost', 3),
    ]);
    g.cross('parts_x_order', [parts, order]);
    g.cross('parts_x_between', [parts, mixed], { ignore: { one_part: binsof(parts, 'one') } });
  },
);

/** An access of software to a BAR. One object for all: valid while it is sampled. */
export class BarSample {
  direction = 0;
  length = 0;
  bar = 0;
  /** Time since the one before it is short: they follow each other. */
  follows = false;
  /** Requests of the NIC are under way. */
  busy = false;
}

export const barCg = covergroup<BarSample>('bar_cg', { comment: 'accesses of software to a NIC' }, (g) => {
  const direction = g.coverpoint('direction', (b) => b.direction, DIRECTIONS);
  const length = g.coverpoint('length', (b) => b.length, [
    bins('dword', 4),
    bins('qword', 8),
    bins('other', [1, 3], [5, 7], [9, 4096]),
  ]);
  const busy = g.coverpoint('nic', (b) => (b.busy ? 1 : 0), [bins('idle', 0), bins('busy', 1)]);
  g.cross('direction_x_length', [direction, length]);
  g.cross('direction_x_nic', [direction, busy]);
});

/** An interrupt. One object for all: valid while it is sampled. */
export class InterruptSample {
  vector = 0;
  /** Requests of the NIC are under way. */
  busy = false;
}

export const interruptCg = covergroup<InterruptSample>('interrupt_cg', { comment: 'MSI-X messages' }, (g) => {
  const vector = g.coverpoint('vector', (i) => i.vector, [
    bins('first', 0),
    bins('second', 1),
    bins('others', [2, 4095]),
  ]);
  const busy = g.coverpoint('nic', (i) => (i.busy ? 1 : 0), [bins('idle', 0), bins('busy', 1)]);
  g.cross('vector_x_nic', [vector, busy]);
});

/** Settings of a port. One object for all: valid while it is sampled. */
export class PortSample {
  maxPayload = 0;
  maxReadRequest = 0;
  boundary = 0;
  tags = 0;
  splits = false;
  reorders = false;
}

export const pciePortCg = covergroup<PortSample>('pcie_port_cg', { comment: 'settings of PCIe ports' }, (g) => {
  const sizes = [128, 256, 512, 1024, 2048, 4096];
  const payload = g.coverpoint(
    'max_payload',
    (p) => p.maxPayload,
    sizes.map((n) => bins(`mps_${n}`, n)),
    { fromBin: (bin) => `+PCIE_MPS=${bin.slice(4)}` },
  );
  const read = g.coverpoint(
    'max_read_request',
    (p) => p.maxReadRequest,
    sizes.map((n) => bins(`mrrs_${n}`, n)),
    { fromBin: (bin) => `+PCIE_MRRS=${bin.slice(5)}` },
  );
  const boundary = g.coverpoint('boundary', (p) => p.boundary, [bins('rcb_64', 64), bins('rcb_128', 128)], {
    fromBin: (bin) => `+PCIE_RCB=${bin.slice(4)}`,
  });
  g.coverpoint(
    'tags',
    (p) => p.tags,
    [bins('one', 1), bins('few', [2, 31]), bins('standard', [32, 255]), bins('extended', [256, 1024])],
    {
      fromBin: (bin) => `+PCIE_TAGS=${{ one: 1, few: 8, standard: 32, extended: 1024 }[bin]}`,
    },
  );
  const splits = g.coverpoint('splits', (p) => (p.splits ? 1 : 0), [bins('no', 0), bins('yes', 1)], {
    fromBin: (bin) => `+PCIE_CPL_SPLIT=${bin === 'yes' ? 30 : 0}`,
  });
  const reorders = g.coverpoint('reorders', (p) => (p.reorders ? 1 : 0), [bins('no', 0), bins('yes', 1)], {
    fromBin: (bin) => `+PCIE_CPL_REORDER=${bin === 'yes' ? 30 : 0}`,
  });
  g.cross('payload_x_read_request', [payload, read]);
  g.cross('boundary_x_splits', [boundary, splits]);
  g.cross('splits_x_reorders', [splits, reorders]);
});

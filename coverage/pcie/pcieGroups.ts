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

/** A request of a NIC. One object for all: valid while it is sampled. */
export class DmaSample {
  direction = 0;
  target = 0;
  lo = 0;
  length = 0;
  /** Largest that is allowed for its direction. */
  limit = 4096;
  partial = false;
  /** Reads without their whole answer, itself included; and how many there may be. */
  outstanding = 0;
  tags = 1024;
  /** Writes that have not reached memory. */
  writesBefore = 0;
}

const DIRECTIONS = enumBins(DIRECTION);

export const dmaCg = covergroup<DmaSample>('dma_cg', { comment: 'requests of NICs to host memory' }, (g) => {
  const direction = g.coverpoint('direction', (d) => d.direction, DIRECTIONS);
  const length = g.coverpoint(
    'length',
    (d) =>
      d.length === d.limit
        ? 6
        : d.length < 4
          ? Math.min(d.length, 1)
          : d.length === 4
            ? 2
            : d.length < 64
              ? 3
              : d.length === 64
                ? 4
                : 5,
    [
      bins('flush', 0),
      bins('below_dword', 1),
      bins('dword', 2),
      bins('below_line', 3),
      bins('line', 4),
      bins('more', 5),
      bins('largest', 6),
    ],
  );
  const address = g.coverpoint('address', (d) => d.lo & 63, [
    bins('line', 0),
    bins('dword', ...Array.from({ length: 15 }, (_, i) => 4 * i + 4)),
    bins('odd', ...Array.from({ length: 16 }, (_, i): readonly [number, number] => [4 * i + 1, 4 * i + 3])),
  ]);
  const page = g.coverpoint('page_end', (d) => ((d.lo & 4095) + d.length === 4096 ? 1 : 0), [
    bins('before', 0),
    bins('at', 1),
  ]);
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
    const behind = g.coverpoint('writes_before', (d) => Math.min(d.writesBefore, 1), [
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
    const reads = g.coverpoint('outstanding', (d) => d.outstanding, [
      bins('one', 1),
      bins('two', 2),
      bins('few', [3, 7]),
      bins('some', [8, 31]),
      bins('many', [32, 1024]),
    ]);
    const limit = g.coverpoint(
      'at_the_limit',
      (d) => (d.outstanding >= d.tags ? 1 : 0),
      [bins('no', 0), bins('yes', 1)],
      {
        fromBin: (bin) => (bin === 'yes' ? '+PCIE_TAGS=2' : undefined),
      },
    );
    const target = g.coverpoint('target', (d) => d.target, enumBins(TARGET, ['data', 'workQueue', 'context']));
    g.cross('target_x_outstanding', [target, reads]);
    g.cross('target_x_limit', [target, limit]);
  },
);

/** The last part of an answer. One object for all: valid while it is sampled. */
export class AnswerSample {
  parts = 0;
  length = 0;
  /** Reads that were sent before it are still without their whole answer. */
  overtakes = false;
  /** A part of another answer came between its parts. */
  interleaved = false;
  status = 0;
  lost = false;
}

export const readAnswerCg = covergroup<AnswerSample>(
  'read_answer_cg',
  { comment: 'how reads of NICs are answered' },
  (g) => {
    const parts = g.coverpoint('parts', (a) => a.parts, [
      bins('one', 1),
      bins('two', 2),
      bins('few', [3, 8]),
      bins('many', [9, 64]),
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

/** Everything the checks share: tables, options, counters. */

import type { Subject } from '../../rdma/subject.ts';
import { AddressHandles } from './addressHandles.ts';
import { type Message, type QueuePair, NO_MESSAGE } from './work.ts';
import { Messages } from './messages.ts';
import { QueuePairs } from './queuePairs.ts';
import type { Findings } from '../../uvm/report/findings.ts';
import { type AtomicEvents, NO_ATOMICS } from './atomicEvents.ts';
import { FatalEvents } from '../rules/pcie/fatalEvents.ts';
import { ErrorEvents } from '../checks/errorEvents.ts';
import { AsyncEvents } from '../checks/asyncEvents.ts';
import { ClosedRanges } from '../memory/ranges/closedRanges.ts';
import { CqOverflows } from '../checks/cqOverflows.ts';
import { CqEvents } from '../checks/cqEvents.ts';
import { DeviceLives } from './deviceLife.ts';
import { Disturbances } from './disturbances.ts';
import { type LinkTries, UNCOUNTED_TRIES } from './linkTries.ts';
import { DataPages } from '../memory/dataPages.ts';
import { Fences } from './fences.ts';
import { HashTable } from '../memory/hashTable.ts';
import { type MkeyEvents, NO_MKEYS } from './mkeyEvents.ts';
import { MrTable } from './mrTable.ts';
import { OpenRanges } from '../memory/ranges/openRanges.ts';
import type { ResolvedOptions } from './options.ts';
import type { ScbId } from '../report/reportIds.ts';
import type { Bytes, ScoreboardMemory } from '../memory/scoreboardMemory.ts';
import { SnapshotBlocks } from '../memory/snapshotBlocks.ts';
import { PAGE_BYTES } from '../memory/scoreboardMemory.ts';
import { WideningHits } from './widenings.ts';
import { VerifiedMap } from '../memory/verifiedMap.ts';
import { LostWrites } from '../rules/pcie/lostWrites.ts';
import { ResponderResources } from '../rules/pcie/responderResources.ts';
import { DeregisteredKeys } from '../rules/deregisteredKeys.ts';

/** A send queue that software has told the NIC to drain, and that the NIC has not said to be drained. */
export interface Draining {
  /** When the NIC had taken the command, ps, and the service clock then. */
  readonly since: number;
  readonly service: number;
  reported: boolean;
}

/** A request that was refused for want of a receive. */
export interface Refusal {
  /** The request, counted from the first one of its queue pair. */
  readonly number: number;
  /** Of its packet that was refused last. */
  readonly psn: number;
  /** How long the sender was told to wait last, ps. */
  readonly wait: number;
}

/** Simulated time, as the scheduler keeps it. */
export interface Clock {
  readonly now: number;
}

export class OracleState {
  readonly options: ResolvedOptions;
  readonly memory: ScoreboardMemory;
  readonly bytes: Bytes;
  readonly reporter: Findings<ScbId, Subject>;
  /** Queue pairs that an error or software has taken down and that are still there. */
  readonly broken = new Set<QueuePair>();
  /** Queue pairs whose send queue software takes out of SQE, or has taken: with all that `SendQueue.resuming` says so of. */
  readonly resuming = new Set<QueuePair>();
  /**
   * Queue pairs that have asked for the answer to a READ again, or whose request the link has repeated: that may still be under
   * way when it is answered.
   */
  readonly askingAgain = new Set<QueuePair>();
  /** Place in the order of posting of the latest request of a queue pair that ends with an error before it is sent. */
  readonly failing = new Map<QueuePair, number>();
  /**
   * By queue pair of UC: place in the order of posting of the latest message to it that was cut short. It may begin in a
   * receive that is posted later.
   */
  readonly partialMessages = new Map<QueuePair, number>();
  /** Messages in `QueuePair.transit`, of all queue pairs. */
  inTransit = 0;
  /** Messages of unreliable services that may come once more, and have not: one for each time. */
  readonly copies = new Set<Message>();
  readonly events: AsyncEvents;
  readonly errorEvents: ErrorEvents;
  readonly fatalEvents: FatalEvents;
  readonly cqEvents: CqEvents;
  readonly cqOverflows: CqOverflows;
  readonly clock: Clock;
  readonly qps = new QueuePairs();
  readonly disturbances = new Disturbances();
  /** Set by rules of a wire of their own. */
  linkTries: LinkTries = UNCOUNTED_TRIES;
  readonly devices = new DeviceLives();
  /** Of this side; those of the transport rules are theirs: `Certainty.widenings`. */
  readonly widenings = new WideningHits();
  /** Reliable queue pairs that have taken, or may have, a packet that no NIC has sent, and their peers. */
  readonly misled = new Set<QueuePair>();
  readonly requests = new Messages();
  readonly mrs = new MrTable();
  readonly fences = new Fences();
  /** Ranges that outstanding requests allow the NIC to write, by page. */
  readonly openRanges = new OpenRanges();
  /** Those that were closed lately. */
  readonly closedRanges: ClosedRanges;
  readonly deregisteredKeys: DeregisteredKeys;
  /** Set by the oracle: atomics know this state themselves. */
  atomics: AtomicEvents = NO_ATOMICS;
  /** The same of keys that requests change. */
  mkeys: MkeyEvents = NO_MKEYS;
  readonly hashes: HashTable;
  readonly verified: VerifiedMap;
  readonly lostWrites: LostWrites;
  readonly responderResources = new ResponderResources();
  readonly pages: DataPages;
  /** Byte-store offset of a page for bytes that are not stored. */
  readonly scratch: number;
  /** By queue pair. */
  readonly draining = new Map<QueuePair, Draining>();
  /** By sending queue pair: of requests that may still be outstanding, the one that was refused last at the end. */
  readonly refusals = new Map<QueuePair, readonly Refusal[]>();
  /**
   * By queue pair that software has taken, or takes, out of SQE before the completion with the error has come: the first
   * request posted since it began the last time, as of `Message.order`, whether it is done, and how often it did so.
   */
  readonly recoveries = new Map<QueuePair, { readonly from: number; ended: boolean; times: number }>();
  readonly handles = new AddressHandles();
  /** Copies of data by request. */
  readonly snapshots = new Map<Message, number>();
  readonly snapshotBlocks: SnapshotBlocks;

  /** Judgements made: completions and comparisons of data. */
  checks = 0;
  /** Completions that must still come: of signalled sends, and of receives for messages on their way. */
  outstanding = 0;
  /** Unsignalled sends in the queues. */
  unsignalled = 0;
  /** Comparisons left undecided because outstanding requests share the bytes. */
  undecided = 0;
  /** A request with inline data was posted. */
  inlinePosted = false;
  /** Simulated time (ps) that useful work done so far accounts for at the slowest accepted rate. */
  service = Number.NaN;
  /** Oldest and newest plain WRITE whose grant is open. */
  writeHead: Message = NO_MESSAGE;
  writeTail: Message = NO_MESSAGE;

  constructor(options: ResolvedOptions, reporter: Findings<ScbId, Subject>, clock: Clock) {
    // Not a number until here, so that the engine keeps a double from the start.
    this.service = 0;
    this.options = options;
    this.memory = options.memory;
    this.bytes = options.memory.bytes;
    this.reporter = reporter;
    this.events = new AsyncEvents(reporter);
    this.fatalEvents = new FatalEvents(this.qps, reporter);
    this.errorEvents = new ErrorEvents(this.qps, reporter, clock, options.wire);
    this.cqEvents = new CqEvents(reporter);
    this.cqOverflows = new CqOverflows(reporter, clock);
    this.clock = clock;
    this.scratch = this.bytes.alloc(PAGE_BYTES, 16);
    this.snapshotBlocks = new SnapshotBlocks(this.bytes);
    this.closedRanges = new ClosedRanges(
      this.openRanges,
      this.requests,
      clock,
      !options.profiles.some(({ writesInAnyOrder }) => writesInAnyOrder === true),
    );
    this.deregisteredKeys = new DeregisteredKeys(this);
    this.pages = new DataPages(options.memory);
    this.lostWrites = new LostWrites(options.memory, this.pages);
    this.hashes = new HashTable(this.bytes, this.pages);
    this.verified = new VerifiedMap(this.pages, this.hashes);
    // At least one request each, whose data lie in a few neighbouring pages.
    this.requests.reserve(options.queuePairs);
    this.pages.reserve(options.queuePairs);
  }

  /** Notes useful progress of a queue pair. */
  progress(q: QueuePair): void {
    q.progressAt = this.clock.now;
    q.progressService = this.service;
  }
}

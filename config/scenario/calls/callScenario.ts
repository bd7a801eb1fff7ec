/**
 * The form of a scenario as calls: what the software of every host asks of its NIC, call by call, as it was recorded at
 * the host API or written by hand. Any test can be written out in it, whatever made the calls.
 *
 *   stages (one after the other) ─ threads (side by side) ─ steps (one after the other): calls and waits
 *
 * Objects have names (`host0.qp1`), not numbers: numbers and keys are what the NIC hands out when the calls are played.
 * A call that is not allowed when its turn comes, because another one was taken out for example, is left out.
 */

/** First line of every file; the number changes when the meaning of a field does. */
export const CALL_FORMAT = 'rnic-verify scenario 2';

/** The whole file. */
export interface CallScenario {
  readonly format: typeof CALL_FORMAT;
  /** Test and root seed that it was made with: contents of buffers and jitter of buses come from them. */
  readonly test: string;
  readonly seed: number;
  /** Parameters of the run apart from its content, as they would be typed. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Fault rules of the link, in their order. */
  readonly faults: readonly string[];
  readonly hosts: number;
  readonly processes: number;
  /** Receives may be left when the run ends. */
  readonly receivesMayRemain: boolean;
  /** For how long completions lie in a queue, by its name and by how often completions were taken from it before. */
  readonly laziness: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly stages: readonly CallStage[];
}

/** What happens before the next stage begins. */
export interface CallStage {
  readonly threads: readonly CallThread[];
}

/** What one process of a host's software does. */
export interface CallThread {
  readonly name: string;
  /** It goes on when the stage is over. */
  readonly daemon?: true | undefined;
  readonly steps: readonly CallStep[];
}

/** Names of the calls. */
export const CALLS = [
  'openDevice',
  'closeDevice',
  'allocPd',
  'deallocPd',
  'regMr',
  'deregMr',
  'queryMr',
  'allocMw',
  'deallocMw',
  'allocMr',
  'deallocMr',
  'createCq',
  'destroyCq',
  'resizeCq',
  'queryCq',
  'createSrq',
  'modifySrq',
  'querySrq',
  'destroySrq',
  'postSrqRecv',
  'createQp',
  'destroyQp',
  'modifyQp',
  'queryQp',
  'connectQp',
  'createAh',
  'queryAh',
  'destroyAh',
  'postSend',
  'postRecv',
  'armCq',
  'maskEvents',
  'write',
  'refusedCommand',
  'addFault',
  'stopFault',
  'inject',
] as const;
export type CallName = (typeof CALLS)[number];

/** What fault rules are given to, by the names that calls have for it. */
export const FAULT_PORTS = ['link', 'pcie'] as const;
export type FaultPort = (typeof FAULT_PORTS)[number];

/** One call of the host API. */
export interface CallOf<N extends CallName = CallName> {
  readonly call: N;
  /** Name of the object that it is a call of: `host0`, `host0.pd0`, `host0.qp1`, `link`. */
  readonly on: string;
  /** Name of the object that it makes. */
  readonly as?: string | undefined;
  readonly args?: ArgsOf[N] | undefined;
  /** Why software refused it when it was recorded; it is not played. */
  readonly refused?: string | undefined;
}
export type CallStep = { readonly [N in CallName]: CallOf<N> }[CallName] | WaitStep;

/** What a thread waits for before its next step. */
export interface WaitStep {
  /**
   * A time from now; `until` a `time` since the run began; or `completion` of a request of the queue pair `on`; `completions` of all that host `on` has posted;
   * `drained` for the send queue of `on`; `event` for the next completion event of host `on`; `quiet` until nothing moves
   * anywhere any more, when plain WRITEs are judged.
   */
  readonly wait: string;
  readonly time?: string | undefined;
  readonly on?: string | undefined;
  readonly queue?: 'send' | 'receive' | undefined;
  /** Of a request: its `id`. */
  readonly id?: number | undefined;
}

/** Waits that are no times. */
export const WAITS = ['until', 'completion', 'completions', 'drained', 'event', 'quiet'] as const;

type None = Readonly<Record<string, never>>;

interface ArgsOf {
  /** Shared receive queues at a time. */
  readonly openDevice: {
    readonly srqs?: number | undefined;
    readonly keyTags?: number | undefined;
    readonly keysSoon?: true | undefined;
    readonly numbersSoon?: true | undefined;
  };
  readonly closeDevice: None;
  readonly allocPd: { readonly process: number };
  readonly deallocPd: None;
  readonly regMr: { readonly regions: readonly CallRegion[] };
  readonly deregMr: { readonly mrs: readonly string[] };
  readonly allocMw: { readonly type: 1 | 2 };
  readonly deallocMw: None;
  readonly allocMr: { readonly maxPages: number };
  readonly deallocMr: None;
  readonly createCq: {
    readonly process: number;
    readonly entries: number;
    readonly solicitedEvents?: true | undefined;
  };
  readonly destroyCq: None;
  readonly resizeCq: { readonly entries: number };
  readonly queryCq: None;
  readonly queryMr: None;
  readonly createSrq: { readonly maxWr: number; readonly maxSge: number };
  readonly modifySrq: { readonly limit: number };
  readonly querySrq: None;
  readonly destroySrq: None;
  readonly postSrqRecv: { readonly requests: readonly CallRecv[] };
  readonly createQp: CallQp;
  readonly destroyQp: None;
  readonly modifyQp: { readonly state: string; readonly peer?: string | undefined } & CallAttributes;
  readonly queryQp: None;
  readonly connectQp: {
    /** Queue pair at the other end, and the first PSN that it sends; none on UD. */
    readonly peer?: string | undefined;
    readonly peerPsn?: number | undefined;
  } & CallAttributes;
  readonly createAh: {
    readonly host: number;
    readonly ipv6?: boolean | undefined;
    readonly gidIndex?: number | undefined;
    readonly trafficClass?: number | undefined;
    readonly flowLabel?: number | undefined;
    readonly hopLimit?: number | undefined;
  };
  readonly queryAh: None;
  readonly destroyAh: None;
  readonly postSend: { readonly requests: readonly CallSend[] };
  readonly postRecv: { readonly requests: readonly CallRecv[] };
  readonly armCq: { readonly solicitedOnly: boolean };
  readonly maskEvents: { readonly masked: boolean };
  readonly write: CallPlace & { readonly process: number; readonly bytes: string };
  readonly refusedCommand: { readonly mr: string; readonly what: string };
  readonly addFault: { readonly rule: string };
  readonly stopFault: None;
  readonly inject: CallPacket;
}

/** A packet that no NIC has sent; what is left out is as in `InjectedPacket`. */
export interface CallPacket {
  /** Host that it seems to come from, and queue pair that it goes to; or host and a number that no queue pair has. */
  readonly from: string;
  readonly to: string;
  readonly destQp?: number | undefined;
  /** Port of both NICs. Default: that of the queue pair. */
  readonly port?: number | undefined;
  /** `RC SEND_ONLY`, or the number of one that has no name. */
  readonly opcode: string | number;
  /** PSN, counted from the one that the next request of the connection will begin with; or as it is. */
  readonly ahead?: number | undefined;
  readonly psn?: number | undefined;
  /** Bytes in hexadecimal, or how many of 0. */
  readonly payload?: string | number | undefined;
  /** What a WRITE, a READ or an atomic operation aims at. */
  readonly remote?: CallMemory | undefined;
  readonly dmaLength?: number | undefined;
  /** Default: that of the queue pair. */
  readonly qkey?: number | undefined;
  readonly sourceQp?: number | undefined;
  readonly version?: number | undefined;
  readonly partitionKey?: number | undefined;
  readonly solicited?: boolean | undefined;
  readonly ackRequest?: boolean | undefined;
  readonly fecn?: boolean | undefined;
  readonly becn?: boolean | undefined;
  readonly padCount?: number | undefined;
  readonly syndrome?: number | undefined;
  readonly msn?: number | undefined;
  readonly immediate?: number | undefined;
  readonly ipv6?: boolean | undefined;
  readonly trafficClass?: number | undefined;
  readonly icrc?: 'right' | 'wrong' | undefined;
}

/** Attributes of a queue pair, by the names of the host API; `accessFlags` by the names of rights. */
export interface CallAttributes {
  readonly [name: string]: number | boolean | string | readonly string[] | CallAttributes | undefined;
}

/** Memory in an area of a queue pair: byte `at` of `host0.qp0.source` or `host0.qp0.receive`, on the card of `host0.qp0.cardSource` or `host0.qp0.cardReceive`; or an address. */
export interface CallPlace {
  readonly area?: string | undefined;
  readonly at?: number | undefined;
  /** 64 bits, hexadecimal. */
  readonly address?: string | undefined;
}

/** A region to register. */
export interface CallRegion extends CallPlace {
  readonly mr: string;
  readonly length: number;
  readonly access: readonly string[];
  readonly zeroBased?: true | undefined;
}

/** A queue pair to make. */
export interface CallQp {
  readonly type: 'RC' | 'UC' | 'UD';
  readonly sendCq: string;
  readonly recvCq: string;
  readonly maxSendWr: number;
  readonly maxRecvWr: number;
  /** Shared receive queue that it takes its receives from. */
  readonly srq?: string | undefined;
  readonly maxSge: number;
  readonly maxInline?: number | undefined;
  /** Default true. */
  readonly signalAll?: boolean | undefined;
}

/** Memory as a request names it: byte `at` of what the key of `mr` opens, or a place and any key. */
export interface CallMemory extends CallPlace {
  readonly mr?: string | undefined;
  /** A key that requests change, at a place of its own. */
  readonly of?: string | undefined;
  readonly tag?: number | undefined;
  /** Bits of the key of `mr` that are turned. */
  readonly flip?: number | undefined;
  readonly key?: number | undefined;
}

/** A key: that of a region, of a window or of a region that requests register, with a tag of its own where one is given; or any. */
export interface CallKey {
  /** `host0.mr1`, `host0.mw0`, `host0.fast0`. */
  readonly of?: string | undefined;
  readonly tag?: number | undefined;
  readonly key?: number | undefined;
}

/** What BIND_MW and REG_MR make of a key. */
export interface CallChange extends CallPlace {
  readonly key: CallKey;
  /** Region of a window. */
  readonly mr?: CallKey | undefined;
  readonly length: number;
  readonly access: readonly string[];
  readonly zeroBased?: true | undefined;
  readonly type: number;
}

/** A scatter/gather entry. */
export interface CallSge extends CallMemory {
  readonly length: number;
}

/** A request of the send queue. */
export interface CallSend {
  readonly id: number;
  readonly opcode: string;
  readonly flags?: readonly string[] | undefined;
  readonly imm?: number | undefined;
  /** Key to be invalidated. */
  readonly invalidates?: CallKey | undefined;
  readonly change?: CallChange | undefined;
  /** Operands of atomics, hexadecimal. */
  readonly add?: string | undefined;
  readonly compare?: string | undefined;
  readonly swap?: string | undefined;
  readonly sges: readonly CallSge[];
  /** RDMA. */
  readonly remote?: CallMemory | undefined;
  /** UD: address handle, queue pair that it goes to, and its Q_Key where that is another than the queue pair's. */
  readonly ah?: string | undefined;
  readonly to?: string | undefined;
  readonly toQpn?: number | undefined;
  readonly qkey?: number | undefined;
}

/** A receive. */
export interface CallRecv {
  readonly id: number;
  readonly sges: readonly CallSge[];
}

export function isWait(step: CallStep): step is WaitStep {
  return 'wait' in step;
}

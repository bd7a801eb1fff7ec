import type { InjectedPacket } from '../../../agents/link/inject/injectedPacket.ts';
import { BTH_CLASS, BTH_OP, OPCODE_CNP, PSN_MASK } from '../../../rdma/bth.ts';
import { QP_TYPE } from '../../../rdma/verbs.ts';
import { type Proc, delay } from '../../../uvm/kernel/process.ts';
import { NS, US } from '../../../uvm/kernel/time.ts';
import type { Connection } from '../../user/connection.ts';
import { onItsWay } from '../../user/onItsWay.ts';
import { type OneWay, oneWay } from '../../user/oneWay.ts';
import type { RegisteredBuffer } from '../../user/memory/registeredBuffer.ts';
import { talk } from '../../user/talk.ts';
import { UserSequence } from '../../user/userSequence.ts';

/** Bytes of a message, and of what a packet tries to write. */
const BYTES = 600;
const PAYLOAD = 64;
/** A NIC has dealt with a packet by then. */
const REST = 3 * US;
/** A P_Key of another partition, and a queue pair that nobody has. */
const FOREIGN_PARTITION = 0x9234;
const NOBODY = 0xff_fff0;
const CREDITS = 32;
/** A message that takes some time, and the time between answers that come while it is sent. */
const LONG = 65536;
const SOON = 100 * NS;

/** PSNs behind the first one of such a message at any path MTU. */
const GHOST_OF_LONG = 2 * (LONG / 256);

/** What the responder of a connection expects next, and what could be written there. */
interface Target {
  readonly from: number;
  readonly to: number;
  readonly destQp: number;
  readonly psn: number;
  readonly buffer: RegisteredBuffer;
  readonly type: number;
  readonly ipv6: boolean;
}

/**
 * Packets that no NIC has sent and that every NIC must drop without a word (roce-transport.md 4.1): with a wrong invariant
 * CRC, another transport version, a reserved opcode class, of another service, for a queue pair that is not there, of another
 * partition; answers to what was acknowledged long ago, with every number of credits, and to what was never asked; CNPs, right
 * and damaged. Each has the PSN that is expected next, so that a NIC that takes it would write, complete a receive, or lose
 * its place. The traffic before and behind them is judged as if they had never been.
 */
export class DroppedPackets extends UserSequence {
  static readonly typeName: string = 'dropped_packets';
  static readonly description: string = 'forged packets that every NIC must drop, between ordinary messages';

  override *connection(connection: Connection): Proc<void> {
    const { left, right, type } = connection;
    const [there, back] = [
      yield* oneWay(left, right, this.#bytes(type)),
      yield* oneWay(right, left, this.#bytes(type)),
    ];
    const long = type === QP_TYPE.rc ? yield* oneWay(left, right, LONG) : undefined;
    for (let i = 0; i < this.count; i++) {
      yield* this.#traffic(there, type);
      yield* this.#traffic(back, type);
      yield* this.#rest(there);
      for (const packet of packetsFor(yield* this.#targetOf(there, type))) {
        this.link.inject(packet);
        yield* delay(REST);
      }
      if (long !== undefined) yield* this.#whileSending(there, long);
    }
    yield* this.#traffic(there, type);
    yield* this.#traffic(back, type);
  }

  /** Answers to what was acknowledged, and to what was not asked, while a WRITE is sent and not acknowledged. */
  *#whileSending({ from, to, source, target, ...rest }: OneWay, long: OneWay): Proc<void> {
    const { destQp, psn, ...where } = yield* this.#targetOf(
      { from: to, to: from, source, target, ...rest },
      QP_TYPE.rc,
    );
    const { rqPsn = psn } = yield* to.api.queryQp(to.qp);
    yield* from.write(long.source, long.target);
    for (const packet of answers({ ...where, destQp, psn: rqPsn }, GHOST_OF_LONG)) {
      this.link.inject(packet);
      yield* delay(SOON);
    }
    this.expectSuccess(yield* from.sent(), 'WRITE');
  }

  #bytes(type: number): number {
    return type === QP_TYPE.ud ? Math.min(BYTES, this.values.MTU) : BYTES;
  }

  *#traffic(way: OneWay, type: number): Proc<void> {
    if (type !== QP_TYPE.ud) {
      yield* talk(this, way);
      return;
    }
    yield* way.to.receive(way.sink);
    yield* way.from.send(way.source);
    this.expectSuccess(yield* way.from.sent(), 'SEND');
    this.expectSuccess(yield* way.to.received(), 'receive');
  }

  /** Nothing of a direction is under way any more; a receive waits that a forged message could take. */
  *#rest({ to, sink }: OneWay): Proc<void> {
    yield* delay(REST + onItsWay(this.values, this.connections.length * BYTES));
    if (to.qp.recvOutstanding === 0) yield* to.receive(sink);
  }

  *#targetOf({ from, to, target }: OneWay, type: number): Proc<Target> {
    const { rqPsn = 0 } = yield* to.api.queryQp(to.qp);
    return { from: from.host, to: to.host, destQp: to.qp.qpn, psn: rqPsn, buffer: target, type, ipv6: to.qp.ipv6 };
  }
}

function packetsFor(target: Target): InjectedPacket[] {
  const { type } = target;
  const own = classOf(type);
  const others = [BTH_CLASS.rc, BTH_CLASS.uc, BTH_CLASS.ud].filter((each) => each !== own);
  return [
    ...[sendTo(target, own), ...(type === QP_TYPE.ud ? [] : [writeTo(target, own)])].flatMap(damaged),
    ...others.map((other) => sendTo(target, other)),
    ...(type === QP_TYPE.ud ? [writeTo(target, BTH_CLASS.rc)] : []),
    ...[0x40, 0xa0, 0xc0, 0xe0].map((reserved) => ({ ...sendTo(target, own), opcode: reserved | BTH_OP.sendOnly })),
    ...notifications(target),
    ...(type === QP_TYPE.rc ? answers(target) : []),
  ];
}

/** Variants of a packet that a NIC would take, each of which it must not take. */
function damaged(packet: InjectedPacket): InjectedPacket[] {
  return [
    { ...packet, icrc: 'wrong' },
    { ...packet, version: 1 },
    { ...packet, destQp: NOBODY },
    { ...packet, destQp: 0 },
    { ...packet, partitionKey: FOREIGN_PARTITION },
  ];
}

/** Of congestion: right ones, damaged ones, and for nobody. None has a PSN that counts. */
function notifications({ from, to, destQp, psn, ipv6 }: Target): InjectedPacket[] {
  const right = { from, to, destQp, opcode: OPCODE_CNP, ipv6 };
  return [right, { ...right, icrc: 'wrong' }, { ...right, destQp: NOBODY }, { ...right, psn }];
}

/** Acknowledgements and refusals of what is behind, and of what was not asked for. */
function answers(target: Target, ahead = 1000): InjectedPacket[] {
  const { from, to, destQp, ipv6 } = target;
  const ack = { from, to, destQp, ipv6, opcode: BTH_CLASS.rc | BTH_OP.acknowledge };
  const [stale, ghost] = [(target.psn - 2) & PSN_MASK, (target.psn + ahead) & PSN_MASK];
  return [
    ...Array.from({ length: CREDITS }, (_, credits) => ({ ...ack, psn: stale, syndrome: credits })),
    ...[0x60, 0x61, 0x20].map((syndrome) => ({ ...ack, psn: stale, syndrome })),
    ...[0x1f, 0x60, 0x61].map((syndrome) => ({ ...ack, psn: ghost, syndrome })),
  ];
}

function sendTo({ from, to, destQp, psn, ipv6 }: Target, service: number): InjectedPacket {
  return { from, to, destQp, psn, ipv6, opcode: service | BTH_OP.sendOnly, payload: ones(PAYLOAD), ackRequest: true };
}

function writeTo(target: Target, service: number): InjectedPacket {
  const { buffer } = target;
  const va = (BigInt(buffer.hi >>> 0) << 32n) | BigInt(buffer.lo >>> 0);
  return { ...sendTo(target, service), opcode: service | BTH_OP.writeOnly, va, rkey: buffer.key };
}

function ones(length: number): Uint8Array {
  return new Uint8Array(length).fill(0xa5);
}

function classOf(type: number): number {
  if (type === QP_TYPE.rc) return BTH_CLASS.rc;
  return type === QP_TYPE.uc ? BTH_CLASS.uc : BTH_CLASS.ud;
}

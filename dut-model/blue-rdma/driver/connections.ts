/**
 * States of queue pairs, and what drivers of peers tell each other of them beside the network: which receives there are, that a
 * message is refused, that nobody receives any more (blue-rdma.md sections 12 and 13).
 */
import { DEFAULT_UDP_PORT } from '../layout/wire.ts';
import { STRIDE } from '../layout/limits.ts';
import { ACCESS, QP_STATE, WC_STATUS } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { NetAddresses } from '../../../env/ports/netAddress.ts';
import { HostApiError } from '../../../env/verbs/hostErrors.ts';
import type { QpAttributes } from '../../../env/verbs/qpAttributes.ts';
import { describe } from '../../../env/verbs/qpTransitions.ts';
import { type BlueCq, type BlueQp, peerName } from './blueObjects.ts';
import type { CompletionQueues } from './completionQueues.ts';
import type { ConnectionPsns, OutOfBandChannel, OutOfBandMessage, OutOfBandUser } from './outOfBand.ts';
import type { CommandQueue, QpContext } from './rings/commandQueue.ts';
import type { ReceiveSide } from './workers/receiveSide.ts';
import type { RequestStarter } from './workers/requestStarter.ts';
import type { SendSide, SendSideUser } from './workers/sendSide.ts';

export interface ConnectionParts {
  readonly addresses: NetAddresses;
  readonly channel: OutOfBandChannel;
  readonly commands: CommandQueue;
  readonly completions: CompletionQueues;
  readonly sendSide: SendSide;
  readonly receiveSide: ReceiveSide;
  readonly starter: RequestStarter;
  /** The queue pair of a number, if there is one. */
  find(qpn: number): BlueQp | null;
}

export class Connections implements OutOfBandUser, SendSideUser {
  readonly #p: ConnectionParts;

  constructor(parts: ConnectionParts) {
    this.#p = parts;
  }

  /** MODIFY_QP, of attributes that have been checked and noted. */
  *modify(own: BlueQp, attr: QpAttributes): Proc<void> {
    checkStride(own, attr);
    switch (attr.state) {
      case QP_STATE.reset:
        yield* this.forget(own);
        break;
      case QP_STATE.rtr:
        own.beginsAt(0, own.rqPsn);
        yield* this.#p.commands.manageQp(this.#contextOf(own, true, false));
        own.known = true;
        this.#offerAll(own);
        this.#expected(own);
        break;
      case QP_STATE.rts:
        if (attr.sqPsn !== undefined && (!own.begun || own.firstSent !== own.sqPsn)) own.sendsFrom(own.sqPsn);
        own.retries = own.retryCnt;
        // It may have failed by itself meanwhile, and the NIC must not take it for a good one again.
        yield* this.#p.commands.manageQp(this.#contextOf(own, true, own.failed));
        break;
      case QP_STATE.err:
        if (own.known) yield* this.#p.commands.manageQp(this.#contextOf(own, true, true));
        own.failed = true;
        own.stopped = true;
        own.due = 0;
        this.#closed(own);
        this.#p.sendSide.touch(own);
        this.#p.receiveSide.touch(own);
        break;
      case QP_STATE.init:
      case QP_STATE.sqd:
      case QP_STATE.sqe:
        // The NIC knows nothing of these.
        break;
    }
  }

  outOfBand(message: OutOfBandMessage): void {
    const qp = this.#p.find(message.toQpn);
    if (qp === null) return;
    const name = peerName(message.fromHost, message.fromQpn);
    if (message.kind === 'open') {
      qp.offers.set(name, []);
      qp.peersExpect.set(name, message.psn);
      qp.usedUp.delete(name);
      this.#expected(qp);
    } else if (message.kind === 'closed') {
      qp.offers.delete(name);
      if (qp.running) this.#p.starter.wake(qp);
    } else if (message.kind === 'receive') {
      qp.offers.get(name)?.push(message);
      if (qp.running) this.#p.starter.wake(qp);
    } else if (!qp.running || qp.peer !== name || !isMeant(qp, message)) return;
    else if (message.kind === 'refused') this.#refused(qp, message.msn, message.status);
    else this.#tooLong(qp);
  }

  tooLong(qp: BlueQp): void {
    this.#p.channel.send({ ...ends(qp), ...psns(qp), kind: 'tooLong' });
  }

  /** The peer's driver is told that a READ is refused. */
  refuse(qp: BlueQp, msn: number, status: number): void {
    this.#p.channel.send({ ...ends(qp), ...psns(qp), kind: 'refused', msn, status });
  }

  /** The NIC and the driver drop everything of a queue pair. */
  *forget(qp: BlueQp): Proc<void> {
    const { known } = qp;
    this.#closed(qp);
    qp.known = false;
    qp.restart();
    this.#p.completions.clean(qp.sendCq as BlueCq, qp.qpn);
    this.#p.completions.clean(qp.recvCq as BlueCq, qp.qpn);
    if (known) yield* this.#p.commands.manageQp(this.#contextOf(qp, false, false));
  }

  /** A queue pair has failed by itself: nothing of it ends before its NIC knows, which may be writing to its buffers. */
  failed(qp: BlueQp): void {
    const { life } = qp;
    this.#closed(qp);
    this.#p.commands.tellQp(this.#contextOf(qp, true, true), () => {
      // Software may have taken it to ERR meanwhile: all of it was flushed then.
      if (qp.life !== life || !qp.alive || qp.stopped) return;
      qp.stopped = true;
      this.#p.sendSide.stopped(qp);
      this.#p.receiveSide.stopped(qp);
      qp.ending = null;
    });
  }

  /** In RTR a queue pair answers READs: its peer has said with which PSN it is to begin. */
  #expected(qp: BlueQp): void {
    const psn = qp.peersExpect.get(qp.peer);
    if (psn === undefined || qp.usedUp.has(qp.peer) || qp.begun || !qp.running) return;
    qp.sendsFrom(psn);
    this.#p.starter.wake(qp);
  }

  /** The peer is told that nothing more is received. */
  #closed(qp: BlueQp): void {
    if (!qp.isOpen) return;
    qp.isOpen = false;
    this.#p.channel.send({ ...ends(qp), kind: 'closed' });
  }

  #refused(qp: BlueQp, msn: number, status: number): void {
    const request = qp.list.byMsn(msn);
    if (request === undefined) return;
    request.refused = status;
    this.#p.sendSide.touch(qp);
  }

  /** What the peer sends next does not fit the receive that it would take. */
  #tooLong(qp: BlueQp): void {
    this.#p.sendSide.end(qp, { request: null, receive: qp.receives[0] ?? null, status: WC_STATUS.locLenErr });
  }

  /** The peer hears of all receives that are posted. */
  #offerAll(qp: BlueQp): void {
    this.#p.channel.send({ ...ends(qp), kind: 'open', psn: qp.rqPsn });
    qp.isOpen = true;
    for (let i = 0; i < qp.receives.length; i++) this.offer(qp, i);
  }

  /** The peer hears of a receive. @param i place among those that are posted */
  offer(qp: BlueQp, i: number): void {
    const { hi, lo, length, key } = qp.receives[i] as BlueQp['receives'][number];
    this.#p.channel.send({ ...ends(qp), kind: 'receive', hi, lo, length, key });
  }

  #contextOf(qp: BlueQp, valid: boolean, error: boolean): QpContext {
    const remote = this.#p.addresses.of(qp.remoteHost);
    return {
      qpn: qp.qpn,
      valid,
      error,
      peerQpn: qp.destQpn,
      type: qp.type,
      access: (qp.accessFlags | ACCESS.localWrite) & 0xf,
      pmtuCode: qp.pathMtu,
      port: DEFAULT_UDP_PORT,
      macHigh: remote.macHigh,
      macLow: remote.macLow,
      ip: remote.ipv4 | 0,
      startPsn: qp.rqPsn,
    };
  }
}

/** The NIC begins at multiples of its stride only. */
function checkStride(qp: BlueQp, { rqPsn, sqPsn }: QpAttributes): void {
  for (const [what, psn = 0] of [
    ['rqPsn', rqPsn],
    ['sqPsn', sqPsn],
  ] as const) {
    if (psn % STRIDE === 0) continue;
    const hint = `use a multiple of ${STRIDE}, such as ${psn - (psn % STRIDE)}`;
    throw new HostApiError('ATTRIBUTE', describe(qp), `${what} of ${psn}`, hint, psn);
  }
}

/** Ends of a message to the peer of a queue pair. */
function ends(qp: BlueQp): { fromHost: number; fromQpn: number; toHost: number; toQpn: number } {
  return { fromHost: qp.host, fromQpn: qp.qpn, toHost: qp.remoteHost, toQpn: qp.destQpn };
}

function psns(qp: BlueQp): ConnectionPsns {
  return { psn: qp.rqPsn, sqPsn: qp.firstSent };
}

/** Whether a peer tells something of this connection. */
function isMeant(qp: BlueQp, { psn, sqPsn }: ConnectionPsns): boolean {
  return psn === qp.firstSent && sqPsn === qp.rqPsn;
}

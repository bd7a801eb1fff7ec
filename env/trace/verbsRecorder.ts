/** Records what happens at the verbs interface of a host. */

import { ACCESS, QP_TYPE_NAME, WR_OPCODE } from '../../rdma/verbs.ts';
import type { Scheduler } from '../../uvm/kernel/scheduler.ts';
import { hex, hexAddress } from '../../uvm/report/hexTexts.ts';
import type {
  AsyncEventItem,
  MrInfo,
  PostedRecv,
  PostedSend,
  QpInfo,
  SendWr,
  Sge,
  VisibleCompletion,
} from '../../agents/verbs/verbsItems.ts';
import type { VerbsObserver } from '../../agents/verbs/verbsObserver.ts';
import { asyncEventText } from './eventTexts.ts';
import { EVENT, type EventLog } from './eventLog.ts';
import { COMPLETION, ENTRY_WORD, POST_RECV, POST_SEND } from './eventWords.ts';
import { bytesOf, type QueuePairs } from './queuePairs.ts';

const TWO_32 = 2 ** 32;

export class VerbsRecorder implements VerbsObserver {
  readonly #log: EventLog;
  readonly #scheduler: Scheduler;
  readonly #pairs: QueuePairs;

  constructor(log: EventLog, scheduler: Scheduler, pairs: QueuePairs) {
    this.#log = log;
    this.#scheduler = scheduler;
    this.#pairs = pairs;
  }

  postedSend(item: PostedSend): void {
    const log = this.#log;
    const { host, qpn, wr } = item;
    const at = log.add(EVENT.postSend, host, this.#scheduler.now, true);
    const w = log.words;
    const first = wr.numSge > 0 ? (wr.sges[0] as Sge) : undefined;
    w[at + POST_SEND.qpn] = qpn;
    w[at + POST_SEND.wqe] = item.wqeIndex;
    w[at + POST_SEND.opcode] = wr.opcode;
    w[at + POST_SEND.flags] = wr.flags;
    w[at + POST_SEND.entries] = wr.numSge;
    w[at + POST_SEND.bytes] = bytesOf(wr.sges, wr.numSge);
    w[at + POST_SEND.idHi] = Math.floor(wr.wrId / TWO_32);
    w[at + POST_SEND.idLo] = wr.wrId | 0;
    w[at + POST_SEND.remoteHost] = item.remoteHost;
    w[at + POST_SEND.remoteHi] = wr.remoteHi;
    w[at + POST_SEND.remoteLo] = wr.remoteLo;
    w[at + POST_SEND.rkey] = wr.opcode < WR_OPCODE.localInv ? wr.rkey : keyOf(wr);
    w[at + POST_SEND.hi] = first?.hi ?? 0;
    w[at + POST_SEND.lo] = first?.lo ?? 0;
    w[at + POST_SEND.imm] = wr.imm;
    w[at + POST_SEND.remoteQpn] = wr.remoteQpn;
    w[at + POST_SEND.qkey] = wr.remoteQkey;
    w[at + POST_SEND.packets] = -1;
    if (!log.looksClosely) return;
    this.#number(w, at, host, qpn, wr);
    this.#entries(host, wr);
  }

  postedRecv({ host, qpn, srqn, wqeIndex, wr }: PostedRecv): void {
    const log = this.#log;
    const at = log.add(EVENT.postRecv, host, this.#scheduler.now, true);
    const w = log.words;
    const first = wr.numSge > 0 ? (wr.sges[0] as Sge) : undefined;
    w[at + POST_RECV.qpn] = qpn;
    w[at + POST_RECV.wqe] = wqeIndex;
    w[at + POST_RECV.entries] = wr.numSge;
    w[at + POST_RECV.bytes] = bytesOf(wr.sges, wr.numSge);
    w[at + POST_RECV.idHi] = Math.floor(wr.wrId / TWO_32);
    w[at + POST_RECV.idLo] = wr.wrId | 0;
    w[at + POST_RECV.hi] = first?.hi ?? 0;
    w[at + POST_RECV.lo] = first?.lo ?? 0;
    w[at + POST_RECV.srqn] = srqn;
    if (!log.looksClosely) return;
    w[at + POST_RECV.process] = this.#pairs.of(host, qpn)?.info.process ?? -1;
    this.#entries(host, wr);
  }

  completion({ host, cqn, wc }: VisibleCompletion): void {
    const log = this.#log;
    const at = log.add(EVENT.completion, host, this.#scheduler.now, true);
    const w = log.words;
    w[at + COMPLETION.cqn] = cqn;
    w[at + COMPLETION.qpn] = wc.qpn;
    w[at + COMPLETION.idHi] = Math.floor(wc.wrId / TWO_32);
    w[at + COMPLETION.idLo] = wc.wrId | 0;
    w[at + COMPLETION.status] = wc.status;
    w[at + COMPLETION.opcode] = wc.opcode;
    w[at + COMPLETION.vendorError] = wc.vendorErr;
    w[at + COMPLETION.bytes] = wc.byteLen;
    w[at + COMPLETION.isSend] = wc.isSend ? 1 : 0;
    w[at + COMPLETION.wqe] = wc.wqeIndex;
    w[at + COMPLETION.flags] = wc.flags;
    w[at + COMPLETION.imm] = wc.imm;
  }

  // ---- states, in words: there are few of them

  qpInRtr(info: QpInfo): void {
    this.#pairs.set(info);
    this.#say(info.host, () => `${nameOf(info.host, info.qpn)} is in RTR${peerText(info)}`);
  }

  qpInRts(info: QpInfo): void {
    this.#pairs.set(info);
    this.#say(info.host, () => `${nameOf(info.host, info.qpn)} is in RTS, ${QP_TYPE_NAME[info.type]}${peerText(info)}`);
  }

  qpChanged(info: QpInfo): void {
    this.#pairs.change(info);
    this.#say(info.host, () => `${nameOf(info.host, info.qpn)} has other attributes`);
  }

  qpDraining(host: number, qpn: number): void {
    this.#say(host, () => `${nameOf(host, qpn)} is told to drain its send queue`);
  }

  qpInSqd(host: number, qpn: number): void {
    this.#say(host, () => `${nameOf(host, qpn)} is in SQD`);
  }

  qpOutOfSqd(host: number, qpn: number): void {
    this.#say(host, () => `${nameOf(host, qpn)} has left SQD`);
  }

  qpOutOfSqe(host: number, qpn: number): void {
    this.#say(host, () => `${nameOf(host, qpn)} has come from SQE to RTS`);
  }

  qpToErr(host: number, qpn: number): void {
    this.#say(host, () => `${nameOf(host, qpn)}: software takes it to ERR`);
  }

  qpInErr(host: number, qpn: number): void {
    this.#say(host, () => `${nameOf(host, qpn)} is in ERR`);
  }

  qpToReset(host: number, qpn: number): void {
    this.#say(host, () => `${nameOf(host, qpn)}: software resets it`);
  }

  qpDestroying(host: number, qpn: number): void {
    this.#say(host, () => `${nameOf(host, qpn)}: software destroys it`);
  }

  qpGone(host: number, qpn: number): void {
    this.#say(host, () => `${nameOf(host, qpn)} is reset or destroyed`);
  }

  cqEvent(host: number, cqn: number): void {
    this.#say(host, () => `host ${host} CQ ${cqn}: its event has come`);
  }

  mrRegistered({ host, key, hi, lo, length, process, pd, access }: MrInfo): void {
    this.#say(host, () => {
      const rights = Object.entries(ACCESS).flatMap(([name, bit]) => ((access & bit) !== 0 ? [name] : []));
      const may = rights.length === 0 ? 'localRead alone' : rights.join(' ');
      const what = `${length} B at ${hexAddress(hi, lo)}, ${may}, process ${process}, domain ${pd}`;
      return `host ${host} key ${hex(key)} is registered: ${what}`;
    });
  }

  mrDeregistering(host: number, key: number): void {
    this.#say(host, () => `host ${host} key ${hex(key)}: software deregisters it`);
  }

  mrDeregistered({ host, key }: MrInfo): void {
    this.#say(host, () => `host ${host} key ${hex(key)} is deregistered`);
  }

  asyncEvent(item: AsyncEventItem): void {
    this.#log.say(EVENT.asyncEvent, item.host, this.#scheduler.now, true, asyncEventText(item));
  }

  #say(host: number, text: () => string): void {
    this.#log.say(EVENT.state, host, this.#scheduler.now, true, text());
  }

  /** Which packets a request will have, as its queue pair counts: by the order of posting alone. */
  #number(w: Int32Array, at: number, host: number, qpn: number, wr: SendWr): void {
    const pair = this.#pairs.of(host, qpn);
    const first = pair?.nextPsn;
    const packets = this.#pairs.take(host, qpn, wr);
    if (pair === undefined || first === undefined || packets === undefined) return;
    w[at + POST_SEND.psn] = first;
    w[at + POST_SEND.packets] = packets;
    w[at + POST_SEND.process] = pair.info.process;
  }

  #entries(host: number, { sges, numSge }: Pick<SendWr, 'sges' | 'numSge'>): void {
    const log = this.#log;
    for (let i = 0; i < numSge && log.looksClosely; i++) {
      const sge = sges[i] as Sge;
      const at = log.add(EVENT.entry, host, this.#scheduler.now, false);
      log.words[at + ENTRY_WORD.hi] = sge.hi;
      log.words[at + ENTRY_WORD.lo] = sge.lo;
      log.words[at + ENTRY_WORD.length] = sge.length;
      log.words[at + ENTRY_WORD.lkey] = sge.lkey;
    }
  }
}

/** The key that a request changes. */
function keyOf({ change, imm }: SendWr): number {
  return change?.key ?? imm;
}

function nameOf(host: number, qpn: number): string {
  return `host ${host} QP ${qpn}`;
}

function peerText({ remoteHost, remoteQpn }: QpInfo): string {
  return remoteHost < 0 ? '' : `, connected with host ${remoteHost} QP ${remoteQpn}`;
}

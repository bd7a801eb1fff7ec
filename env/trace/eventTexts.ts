/** Events in words, as findings and logs name things: a search for one finds it in both. */

import { RNR_TIMER_PS } from '../../rdma/timers.ts';
import {
  ASYNC_EVENT_NAME,
  SEND_FLAG,
  WC_STATUS,
  WC_STATUS_NAME,
  wcOpcodeName,
  WR_OPCODE,
  WR_OPCODE_NAME,
} from '../../rdma/verbs.ts';
import { SYNDROME } from '../../rdma/bth.ts';
import { psnText } from '../../rdma/psnText.ts';
import { TLP_KIND } from '../../dut-model/nic.ts';
import { formatTime } from '../../uvm/kernel/time.ts';
import { hex, hexAddress } from '../../uvm/report/hexTexts.ts';
import type { AsyncEventItem } from '../../agents/verbs/verbsItems.ts';
import { opcodeName } from '../../agents/wire/packetTexts.ts';
import { OPCODE } from '../../agents/wire/wireOpcodes.ts';
import { EVENT, type LoggedEvent } from './eventLog.ts';
import {
  ANSWER_WORD,
  AREA,
  AREA_NAME,
  COMPLETION,
  ENTRY_WORD,
  FRAME_WORD,
  PACKET_WORD,
  POST_RECV,
  POST_SEND,
  TLP_WORD,
} from './eventWords.ts';

const TWO_32 = 2 ** 32;

/** One event in one line. */
export function eventText(event: LoggedEvent): string {
  switch (event.kind) {
    case EVENT.postSend:
      return `${postSendText(event)}${psnsText(event)}`;
    case EVENT.postRecv:
      return postRecvText(event);
    case EVENT.completion:
      return completionText(event);
    case EVENT.packet:
      return `${packetText(event)} leaves`;
    case EVENT.arrival:
      return `${packetText(event)} arrives${event.text}`;
    case EVENT.loss:
      return `${packetText(event)} is lost on the link${event.text}`;
    case EVENT.fate:
      return `${packetText(event)} ${event.text}`;
    case EVENT.frame:
      return frameText(event);
    case EVENT.entry:
      return entryText(event);
    case EVENT.tlp:
      return tlpText(event);
    case EVENT.stored:
      return `host ${event.host}: ${event.words[TLP_WORD.length]} B are in ${targetText(event.words)}`;
    case EVENT.answer:
      return answerText(event);
    case EVENT.barAccess:
      return barText(event);
    case EVENT.commandBegin:
      return `host ${event.host}: ${event.text} begins`;
    case EVENT.command:
      return `host ${event.host}: ${event.text}`;
    case EVENT.doorbell:
      return `host ${event.host}: doorbell, ${event.text}`;
    case EVENT.state:
    case EVENT.asyncEvent:
    case EVENT.report:
      return event.text;
  }
}

/** The same without what only a close look knows: equal of every recorder. */
export function commonText(event: LoggedEvent): string {
  return event.kind === EVENT.postSend ? postSendText(event) : eventText(event);
}

/** Number that the caller gave a request, from two words of an event. */
export function wrIdOf(words: Int32Array, hi: number, lo: number): number {
  return (words[hi] as number) * TWO_32 + ((words[lo] as number) >>> 0);
}

/** An asynchronous event. */
export function asyncEventText({ host, event, number }: AsyncEventItem): string {
  return `host ${host}: asynchronous event ${ASYNC_EVENT_NAME[event] ?? event} for number ${number}`;
}

/** What an AETH syndrome says (roce-transport.md 3.4): `ACK, 5 credits`, `RNR NAK, wait 10us`, `NAK, remote access error`. */
export function syndromeText(syndrome: number): string {
  if (syndrome <= SYNDROME.ack)
    return syndrome === SYNDROME.ack ? 'ACK without credits' : `ACK, credit code ${syndrome}`;
  if (syndrome >= SYNDROME.rnr && syndrome < SYNDROME.rnr + 0x20)
    return `RNR NAK, wait ${formatTime(RNR_TIMER_PS[syndrome & 0x1f] as number)}`;
  return NAK_NAME[syndrome] ?? `reserved syndrome ${hex(syndrome)}`;
}

const NAK_NAME: Readonly<Record<number, string>> = {
  [SYNDROME.nakSequence]: 'NAK, PSN sequence error',
  [SYNDROME.nakInvalid]: 'NAK, invalid request',
  [SYNDROME.nakAccess]: 'NAK, remote access error',
  [SYNDROME.nakOperation]: 'NAK, remote operational error',
};

const REMOTE: ReadonlySet<number> = new Set([
  WR_OPCODE.rdmaWrite,
  WR_OPCODE.rdmaWriteWithImm,
  WR_OPCODE.rdmaRead,
  WR_OPCODE.atomicCmpAndSwp,
  WR_OPCODE.atomicFetchAndAdd,
]);

function postSendText({ host, words: w }: LoggedEvent): string {
  const opcode = w[POST_SEND.opcode] as number;
  const id = `wrId ${wrIdOf(w, POST_SEND.idHi, POST_SEND.idLo)}, WQE ${w[POST_SEND.wqe]}`;
  const remote = REMOTE.has(opcode)
    ? `, remote ${hexAddress(w[POST_SEND.remoteHi] as number, w[POST_SEND.remoteLo] as number)} rkey ${hex(w[POST_SEND.rkey] as number)}`
    : opcode >= WR_OPCODE.localInv
      ? `, key ${hex(w[POST_SEND.rkey] as number)}`
      : '';
  const flags = Object.entries(SEND_FLAG).filter(([, bit]) => ((w[POST_SEND.flags] as number) & bit) !== 0);
  const flagText = flags.length === 0 ? '' : `, ${flags.map(([flag]) => flag).join(' ')}`;
  const list = listText(w, POST_SEND.entries, POST_SEND.bytes, POST_SEND.hi, POST_SEND.lo);
  const name = WR_OPCODE_NAME[opcode] ?? `opcode ${opcode}`;
  return `host ${host} QP ${w[POST_SEND.qpn]}: ${name} (${id}) posted to host ${w[POST_SEND.remoteHost]}, ${list}${remote}${flagText}`;
}

function psnsText({ words: w }: LoggedEvent): string {
  const packets = w[POST_SEND.packets] as number;
  const first = w[POST_SEND.psn] as number;
  return packets < 0 ? '' : `, PSN ${psnText(first)}${packets === 1 ? '' : `..${psnText(first + packets - 1)}`}`;
}

function postRecvText({ host, words: w }: LoggedEvent): string {
  const id = `wrId ${wrIdOf(w, POST_RECV.idHi, POST_RECV.idLo)}, WQE ${w[POST_RECV.wqe]}`;
  const list = listText(w, POST_RECV.entries, POST_RECV.bytes, POST_RECV.hi, POST_RECV.lo);
  const queue = (w[POST_RECV.qpn] as number) < 0 ? `SRQ ${w[POST_RECV.srqn]}` : `QP ${w[POST_RECV.qpn]}`;
  return `host ${host} ${queue}: RECV (${id}) posted, ${list}`;
}

function listText(w: Int32Array, entries: number, bytes: number, hi: number, lo: number): string {
  const count = w[entries] as number;
  if (count === 0) return 'no data';
  const more = count === 1 ? '' : ` and ${count - 1} more`;
  return `${w[bytes]} B at ${hexAddress(w[hi] as number, w[lo] as number)}${more}`;
}

function completionText({ host, words: w }: LoggedEvent): string {
  const status = w[COMPLETION.status] as number;
  const name = WC_STATUS_NAME[status] ?? `status ${status}`;
  const id = `wrId ${wrIdOf(w, COMPLETION.idHi, COMPLETION.idLo)}, WQE ${w[COMPLETION.wqe]}`;
  const where = `host ${host} QP ${w[COMPLETION.qpn]}`;
  const queue = w[COMPLETION.isSend] === 1 ? 'send' : 'receive';
  if (status !== WC_STATUS.success)
    return `${where}: completion ${name} of the ${queue} queue (${id}) in CQ ${w[COMPLETION.cqn]}, vendor error ${w[COMPLETION.vendorError]}`;
  const opcode = wcOpcodeName(w[COMPLETION.opcode] as number);
  return `${where}: completion ${opcode} of the ${queue} queue (${id}) in CQ ${w[COMPLETION.cqn]}, ${name}, ${w[COMPLETION.bytes]} B`;
}

function packetText({ host, words: w }: LoggedEvent): string {
  const source = w[PACKET_WORD.sourceQp] as number;
  const to = w[PACKET_WORD.to] as number;
  const from = source < 0 ? `host ${host}` : `host ${host} QP ${source}`;
  const opcode = w[PACKET_WORD.opcode] as number;
  if (opcode < 0) return `${from}: malformed packet`;
  const flags = w[PACKET_WORD.flags] as number;
  const parts = [
    `${from} to ${to < 0 ? 'all' : `host ${to}`} QP ${w[PACKET_WORD.destQp]}: ${opcodeName(opcode)}, PSN ${psnText(w[PACKET_WORD.psn] as number)}`,
    `${w[PACKET_WORD.payload]} B payload`,
  ];
  if ((flags & OPCODE.reth) !== 0)
    parts.push(
      `${w[PACKET_WORD.dmaLength]} B at ${hexAddress(w[PACKET_WORD.hi] as number, w[PACKET_WORD.lo] as number)} rkey ${hex(w[PACKET_WORD.rkey] as number)}`,
    );
  if ((flags & OPCODE.deth) !== 0) parts.push(`Q_Key ${hex(w[PACKET_WORD.qkey] as number)}`);
  if ((flags & OPCODE.aeth) !== 0)
    parts.push(`${syndromeText(w[PACKET_WORD.syndrome] as number)}, MSN ${w[PACKET_WORD.msn]}`);
  if (w[PACKET_WORD.ackRequest] === 1) parts.push('acknowledgement requested');
  if (w[PACKET_WORD.problems] !== 0) parts.push('broken');
  return parts.join(', ');
}

function frameText({ host, words: w, text }: LoggedEvent): string {
  const to = text === '' || (w[FRAME_WORD.to] as number) < 0 ? '' : ` to host ${w[FRAME_WORD.to]}`;
  return `host ${host}${to}: frame of ${w[FRAME_WORD.length]} B ${text === '' ? 'leaves' : text}`;
}

function entryText({ host, words: w }: LoggedEvent): string {
  const at = hexAddress(w[ENTRY_WORD.hi] as number, w[ENTRY_WORD.lo] as number);
  return `host ${host}: its entry of ${w[ENTRY_WORD.length]} B at ${at} lkey ${hex(w[ENTRY_WORD.lkey] as number)}`;
}

function tlpText({ host, words: w }: LoggedEvent): string {
  const verb = w[TLP_WORD.kind] === TLP_KIND.memRead ? 'reads' : 'writes';
  const tag = w[TLP_WORD.kind] === TLP_KIND.memRead ? `, tag ${w[TLP_WORD.tag]}` : '';
  const poisoned = w[TLP_WORD.poisoned] === 1 ? ', poisoned' : '';
  return `host ${host}: NIC ${verb} ${w[TLP_WORD.length]} B of ${targetText(w)}${tag}${poisoned}`;
}

function targetText(w: Int32Array): string {
  const area = w[TLP_WORD.area] as number;
  const name = AREA_NAME[area] as string;
  const physical = hexAddress(w[TLP_WORD.hi] as number, w[TLP_WORD.lo] as number);
  if (w[TLP_WORD.interrupt] === 1) return `interrupt at ${physical}`;
  if (area === AREA.unknown) return `${name} at ${physical}`;
  if (area === AREA.data)
    return `${name} of process ${w[TLP_WORD.owner]} at ${hexAddress(w[TLP_WORD.virtHi] as number, w[TLP_WORD.virtLo] as number)}`;
  if (area === AREA.queue && (w[TLP_WORD.virtHi] as number) >= 0)
    return `work queue of QP ${w[TLP_WORD.owner]}, byte ${w[TLP_WORD.virtLo]}`;
  if (area === AREA.cq || area === AREA.eq || area === AREA.queue)
    return `${name} ${w[TLP_WORD.owner]}, byte ${w[TLP_WORD.virtLo]}`;
  return `${name} at ${physical}`;
}

function answerText({ host, words: w }: LoggedEvent): string {
  const status = w[ANSWER_WORD.status] === 0 ? '' : `, status ${w[ANSWER_WORD.status]}`;
  const lost = w[ANSWER_WORD.lost] === 1 ? ', lost' : '';
  return `host ${host}: memory answers tag ${w[ANSWER_WORD.tag]} with ${w[ANSWER_WORD.count]} B from byte ${w[ANSWER_WORD.from]}, ${w[ANSWER_WORD.remaining]} to come${status}${lost}`;
}

function barText({ host, words: w }: LoggedEvent): string {
  const verb = w[TLP_WORD.kind] === TLP_KIND.memRead ? 'reads' : 'writes';
  return `host ${host}: software ${verb} ${w[TLP_WORD.length]} B of BAR ${w[TLP_WORD.bar]} at ${hex(w[TLP_WORD.lo] as number)}`;
}

/** Packets on the wire as the scoreboard is told of them, for specs. */

import { PACKET } from '../../../agents/wire/decodedPacket.ts';
import { BTH_CLASS, BTH_OP, SYNDROME } from '../../../rdma/bth.ts';
import type { WirePacket } from '../../../scoreboard/model/wirePacket.ts';
import { QPN } from './fakeWorld.ts';

/** An empty SEND from host 0 to host 1, sent for the first time. */
export const EMPTY_SEND: WirePacket = {
  kind: PACKET.roce,
  problems: 0,
  host: 0,
  to: 1,
  opcode: BTH_CLASS.rc | BTH_OP.sendOnly,
  destQp: QPN[1],
  psn: 100,
  sourceQp: 0,
  qkey: 0,
  dmaLength: 0,
  swapHi: 0,
  swapLo: 0,
  compareHi: 0,
  compareLo: 0,
  originalHi: 0,
  originalLo: 0,
  time: 0,
  syndrome: SYNDROME.ack,
  msn: 0,
  refusedSentAt: -1,
  refusesForGood: false,
  retransmission: false,
  unansweredSince: -1,
  unansweredPsn: 0,
  answersRead: false,
  answersAgain: false,
  beginsAnswer: false,
  readsBehind: -1,
  wasAnswered: false,
  framesBetween: 0,
  vaHi: 0,
  vaLo: 0,
  rkey: 0,
  immediate: 0,
  payload: 64,
  payloadLength: 0,
  solicited: false,
  openReads: 0,
};

/** How the bugs of gapFaults.ts show: what they need, and which checks must see them. */
import type { FaultRow } from '../../fault.ts';
import { underFaults, shortUnderFaults } from '../linkStimulus.ts';

const LOST = '+NET_FAULT=drop opcode=send,write every=9';

export const GAP_ROWS = [
  {
    name: 'gap_nak_twice',
    block: 'responder',
    description: 'a gap is told once more when the second packet behind it comes',
    decides: 'RC ACKNOWLEDGE, PSN #, # B payload, NAK, PSN sequence error',
    caughtBy: ['WIRE_NAK'],
    needs: underFaults(LOST),
  },
  {
    name: 'gap_nak_received_psn',
    block: 'responder',
    description: 'a NAK for a gap names the packet that came and not the one that is missing',
    decides: 'RC ACKNOWLEDGE, PSN #, # B payload, NAK, PSN sequence error',
    caughtBy: ['WIRE_NAK', 'SCB_EARLY'],
    needs: underFaults(LOST),
  },
  {
    name: 'gap_no_nak',
    block: 'responder',
    description: 'no NAK tells of a gap',
    decides: 'SEND (wrId #, WQE #) posted',
    caughtBy: ['SCB_UNANSWERED'],
    needs: underFaults(LOST),
  },
  {
    name: 'gap_nak_first_only',
    block: 'responder',
    description: 'the first gap of a queue pair is told, and no other',
    decides: 'SEND (wrId #, WQE #) posted',
    caughtBy: ['SCB_UNANSWERED'],
    needs: underFaults(LOST),
  },
  {
    name: 'gap_overlooked',
    block: 'responder',
    description: 'the start of a message is taken though packets before it are missing',
    decides: 'RC ACKNOWLEDGE, PSN #',
    caughtBy: ['SCB_DATA'],
    needs: shortUnderFaults(LOST),
  },
  {
    name: 'gap_forgets_message',
    block: 'responder',
    description: 'what was received of a message is forgotten when packets in it are missing',
    decides: 'RC ACKNOWLEDGE, PSN #, # B payload, NAK, invalid request',
    caughtBy: ['SCB_REFUSED'],
    needs: underFaults(LOST),
  },
] as const satisfies readonly FaultRow[];

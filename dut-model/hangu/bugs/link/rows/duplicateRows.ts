/** How the bugs of duplicateFaults.ts show: what they need, and which checks must see them. */
import type { FaultRow } from '../../fault.ts';
import { readsUnderFaults, shortUnderFaults, underFaults } from '../linkStimulus.ts';

const AGAIN = '+NET_FAULT=duplicate opcode=send,write every=3 after=3us';

export const DUPLICATE_ROWS = [
  {
    name: 'duplicate_send_again',
    block: 'responder',
    description: 'a SEND that comes again is received again',
    decides: 'RC ACKNOWLEDGE, PSN #, # B payload, RNR NAK, wait 10us',
    caughtBy: ['WIRE_NAK', 'WIRE_MSN', 'SCB_DATA'],
    needs: shortUnderFaults(AGAIN),
  },
  {
    name: 'duplicate_read_moves',
    block: 'responder',
    description: 'a READ that comes again moves the responder to the packet behind it',
    decides: 'RC READ_RESPONSE_FIRST, PSN #',
    caughtBy: ['WIRE_NAK', 'WIRE_MSN', 'WIRE_ACK_PSN'],
    needs: underFaults('+NET_FAULT=duplicate opcode=read_request every=2 after=3us'),
  },
  {
    name: 'duplicate_unanswered',
    block: 'responder',
    description: 'a SEND or WRITE that comes again is not acknowledged',
    decides: 'RC SEND_ONLY, PSN #',
    caughtBy: ['SCB_UNANSWERED'],
    needs: shortUnderFaults('+READ_WQE_NUM=0', '+NET_FAULT=drop opcode=ack nth=1..60'),
  },
  {
    name: 'duplicate_nak',
    block: 'responder',
    description: 'a SEND or WRITE that comes again is answered with a NAK for a gap',
    decides: 'RC ACKNOWLEDGE, PSN #, # B payload, NAK, PSN sequence error',
    caughtBy: ['WIRE_NAK'],
    needs: shortUnderFaults(AGAIN),
  },
  {
    name: 'duplicate_msn',
    block: 'responder',
    description: 'a SEND or WRITE that comes again counts as a message',
    decides: 'RC ACKNOWLEDGE, PSN #',
    caughtBy: ['WIRE_MSN'],
    needs: shortUnderFaults(AGAIN),
  },
  {
    name: 'duplicate_ends_gap',
    block: 'responder',
    description: 'after a request that has come again a gap is told once more',
    decides: 'RC ACKNOWLEDGE, PSN #, # B payload, NAK, PSN sequence error',
    caughtBy: ['WIRE_NAK'],
    needs: underFaults('+NET_FAULT=drop opcode=send,write every=9; duplicate opcode=send,write every=2 after=1us'),
  },
  {
    name: 'duplicate_old_ahead',
    block: 'responder',
    description: 'what comes again later than four packets is taken for what is still to come',
    decides: 'RC ACKNOWLEDGE, PSN #, # B payload, NAK, PSN sequence error',
    caughtBy: ['WIRE_ACK_PSN', 'WIRE_NAK'],
    needs: underFaults('+NET_FAULT=duplicate opcode=send,write every=5 after=20us'),
  },
  {
    name: 'duplicate_wrap_ahead',
    block: 'responder',
    description: 'what comes again from before the wrap of the PSN is taken for what is still to come',
    decides: 'RC ACKNOWLEDGE, PSN #, # B payload, NAK, PSN sequence error',
    caughtBy: ['WIRE_ACK_PSN', 'WIRE_NAK'],
    needs: underFaults('+PSN=0xfffff0', '+NET_FAULT=duplicate opcode=send,write every=2 after=20us'),
  },
  {
    name: 'duplicate_ends_message',
    block: 'responder',
    description: 'a request that comes again ends the message that is being received',
    decides: 'RC ACKNOWLEDGE, PSN #, # B payload, NAK',
    caughtBy: ['SCB_REFUSED'],
    needs: underFaults(AGAIN),
  },
  {
    name: 'duplicate_write_restarts',
    block: 'responder',
    description: 'the rest of a WRITE goes to the start of one that comes again',
    decides: 'NIC writes # B of data of process #',
    caughtBy: ['SCB_DATA'],
    needs: underFaults('+NET_FAULT=duplicate opcode=write_first every=2 after=1ns'),
  },
  {
    name: 'duplicate_acked_ahead',
    block: 'responder',
    description: 'the acknowledgement of a request that comes again is for one packet more than has come',
    decides: 'RC ACKNOWLEDGE, PSN #',
    caughtBy: ['WIRE_ACK_ORDER', 'WIRE_ACK_PSN'],
    needs: underFaults(AGAIN),
  },
  {
    name: 'duplicate_read_unanswered',
    block: 'responder',
    description: 'a READ whose answers were lost is not answered when it comes again',
    decides: 'RC READ_REQUEST, PSN #',
    caughtBy: ['SCB_UNANSWERED'],
    needs: readsUnderFaults('+NET_FAULT=drop opcode=read_response_last every=3'),
  },
] as const satisfies readonly FaultRow[];

/** How the bugs of damageFaults.ts show: what they need, and which checks must see them. */
import type { FaultRow } from '../../fault.ts';
import { shortUnderFaults, ucUnderFaults, underFaults } from '../linkStimulus.ts';

const LOST = '+NET_FAULT=drop service=uc every=7';

const MARKED = '+NET_FAULT=mark every=4';

export const DAMAGE_ROWS = [
  {
    name: 'icrc_ignored',
    block: 'parser',
    description: 'the invariant CRC of what comes is not looked at',
    decides: 'NIC writes # B of data of process #',
    caughtBy: ['SCB_DATA', 'WIRE_ACK_UNARRIVED'],
    needs: shortUnderFaults('+NET_FAULT=corrupt field=payload every=5'),
  },
  {
    name: 'icrc_ignored_without_data',
    block: 'parser',
    description: 'the invariant CRC of packets without data is not looked at',
    decides: 'completion RECV of the receive queue',
    caughtBy: ['SCB_STATUS'],
    needs: shortUnderFaults('+NET_FAULT=corrupt opcode=ack field=syndrome xor=0x62 every=5'),
  },
  {
    name: 'cnp_unmarked',
    block: 'congestion',
    description: 'packets that could have been marked are answered with CNPs as if they were',
    decides: 'CNP, PSN #',
    caughtBy: ['WIRE_CNP_UNMARKED'],
    needs: underFaults('+NET_FAULT=mark every=50'),
  },
  {
    name: 'cnp_missing',
    block: 'congestion',
    description: 'marked packets are not answered with CNPs',
    decides: 'SEND (wrId #, WQE #) posted',
    caughtBy: ['WIRE_CNP_MISSING'],
    needs: underFaults(MARKED),
  },
  {
    name: 'cnp_unpaced',
    block: 'congestion',
    description: 'each marked packet is answered with a CNP of its own',
    caughtBy: ['WIRE_CNP_PACE'],
    needs: underFaults('+NET_FAULT=mark'),
  },
  {
    name: 'cnp_without_becn',
    block: 'congestion',
    description: 'CNPs do not have the BECN bit',
    caughtBy: ['WIRE_CNP'],
    needs: underFaults(MARKED),
  },
  {
    name: 'cnp_other_qp',
    block: 'congestion',
    description: 'CNPs are for another queue pair than the one that sends',
    decides: 'CNP, PSN #',
    caughtBy: ['WIRE_CNP_UNMARKED'],
    needs: underFaults(MARKED),
  },
  {
    name: 'uc_gap_patched',
    block: 'responder',
    description: 'a message of UC goes on behind packets that are missing in it',
    decides: '# B are in data',
    caughtBy: ['SCB_DATA', 'SCB_BYTE_LEN'],
    needs: ucUnderFaults(LOST),
  },
  {
    name: 'uc_waits_for_lost',
    block: 'responder',
    description: 'nothing of a connection of UC is taken any more once a packet is missing',
    decides: 'SEND_WITH_IMM (wrId #, WQE #) posted',
    caughtBy: ['SCB_MISSING', 'SCB_DATA'],
    needs: ucUnderFaults('+NET_FAULT=drop service=uc nth=2'),
  },
  {
    name: 'uc_bytes_kept',
    block: 'responder',
    description: 'the length of a message of UC that was lost in part counts for the next one',
    decides: 'RECV (wrId #, WQE #) posted',
    caughtBy: ['SCB_BYTE_LEN'],
    needs: ucUnderFaults(LOST),
  },
  {
    name: 'uc_message_dropped',
    block: 'responder',
    description:
      'every third SEND of UC is dropped though all of it has come, and its receive is left for the next one',
    decides: 'RECV (wrId #, WQE #) in CQ #',
    caughtBy: ['SCB_MISSING'],
    needs: [...ucUnderFaults(), '+WRITE_WQE_NUM=0', '+SEND_WQE_NUM=6', '+IMM=30'],
  },
] as const satisfies readonly FaultRow[];

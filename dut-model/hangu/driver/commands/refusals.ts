/**
 * Commands that a NIC with this command register must refuse. What the command unit finds before it fetches anything is
 * refused by every such NIC (hangu-rtl-facts.md 2.3); the rest only by one that keeps account of its queues, keys and
 * table sizes (`commandChecks`), with the status numbers of mthca (hangu-interface.md 4.2).
 */

import { ICM_BASE_HI } from '../../layout/addressMap.ts';
import { CMD, CMD_STATUS, MAP_MODULE, MODIFY_NO_INBOX, PAGE_BYTES } from '../../layout/commands.ts';
import { QPC_FIELD } from '../../layout/contexts.ts';
import { HANGU_LIMITS } from '../../layout/limits.ts';
import { QP_STATE } from '../../../../rdma/verbs.ts';
import type { ByteStore } from '../../../../uvm/bytes/byteStore.ts';
import type { NetAddresses } from '../../../../env/ports/netAddress.ts';
import type { Refusal } from '../../../../env/verbs/refusal.ts';
import type { Mr } from '../../../../env/verbs/verbsObjects.ts';
import type { Attempt, HanguCommands } from './commands.ts';
import { putCqc, putEqc, putInitHca, putMapIcm, putMpt, putMttHeader, putResize } from './contextImages.ts';
import { EQN } from '../rings/eqRing.ts';
import type { HanguCq, HanguQp } from '../hanguObjects.ts';
import type { KeyNumbers } from '../tables/keyNumbers.ts';
import { putField } from './image.ts';
import { putQpContext } from './qpContext.ts';

const { badOp, badParam, badSysState, badResource, exceedsLimit, badResourceState, badIndex, badQpState } = CMD_STATUS;
/** Opcodes of no command: some of this field, and some that look like a command when their upper bits are dropped. */
const NO_COMMANDS: readonly number[] = [0x000, 0x00a, 0x023, 0x07f, 0x119, 0x822, 0xffb];
const RTS2RTS_ODD_MODIFIER = 1;
/** Numbers that nothing has: keys and queue pairs begin at 1. */
const NO_QPN = 0;
const NO_KEY = 0;
const BEYOND_QPNS = 0xff_ffff;
const NO_EQN = HANGU_LIMITS.maxEqs - 1;
const NO_VECTOR = 200;
const LOG_TOO_MANY_CQES = 16;
/** None of what refers to something that does not exist. */
const NOT_THERE: readonly number[] = [badResourceState, badIndex, badResource];
const NO_QP: readonly number[] = [badQpState, badIndex, badResource];

/** A case: what is wrong, the command, and the statuses that say so. */
type Case = readonly [what: string, attempt: Attempt, statuses: readonly number[]];

/** What the cases are made of. */
export interface RefusalParts {
  readonly addresses: NetAddresses;
  readonly commands: HanguCommands;
  readonly bytes: ByteStore;
  /** In RTS. */
  readonly qp: HanguQp;
  readonly mr: Mr;
  readonly numbers: KeyNumbers;
  /** Number of no completion queue. */
  readonly freeCqn: number;
}

/** All of them, in an order that is always the same. */
export function refusalsOf(
  nic: { readonly commandChecks: boolean; readonly events: boolean },
  parts: RefusalParts,
): readonly Refusal[] {
  const { commands } = parts;
  const cases = [...undecodable(parts)];
  if (nic.commandChecks) {
    cases.push(...wrongTables(parts), ...wrongQueuePairs(parts), ...wrongRegions(parts), ...wrongQueues(parts));
    if (nic.events) cases.push(...wrongEventQueues(parts));
  }
  const stop = { opcode: CMD.twoErr, opModifier: MODIFY_NO_INBOX, modifier: parts.qp.qpn };
  const prepared = '2ERR that is written without its go bit';
  return [
    ...cases.map(([what, attempt, statuses]) => ({ what, give: () => commands.refuse(what, attempt, statuses) })),
    { what: prepared, give: () => commands.prepare(prepared, stop) },
  ];
}

/** Errors of the command itself. */
function undecodable({ bytes, qp, addresses }: RefusalParts): readonly Case[] {
  const context = (at: number): number => putQpContext(bytes, at, qp, QP_STATE.rts, 0, addresses);
  const page = (at: number): number => putMapIcm(bytes, at, 'qpc', 0, 1);
  return [
    ...NO_COMMANDS.map((opcode): Case => ['an opcode of no command', { opcode }, [badOp]]),
    ['MAP_ICM for no module', { opcode: CMD.mapIcm, modifier: 1, image: page }, [badParam]],
    ['UNMAP_ICM for no module', { opcode: CMD.unmapIcm, opModifier: 3, modifier: 1 }, [badParam]],
    ['SW2HW_MPT without an inbox', { opcode: CMD.sw2hwMpt, modifier: NO_KEY }, [badParam]],
    ['SW2HW_CQ without an inbox', { opcode: CMD.sw2hwCq }, [badParam]],
    ['INIT2RTR without an inbox', { opcode: CMD.init2rtr, modifier: qp.qpn }, [badParam]],
    ['QUERY_QP without an outbox', { opcode: CMD.queryQp, modifier: qp.qpn }, [badParam]],
    ['QUERY_ADAPTER without an outbox', { opcode: CMD.queryAdapter }, [badParam]],
    [
      `RTS2RTS with operation modifier ${RTS2RTS_ODD_MODIFIER}`,
      { opcode: CMD.rts2rts, opModifier: RTS2RTS_ODD_MODIFIER, modifier: qp.qpn, image: context },
      [badParam],
    ],
  ];
}

/** Tables of the NIC: set up already, or too small for what is asked. */
function wrongTables({ bytes }: RefusalParts): readonly Case[] {
  const { context, translation } = MAP_MODULE;
  const beyond = ICM_PAGE_LIMIT;
  const map = (opModifier: number, fill: (at: number) => number): Attempt => ({
    ...{ opcode: CMD.mapIcm, opModifier, modifier: 1 },
    image: fill,
  });
  const write = (first: number, count: number): Attempt => ({
    ...{ opcode: CMD.writeMtt, modifier: count },
    image: (at) => putMttHeader(bytes, at, first, count),
  });
  return [
    [
      'INIT_HCA of a NIC that is set up',
      { opcode: CMD.initHca, image: (at) => putInitHca(bytes, at, [0, 0, 0, 0]) },
      [badSysState],
    ],
    ['MAP_ICM of no page', map(context, (at) => putMapIcm(bytes, at, 'qpc', 0, 0)), [badParam]],
    ['MAP_ICM of a page of another module', map(translation, (at) => putMapIcm(bytes, at, 'qpc', 0, 1)), [badParam]],
    [
      'MAP_ICM of a page behind the table',
      map(context, (at) => putMapIcm(bytes, at, 'qpc', beyond, 1)),
      [exceedsLimit, badParam],
    ],
    [
      'UNMAP_ICM of a page behind the table',
      {
        ...{ opcode: CMD.unmapIcm, opModifier: context, modifier: 1 },
        ...{ inHi: ICM_BASE_HI.qpc, inLo: beyond * PAGE_BYTES },
      },
      [exceedsLimit, badParam],
    ],
    ['WRITE_MTT of no entry', write(0, 0), [badParam]],
    ['WRITE_MTT behind the table', write(HANGU_LIMITS.maxMtts - 1, 2), [exceedsLimit, badIndex]],
  ];
}

/** Page numbers of a table end here, in the lower half of an address. */
const ICM_PAGE_LIMIT = 0xf_ffff;

function wrongQueuePairs({ bytes, qp, addresses }: RefusalParts): readonly Case[] {
  const transition = (name: string, opcode: number): Case => [
    `${name} of a queue pair in RTS`,
    { opcode, modifier: qp.qpn, image: (at) => putQpContext(bytes, at, qp, QP_STATE.rts, 0, addresses) },
    [badQpState],
  ];
  const bare = (opcode: number, modifier: number): Attempt => ({ opcode, opModifier: 3, modifier });
  const query = (modifier: number): Attempt => ({ opcode: CMD.queryQp, modifier, outbox: true });
  return [
    transition('RST2INIT', CMD.rst2init),
    transition('INIT2INIT', CMD.init2init),
    transition('INIT2RTR', CMD.init2rtr),
    transition('SQD2RTS', CMD.sqd2rts),
    transition('SQD2SQD', CMD.sqd2sqd),
    transition('SQERR2RTS', CMD.sqerr2rts),
    [
      'RTS2RTS with the context of another queue pair',
      {
        ...{ opcode: CMD.rts2rts, modifier: qp.qpn },
        image: (at) => {
          const size = putQpContext(bytes, at, qp, QP_STATE.rts, 0, addresses);
          putField(bytes, at, QPC_FIELD.localQpn, qp.qpn ^ 1);
          return size;
        },
      },
      [badParam, badIndex],
    ],
    ['2ERR of a queue pair that was never set up', bare(CMD.twoErr, NO_QPN), NO_QP],
    ['QUERY_QP of a queue pair that was never set up', query(NO_QPN), NO_QP],
    ['QUERY_QP of a number behind the table', query(BEYOND_QPNS), [badIndex, badResource]],
  ];
}

function wrongRegions({ bytes, mr, numbers }: RefusalParts): readonly Case[] {
  const index = numbers.indexOf(mr.key);
  const other = { index, pd: mr.pd.pdn ^ 1, startHi: 0, startLo: 0, length: 1, permissions: 0, mtt: 0 };
  const enter = (key: number): Attempt => ({
    ...{ opcode: CMD.sw2hwMpt, modifier: index },
    image: (at) => putMpt(bytes, at, { ...other, key }),
  });
  return [
    ['SW2HW_MPT of a key in use', enter(mr.key), [badResourceState]],
    ['SW2HW_MPT with the entry of another key', enter(numbers.neighbour(mr.key)), [badParam, badIndex]],
    ['HW2SW_MPT of a key not in use', { opcode: CMD.hw2swMpt, modifier: NO_KEY }, NOT_THERE],
  ];
}

function wrongQueues({ bytes, qp, freeCqn }: RefusalParts): readonly Case[] {
  const cq = qp.sendCq as HanguCq;
  const place = { startHi: 0, startLo: 0, usrPage: cq.process, eqn: EQN.completion, pd: cq.pdn, lkey: cq.key };
  const enter = (cqn: number, logSize: number): Attempt => ({
    ...{ opcode: CMD.sw2hwCq, modifier: cqn },
    image: (at) => putCqc(bytes, at, { ...place, cqn, logSize }),
  });
  const resize = (cqn: number, logSize: number): Attempt => ({
    ...{ opcode: CMD.resizeCq, modifier: cqn },
    image: (at) => putResize(bytes, at, logSize, cq.key),
  });
  return [
    ['SW2HW_CQ of a completion queue in use', enter(cq.cqn, 1), [badResourceState]],
    ['RESIZE_CQ to more entries than there can be', resize(cq.cqn, LOG_TOO_MANY_CQES), [exceedsLimit, badParam]],
    ...(freeCqn < 0
      ? []
      : ([
          ['SW2HW_CQ with more entries than there can be', enter(freeCqn, LOG_TOO_MANY_CQES), [exceedsLimit, badParam]],
          ['RESIZE_CQ of a completion queue not in use', resize(freeCqn, 4), NOT_THERE],
          ['HW2SW_CQ of a completion queue not in use', { opcode: CMD.hw2swCq, modifier: freeCqn }, NOT_THERE],
        ] as const)),
  ];
}

function wrongEventQueues({ bytes }: RefusalParts): readonly Case[] {
  const enter = (eqn: number, msixVector: number): Attempt => ({
    ...{ opcode: CMD.sw2hwEq, modifier: eqn },
    image: (at) => putEqc(bytes, at, { startHi: 0, startLo: 0, logSize: 1, msixVector, pd: 0, lkey: NO_KEY }),
  });
  return [
    ['SW2HW_EQ of an event queue in use', enter(EQN.async, EQN.async), [badResourceState]],
    ['SW2HW_EQ with a vector that does not exist', enter(NO_EQN, NO_VECTOR), [badParam, badIndex]],
    ['HW2SW_EQ of an event queue not in use', { opcode: CMD.hw2swEq, modifier: NO_EQN }, NOT_THERE],
    ['MAP_EQ to an event queue not in use', { opcode: CMD.mapEq, modifier: NO_EQN, inLo: 1 }, NOT_THERE],
  ];
}

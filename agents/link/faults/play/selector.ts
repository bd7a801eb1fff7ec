/** Whether a frame is one that a rule selects, apart from how many there were and from chance. */

import { QP_TYPE } from '../../../../rdma/verbs.ts';
import { OPCODE } from '../../../wire/wireOpcodes.ts';
import { NO_ROUND, type FrameView } from '../frame/frameView.ts';
import type { FaultRule, PositionName } from '../rule/faultRule.ts';
import { isInSet } from '../rule/numberSet.ts';
import { OpcodeSet } from '../rule/opcodeNames.ts';

type Condition = (view: FrameView) => boolean;

/** Positions by the two bits of the opcode table that say where a message begins and ends. */
const POSITION: Readonly<Record<number, PositionName>> = {
  0: 'middle',
  [OPCODE.start]: 'first',
  [OPCODE.end]: 'last',
  [OPCODE.start | OPCODE.end]: 'only',
};

/** All conditions of a rule that concern one frame by itself. */
export class Selector {
  readonly #conditions: readonly Condition[];

  /** @param end all faults end at this time, ps */
  constructor({ action, select }: FaultRule, end: number) {
    const { host, port, to, frame, from = 0, until = Infinity } = select;
    const last = Math.min(until, end);
    const conditions: Condition[] = [(v) => v.time >= from && v.time < last];
    if (host !== undefined && action.kind === 'link_down')
      conditions.push((v) => isInSet(host, v.host) || isInSet(host, v.to));
    else if (host !== undefined) conditions.push((v) => isInSet(host, v.host));
    if (port !== undefined) conditions.push((v) => isInSet(port, v.port));
    if (to !== undefined) conditions.push((v) => isInSet(to, v.to));
    if (frame !== undefined) conditions.push((v) => isInSet(frame, v.ordinal));
    this.#conditions = [...conditions, ...ofQueuePairs({ action, select, optional: false }), ...ofPackets(select)];
  }

  selects(view: FrameView): boolean {
    for (const condition of this.#conditions) if (!condition(view)) return false;
    return true;
  }
}

function ofQueuePairs({ select }: FaultRule): Condition[] {
  const { qp, qpn, service, relpsn } = select;
  const conditions: Condition[] = [];
  if (qp !== undefined) conditions.push((v) => v.sender !== undefined && isInSet(qp, v.sender.ordinal));
  if (qpn !== undefined) conditions.push((v) => v.sender !== undefined && isInSet(qpn, v.sender.qpn));
  if (service !== undefined) {
    const types: readonly number[] = service.map((name) => QP_TYPE[name]);
    conditions.push((v) => types.includes(v.service));
  }
  if (relpsn !== undefined)
    conditions.push((v) => v.firstPsn >= 0 && isInSet(relpsn, (v.headers.psn - v.firstPsn) & 0xff_ffff));
  return conditions;
}

function ofPackets({ opcode, psn, position, transmission, round }: FaultRule['select']): Condition[] {
  const conditions: Condition[] = [];
  if (opcode !== undefined) {
    const set = new OpcodeSet(opcode);
    conditions.push(({ headers: h }) => h.isRoce && set.has(h.opcode, h.syndrome));
  }
  if (psn !== undefined) conditions.push(({ headers: h }) => h.isRoce && isInSet(psn, h.psn));
  if (position !== undefined)
    conditions.push(({ headers: h }) => {
      const name = POSITION[h.flags & (OPCODE.start | OPCODE.end)] as PositionName;
      return h.isRoce && h.flags !== 0 && position.includes(name);
    });
  if (transmission !== undefined)
    conditions.push((v) => v.round !== NO_ROUND && v.round > 0 === (transmission === 'retransmission'));
  if (round !== undefined) conditions.push((v) => v.round !== NO_ROUND && isInSet(round, v.round));
  return conditions;
}

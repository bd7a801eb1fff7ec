/** What a command is about, by the name of the object that its modifiers say (hangu-interface.md 4.3). */

import { CMD, MAP_MODULE } from '../../layout/commands.ts';
import { hex } from '../../../../uvm/report/hexTexts.ts';

/** QPN and, in bit 31, a request for an event. */
const NUMBER_MASK = 0x7fff_ffff;

const OF_CQ: ReadonlySet<number> = new Set([CMD.sw2hwCq, CMD.hw2swCq, CMD.resizeCq]);
const OF_EQ: ReadonlySet<number> = new Set([CMD.sw2hwEq, CMD.hw2swEq, CMD.mapEq]);
const OF_KEY: ReadonlySet<number> = new Set([CMD.sw2hwMpt, CMD.hw2swMpt]);
const OF_QP: ReadonlySet<number> = new Set([
  CMD.rst2init,
  CMD.init2rtr,
  CMD.rtr2rts,
  CMD.rts2rts,
  CMD.sqerr2rts,
  CMD.twoErr,
  CMD.rts2sqd,
  CMD.sqd2rts,
  CMD.err2rst,
  CMD.queryQp,
  CMD.init2init,
  CMD.sqd2sqd,
]);

/** For example `QP 14`, `key 0x1200`, `3 translation entries`, `the NIC`. */
export function commandObject(opcode: number, modifier: number, opModifier: number): string {
  if (OF_QP.has(opcode)) return `QP ${modifier & NUMBER_MASK}`;
  if (OF_CQ.has(opcode)) return `CQ ${modifier}`;
  if (OF_EQ.has(opcode)) return `EQ ${modifier & NUMBER_MASK}`;
  if (OF_KEY.has(opcode)) return `key ${hex(modifier)}`;
  if (opcode === CMD.writeMtt) return `${modifier} translation entries`;
  if (opcode === CMD.mapIcm || opcode === CMD.unmapIcm) {
    const table = opModifier === MAP_MODULE.context ? 'contexts' : 'translations';
    return opcode === CMD.mapIcm
      ? `${table}, ${modifier} chunk${modifier === 1 ? '' : 's'}`
      : `${table}, ${modifier} pages`;
  }
  return 'the NIC';
}
